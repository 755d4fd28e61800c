#include "perturb/perturbation_chain.hpp"

#include <algorithm>

#include "assay/sdk/error.hpp"
#include "base/text.hpp"
#include "perturb/change.hpp"

namespace assay {

namespace {

/// "assay.add-noise" -> "add_noise".
std::string peer_word(const std::string& component) {
  std::string word = component.substr(component.rfind('.') + 1);
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}

}  // namespace

Result<PerturbationChain> PerturbationChain::create(Registry& registry, const PerturbationStage& stage) {
  PerturbationChain chain;
  chain.name_ = stage.name;
  chain.classes_ = stage.classes;
  std::vector<std::string> words;
  for (const PerturbationConfig& part : stage.chain) {
    Result<Instance> instance = registry.create(part.component, ASSAY_KIND_PERTURBATION, part.config_json);
    if (!instance) return instance.failure();
    const auto* table = instance->extension<assay_perturbation>(ASSAY_EXT_PERTURBATION);
    if (table == nullptr) {
      return plugin_failure("use component '" + part.component + "': it has no capability '" ASSAY_EXT_PERTURBATION "'");
    }
    words.push_back(peer_word(part.component));
    chain.parts_.push_back({part.component, std::move(*instance), table});
  }
  chain.peer_name_ = join(words, "+");
  return chain;
}

bool PerturbationChain::is_for(const std::string& operator_class) const {
  return classes_.empty() || std::find(classes_.begin(), classes_.end(), operator_class) != classes_.end();
}

bool PerturbationChain::is_identity() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return (part.table->flags & ASSAY_PERTURBATION_IDENTITY) != 0; });
}

bool PerturbationChain::wants_all_inputs() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return (part.table->flags & ASSAY_PERTURBATION_ALL_INPUTS) != 0; });
}

std::string PerturbationChain::refusal(const Tensor& input) const {
  const Part& first = parts_.front();
  assay_perturbed_layout layout{};
  layout.struct_size = sizeof layout;
  ErrorSlot error;
  return first.table->plan(first.instance.get(), &input.abi(), &layout, error.get()) == ASSAY_OK ? "" : error.message();
}

Result<PerturbedTensor> PerturbationChain::apply(const Tensor& input, std::uint64_t seed, std::uint32_t max_threads) const {
  PerturbedTensor current{input, 0};
  for (const Part& part : parts_) {
    Result<PerturbedTensor> next = apply_part(part, current.tensor, seed, max_threads);
    if (!next) return next.failure();
    current = std::move(*next);
    // Each part draws from a stream of its own.
    seed = seed * 0x9e3779b97f4a7c15u + 1;
  }
  if (parts_.size() > 1)
    current.changed = static_cast<std::uint64_t>(change_of(input.view(), current.tensor.view(), false).changed);
  return current;
}

Result<PerturbedTensor> PerturbationChain::apply_part(const Part& part, const Tensor& input, std::uint64_t seed,
                                                      std::uint32_t max_threads) {
  const auto describe = [&](const ErrorSlot& error) { return "perturb with '" + part.component + "': " + error.message(); };
  assay_perturbed_layout layout{};
  layout.struct_size = sizeof layout;
  ErrorSlot error;
  if (part.table->plan(part.instance.get(), &input.abi(), &layout, error.get()) != ASSAY_OK) return unsupported(describe(error));
  if (dtype_name(layout.dtype) == "unknown" || layout.device.type != ASSAY_DEVICE_CPU) {
    return plugin_failure("perturb with '" + part.component + "': it planned a dtype or device that the host doesn't have");
  }
  PerturbedTensor out{Tensor::allocate(layout.dtype, input.shape()), 0};
  ErrorSlot apply_error;
  const assay_status status = part.table->apply(part.instance.get(), &input.abi(), seed, std::max(1u, max_threads),
                                                &out.tensor.abi(), &out.changed, apply_error.get());
  if (status == ASSAY_UNSUPPORTED) return unsupported(describe(apply_error));
  if (status != ASSAY_OK) return plugin_failure(describe(apply_error));
  return out;
}

}  // namespace assay
