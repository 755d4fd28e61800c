// Runs one call once, at one width: converts the arguments, picks the overload, gives written arguments a copy, and, for the
// backward direction, differentiates.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "conversion.hpp"
#include "name_resolution.hpp"

namespace assay::torch_adapter {

/// A tensor argument that the operator may write, as the copy that it wrote.
struct WrittenArgument {
  std::size_t slot;
  at::Tensor copy;
  std::int64_t version;  ///< of the copy before the run: a higher one afterwards means that it was written
};

/// The outputs of a finished forward run, and what it needs to be differentiated or reported.
struct ForwardRun {
  ConvertedCall call;
  std::vector<c10::IValue> outputs;  ///< as Python returns them: several results or items of a tuple are several outputs
  std::vector<WrittenArgument> written;
  std::string operator_name;  ///< "aten::add.Tensor"
};

/// Runs the forward direction. `differentiate`: tensors, by slot, that are leaves of a graph.
/// Throws Error(ASSAY_INVALID_ARGUMENT) where the arguments fit nothing; LibTorch's own exceptions pass through.
ForwardRun run_forward(const ResolvedApi& api, const ApiTable& table, const assay_call& call, const ConversionOptions& options,
                       const std::vector<bool>& differentiate);

/// Whether a tensor lies in memory that the caller lent: that of an argument or of an arriving gradient.
bool is_borrowed(const ForwardRun& run, const std::vector<at::Tensor>& arriving, const at::Tensor& tensor);

/// Tensors among the outputs, lists flattened, in order.
std::vector<at::Tensor> output_tensors(const ForwardRun& run);

}  // namespace assay::torch_adapter
