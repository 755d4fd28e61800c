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
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    Result<assay_perturbed_layout> layout = plan_part(part, current.tensor.abi());
    if (!layout) return layout.failure();
    Tensor next = Tensor::allocate(layout->dtype, current.tensor.shape());
    Result<std::uint64_t> changed = apply_part(part, current.tensor.abi(), seed, max_threads, next.abi());
    if (!changed) return changed.failure();
    current = {std::move(next), *changed};
    // Each part draws from a stream of its own.
    seed = seed * 0x9e3779b97f4a7c15u + 1;
  }
  if (parts_.size() > 1)
    current.changed = static_cast<std::uint64_t>(change_of(input.view(), current.tensor.view(), false).changed);
  return current;
}

Result<assay_perturbed_layout> PerturbationChain::plan_part(std::size_t index, const assay_tensor& input) const {
  const Part& part = parts_[index];
  assay_perturbed_layout layout{};
  layout.struct_size = sizeof layout;
  ErrorSlot error;
  if (part.table->plan(part.instance.get(), &input, &layout, error.get()) != ASSAY_OK) {
    return unsupported("perturb with '" + part.component + "': " + error.message());
  }
  if (dtype_name(layout.dtype) == "unknown" || layout.device.type != ASSAY_DEVICE_CPU) {
    return plugin_failure("perturb with '" + part.component + "': it planned a dtype or device that the host doesn't have");
  }
  return layout;
}

Result<std::uint64_t> PerturbationChain::apply_part(std::size_t index, const assay_tensor& input, std::uint64_t seed,
                                                    std::uint32_t max_threads, assay_tensor& output) const {
  const Part& part = parts_[index];
  std::uint64_t changed = 0;
  ErrorSlot error;
  const assay_status status =
      part.table->apply(part.instance.get(), &input, seed, std::max(1u, max_threads), &output, &changed, error.get());
  if (status == ASSAY_OK) return changed;
  const std::string message = "perturb with '" + part.component + "': " + error.message();
  return status == ASSAY_UNSUPPORTED ? unsupported(message) : plugin_failure(message);
}

}  // namespace assay
