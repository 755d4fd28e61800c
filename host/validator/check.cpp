#include "validator/check.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "loader/host_table.hpp"
#include "loader/tables.hpp"

namespace assay::validator {

const std::vector<Check>& all_checks() {
  static const std::vector<Check> checks = [] {
    std::vector<Check> all;
    for (const auto& part :
         {plugin_checks(), component_checks(), comparison_checks(), perturbation_checks(), adapter_checks(), operator_checks()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return checks;
}

Live::Live(const Subject& subject) : config_json_(subject.config_json) {
  Result<std::shared_ptr<LoadedPlugin>> loaded = LoadedPlugin::load(subject.manifest);
  require(static_cast<bool>(loaded), loaded ? "" : loaded.failure().message);
  plugin_ = std::move(*loaded);
  if (subject.component.id.empty()) return;
  component_ = plugin_->component(subject.component.id);
  require(component_ != nullptr, "no component '" + subject.component.id + "' in the descriptor");
}

std::shared_ptr<assay_instance> Live::create() const {
  assay_instance* instance = nullptr;
  std::string message;
  const assay_status status = call(
      "create", [&](assay_error* err) { return component_->create(host_table(), config_json_.c_str(), &instance, err); }, &message);
  if (status == ASSAY_UNSUPPORTED) skip("create says that it can't work here: " + message);
  require(status == ASSAY_OK, "create fails with " + status_text(status) + ": " + message);
  require(instance != nullptr, "create returns ASSAY_OK without an instance");
  require(ASSAY_HAS(assay_instance, instance, get_extension), "the instance has struct_size " +
                                                                  std::to_string(instance->struct_size) + ", expected at least " +
                                                                  std::to_string(sizeof(assay_instance)));
  require(instance->destroy != nullptr, "the instance has no destroy");
  require(instance->get_extension != nullptr, "the instance has no get_extension");
  // The plugin must outlive its instances.
  return {instance, [plugin = plugin_](assay_instance* self) { self->destroy(self); }};
}

const void* Live::completed(const assay_instance& instance, const char* extension) {
  const TableInfo* info = find_table(extension);
  const void* given = instance.get_extension(&instance, extension);
  const Status sound = check_table(*info, given);
  require(static_cast<bool>(sound), sound ? "" : sound.failure().message);
  tables_.push_back(complete_table(*info, given));
  return tables_.back().data();
}

assay_status call(const std::string& what, const std::function<assay_status(assay_error*)>& body, std::string* message) {
  assay_error error{};
  error.struct_size = sizeof error;
  assay_status status = ASSAY_OK;
  const Status contained = contain(what, [&] { status = body(&error); });
  require(static_cast<bool>(contained), contained ? "" : contained.failure().message);
  require(status >= ASSAY_OK && status <= ASSAY_INTERNAL,
          what + " returns " + status_text(status) + ", which the ABI doesn't know");
  require(error.struct_size == sizeof error, what + " changes the error's struct_size");
  if (status != ASSAY_OK) {
    require(error.message != nullptr && *error.message != '\0', what + " fails with " + status_text(status) + " and no message");
    require(error.code == status, what + " returns " + status_text(status) + " and writes " + status_text(error.code));
    if (message != nullptr) *message = escape_control(error.message);
  }
  if (error.release != nullptr) error.release(&error);
  return status;
}

}  // namespace assay::validator
