#include "pipeline/operators.hpp"

#include "base/log.hpp"
#include "loader/library.hpp"

namespace assay {

Operators::Operators(Registry registry) : registry_(std::move(registry)) {}

const OperatorPlugin* Operators::find(const std::string& api) {
  if (!loaded_) load();
  const auto found = by_api_.find(api);
  return found != by_api_.end() ? &plugins_[found->second] : nullptr;
}

void Operators::load() {
  loaded_ = true;
  for (const PluginManifest& plugin : registry_.plugins()) {
    for (const ComponentEntry& component : plugin.components) {
      if (component.kind != ASSAY_KIND_OPERATOR) continue;
      Result<Instance> instance = registry_.create(component.id, ASSAY_KIND_OPERATOR, "{}");
      if (!instance) {
        log("pipeline")->warn("operator plugin '{}' is left out: {}", component.id, instance.failure().message);
        continue;
      }
      const auto* table = instance->extension<assay_operator>(ASSAY_EXT_OPERATOR);
      if (table == nullptr) {
        log("pipeline")->warn("operator plugin '{}' is left out: it has no capability '" ASSAY_EXT_OPERATOR "'", component.id);
        continue;
      }
      std::uint64_t count = 0;
      const char* const* names = nullptr;
      if (const Status called = contain("apis", [&] { names = table->apis(instance->get(), &count); }); !called) {
        log("pipeline")->warn("operator plugin '{}' is left out: {}", component.id, called.failure().message);
        continue;
      }
      plugins_.push_back({std::move(*instance), table});
      for (std::uint64_t i = 0; names != nullptr && i < count; ++i) {
        if (names[i] != nullptr) by_api_.emplace(names[i], plugins_.size() - 1);
      }
    }
  }
  log("pipeline")->debug("{} operator plugins with {} APIs", plugins_.size(), by_api_.size());
}

}  // namespace assay
