#include "pipeline/call_inputs.hpp"

namespace assay {

std::uint64_t call_seed(std::uint64_t seed, const std::string& stem) {
  // FNV-1a.
  std::uint64_t hash = 14695981039346656037ull ^ seed;
  for (const char c : stem) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

std::string entry_problem(const RecordedCall& call, bool backward) {
  if (!call.forward) return "the dump has no forward entry of this call";
  if (call.forward->error) return *call.forward->error;
  if (backward && call.backward->error) return *call.backward->error;
  if (!call.forward->has_inputs || (backward && !call.backward->has_inputs)) {
    return "the entry has no inputs (recorded with a data_mode that leaves them out)";
  }
  return "";
}

Result<CallInputs> build_call_inputs(const InputBuilder& builder, const RecordedCall& call, bool backward) {
  CallInputs inputs;
  const RecordedDirection& forward = *call.forward;
  for (std::size_t i = 0; i < forward.inputs.size(); ++i) {
    Result<Value> value = builder.build(forward.inputs[i], call.stem, "forward", std::to_string(i));
    if (!value) return value.failure();
    inputs.args.push_back(std::move(*value));
  }
  for (const auto& [name, element] : forward.kwargs) {
    Result<Value> value = builder.build(element, call.stem, "forward", name);
    if (!value) return value.failure();
    inputs.kwargs.emplace_back(name, std::move(*value));
  }
  if (!backward) return inputs;
  for (std::size_t i = 0; i < call.backward->inputs.size(); ++i) {
    Result<Value> value = builder.build(call.backward->inputs[i], call.stem, "backward", std::to_string(i));
    if (!value) return value.failure();
    inputs.grad_outputs.push_back(std::move(*value));
  }
  return inputs;
}

}  // namespace assay
