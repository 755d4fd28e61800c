// Between the boundary's values and LibTorch's: arguments in (wrapped, not copied, where the layout allows), results out.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <string>
#include <vector>

#include "assay/abi/call.h"
#include "assay/sdk/value.hpp"
#include "python_value.hpp"

namespace assay::torch_adapter {

/// The floating-point type that a run computes in. Complex tensors go to the complex type of the same width.
enum class Width { kAsRecorded, kFloat32, kFloat64 };

struct ConversionOptions {
  Width width = Width::kAsRecorded;
  bool halves_only = false;        ///< widen float16, bfloat16 and complex32 only, leave wider types
  bool integers_to_float = false;  ///< integer and bool tensors become float64 too
};

/// A tensor argument: where it sits, how it was recorded, and what the operator is given.
struct TensorSlot {
  std::string path;  ///< "0", "0.1", "weight"
  at::ScalarType recorded;
  at::Tensor value;
};

/// The call's arguments as LibTorch values, and all tensors among them in order (positional before keyword).
struct ConvertedCall {
  Arguments arguments;
  std::vector<TensorSlot> tensors;
};

/// Throws Error(ASSAY_UNSUPPORTED) for what this LibTorch has no type for.
ConvertedCall convert_arguments(const assay_call& call, const ConversionOptions& options);

/// One value of the boundary; tensors are wrapped and not converted.
PythonValue convert_value(const assay_value& value);

/// The type that `type` becomes under the options; `type` itself where they don't apply.
at::ScalarType widened(at::ScalarType type, const ConversionOptions& options);

bool is_half_type(at::ScalarType type);

/// A result for the caller. `borrowed` says whether a tensor lies in the caller's memory, which must then be copied.
Value convert_result(const c10::IValue& value, const std::function<bool(const at::Tensor&)>& borrowed);

}  // namespace assay::torch_adapter
