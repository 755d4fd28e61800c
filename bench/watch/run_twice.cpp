#include "run_twice.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <torch/library.h>

#include <string_view>
#include <unordered_map>

namespace assay::bench {

namespace {

// Not the key of the watch, so that both can be measured in one process.
constexpr c10::DispatchKey kKey = c10::DispatchKey::TESTING_ONLY_GenericWrapper;

bool forward_twice = false;
bool backward_twice = false;
std::uint64_t count = 0;

/// The operators that the watch would check: floating-point numbers in, a tensor of its own out, nothing written.
bool computes(const c10::FunctionSchema& schema) {
  static std::unordered_map<const c10::FunctionSchema*, bool> known;
  const auto found = known.find(&schema);
  if (found != known.end()) return found->second;
  bool tensor_out = false;
  bool aliases = false;
  for (const c10::Argument& argument : schema.arguments()) aliases = aliases || argument.alias_info() != nullptr;
  for (const c10::Argument& result : schema.returns())
    tensor_out = tensor_out || result.type()->kind() == c10::TypeKind::TensorType;
  const std::string_view name = schema.name();
  const bool fills = name == "aten::zeros_like" || name == "aten::ones_like" || name == "aten::empty_like";
  return known[&schema] = tensor_out && !aliases && !fills;
}

bool takes_numbers(c10::ArrayRef<c10::IValue> arguments) {
  for (const c10::IValue& argument : arguments) {
    if (argument.isTensor() && argument.toTensor().defined() && c10::isFloatingType(argument.toTensor().scalar_type())) return true;
    if (argument.isTensorList()) return true;
  }
  return false;
}

void see_operator(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard inside(kKey);
  const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kKey);
  const bool wanted = at::GradMode::is_enabled() ? forward_twice : backward_twice;
  if (!wanted || !computes(op.schema())) return op.redispatchBoxed(below, stack);
  const c10::ArrayRef<c10::IValue> arguments = torch::jit::last(*stack, op.schema().arguments().size());
  if (!takes_numbers(arguments)) return op.redispatchBoxed(below, stack);
  torch::jit::Stack again(arguments.begin(), arguments.end());
  op.redispatchBoxed(below, stack);
  ++count;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  op.callBoxed(again);
}

}  // namespace

void run_twice(bool forward, bool backward) {
  forward_twice = forward;
  backward_twice = backward;
  c10::impl::tls_set_dispatch_key_included(kKey, forward || backward);
}

std::uint64_t operators_run_twice() { return std::exchange(count, 0); }

}  // namespace assay::bench

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericWrapper, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&assay::bench::see_operator>());
}
