// Runs an operator again without a trace: below autograd, on copies of what it writes, on the same random draw.
//
//   Repeat repeat(op, info, arguments);      // before the original runs: saves what it will write
//   op.redispatchBoxed(keys, stack);
//   repeat.original_done(stack);
//   std::vector<at::Tensor> outputs = repeat.run(changed_arguments, false, true);
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <vector>

#include "operators.hpp"
#include "random_state.hpp"

namespace assay::watch {

/// Dispatch as a repetition needs it: nothing recorded by autograd or the modes of the job; autocast as it is or left out.
/// Profilers are kept away by an at::DisableRecordFunctionGuard around it.
class QuietDispatch {
 public:
  explicit QuietDispatch(bool without_autocast);
  ~QuietDispatch();
  QuietDispatch(const QuietDispatch&) = delete;
  QuietDispatch& operator=(const QuietDispatch&) = delete;

 private:
  c10::impl::ExcludeDispatchKeyGuard keys_;
  bool autocast_cache_;
};

class Repeat {
 public:
  Repeat(const c10::OperatorHandle& op, const OperatorInfo& info, c10::ArrayRef<c10::IValue> arguments);
  ~Repeat();
  Repeat(const Repeat&) = delete;
  Repeat& operator=(const Repeat&) = delete;

  /// The results are on the stack; remembers them and the state of the generators.
  void original_done(const torch::jit::Stack& stack);

  /// The arguments as they were before the original: copies of what it wrote, the job's own tensors otherwise.
  [[nodiscard]] const std::vector<c10::IValue>& arguments() const { return arguments_; }
  /// Results, then written arguments that aren't among them; undefined tensors keep their place.
  [[nodiscard]] const std::vector<at::Tensor>& outputs() const { return outputs_; }

  /// last  no other run follows, which saves a copy of what is written. Throws what the operator throws.
  std::vector<at::Tensor> run(std::vector<c10::IValue> arguments, bool without_autocast, bool last);

 private:
  [[nodiscard]] bool is_saved(const at::Tensor& tensor) const;
  std::vector<at::Tensor> collect(const torch::jit::Stack& stack, const std::vector<c10::IValue>& arguments) const;

  const c10::OperatorHandle& op_;
  const OperatorInfo& info_;
  std::vector<c10::IValue> originals_;  ///< the job's own arguments
  std::vector<c10::IValue> arguments_;
  std::vector<bool> copied_;
  std::vector<std::pair<const c10::TensorImpl*, at::Tensor>> saved_;  ///< a written tensor and its copy
  std::vector<at::Tensor> outputs_;
  RandomState random_;
  bool done_ = false;
};

}  // namespace assay::watch
