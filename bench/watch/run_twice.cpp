#include "run_twice.hpp"

#include <ATen/ATen.h>
#include <ATen/SequenceNumber.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace assay::bench {

namespace {

// Not the key of the watch, so that both can be measured in one process.
constexpr c10::DispatchKey kKey = c10::DispatchKey::TESTING_ONLY_GenericWrapper;

Twice wanted;
std::uint64_t count = 0;

// Numbers of the autograd nodes that calls of the scope made, as [first, end), and the node that runs.
std::vector<std::pair<std::uint64_t, std::uint64_t>> nodes_in_scope;
std::int64_t node = -1;

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

template <class F>
bool any_tensor(const c10::IValue& value, F&& is_wanted) {
  if (value.isTensor()) return value.toTensor().defined() && is_wanted(value.toTensor());
  if (!value.isTensorList()) return false;
  const auto items = value.toTensorVector();
  return std::any_of(items.begin(), items.end(), [&](const at::Tensor& t) { return t.defined() && is_wanted(t); });
}

bool takes(c10::ArrayRef<c10::IValue> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const c10::IValue& argument) {
    return any_tensor(argument, [](const at::Tensor& tensor) {
      return wanted.widened == at::ScalarType::Undefined ? c10::isFloatingType(tensor.scalar_type())
                                                         : tensor.scalar_type() == wanted.widened;
    });
  });
}

void widen(c10::IValue& argument) {
  const auto wide = [](const at::Tensor& t) {
    if (!t.defined() || t.scalar_type() != wanted.widened) return t;
    return t.to(wanted.widened == at::kFloat ? at::kDouble : at::kFloat);
  };
  if (argument.isTensor()) {
    argument = wide(argument.toTensor());
  } else if (argument.isTensorList()) {
    std::vector<at::Tensor> items = argument.toTensorVector();
    std::transform(items.begin(), items.end(), items.begin(), wide);
    argument = items;
  }
}

bool is_in_scope(const c10::FunctionSchema& schema, bool forward) {
  if (wanted.scope.empty()) return true;
  if (forward) {
    const std::string_view name = std::string_view(schema.name()).substr(schema.name().find("::") + 2);
    return std::find(wanted.scope.begin(), wanted.scope.end(), name) != wanted.scope.end();
  }
  return std::any_of(nodes_in_scope.begin(), nodes_in_scope.end(), [](const auto& range) {
    return node >= 0 && static_cast<std::uint64_t>(node) >= range.first && static_cast<std::uint64_t>(node) < range.second;
  });
}

void see_operator(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard inside(kKey);
  const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kKey);
  const bool forward = at::GradMode::is_enabled();
  const bool in_scope = is_in_scope(op.schema(), forward);
  const std::uint64_t first_node = at::sequence_number::peek();
  const c10::ArrayRef<c10::IValue> arguments = torch::jit::last(*stack, op.schema().arguments().size());
  torch::jit::Stack again;
  const bool twice = in_scope && (forward ? wanted.forward : wanted.backward) && computes(op.schema()) && takes(arguments);
  if (twice) again.assign(arguments.begin(), arguments.end());
  op.redispatchBoxed(below, stack);
  if (forward && in_scope && !wanted.scope.empty()) nodes_in_scope.emplace_back(first_node, at::sequence_number::peek());
  if (!twice) return;
  ++count;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  if (wanted.widened != at::ScalarType::Undefined) std::for_each(again.begin(), again.end(), widen);
  op.callBoxed(again);
}

std::unique_ptr<at::ObserverContext> node_begins(const at::RecordFunction& function) {
  node = function.seqNr();
  return nullptr;
}

void node_ends(const at::RecordFunction&, at::ObserverContext*) { node = -1; }

}  // namespace

void run_twice(const Twice& twice) {
  wanted = twice;
  nodes_in_scope.clear();
  c10::impl::tls_set_dispatch_key_included(kKey, twice.forward || twice.backward);
  static at::CallbackHandle observer = 0;
  const bool by_node = twice.backward && !twice.scope.empty();
  if (by_node && observer == 0) {
    observer =
        at::addGlobalCallback(at::RecordFunctionCallback(node_begins, node_ends).scopes({at::RecordScope::BACKWARD_FUNCTION}));
  } else if (!by_node && observer != 0) {
    at::removeCallback(std::exchange(observer, 0));
  }
}

std::uint64_t operators_run_twice() { return std::exchange(count, 0); }

}  // namespace assay::bench

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericWrapper, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&assay::bench::see_operator>());
}
