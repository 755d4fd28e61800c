#include "pipeline/isolated_adapter.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "base/locations.hpp"
#include "bridge/client.hpp"
#include "config/json.hpp"
#include "loader/host_table.hpp"

namespace assay {

namespace {

/// The supervisor limits a call's time.
constexpr bridge::Seconds kNoLimit{1e8};

/// Stands for the adapter in the other process. Its configuration is that process's settings.
class IsolatedAdapter final : public Adapter {
 public:
  explicit IsolatedAdapter(const Context& context) : client_(context.log, options(context.config)) {}

  const AdapterInfo& describe() override { return client_.info(); }
  void require_support(const std::string& api, std::int32_t direction) override { client_.require_support(api, direction); }
  Results invoke(const assay_call& call) override { return client_.invoke(call); }

  static const void* extension(const char* id) {
    static const assay_memory_stats memory = {
        sizeof(assay_memory_stats), 0,
        [](assay_instance* self, std::uint64_t* current, std::uint64_t* peak, assay_error* err) {
          return guard(err, [&] {
            *current = 0;
            *peak = static_cast<IsolatedAdapter*>(static_cast<Adapter*>(self->impl))->client_.peak_bytes();
          });
        },
        [](assay_instance*) {}};
    return std::strcmp(id, ASSAY_EXT_MEMORY_STATS) == 0 ? &memory : Adapter::extension(id);
  }

 private:
  static bridge::ClientOptions options(const Config& config) {
    bridge::ClientOptions options;
    options.command = {executable_path().string(), kAdapterServerCommand};
    options.settings = json_text(config.json());
    options.subject = "the process of '" + config.get<std::string>("component", "") + "'";
    options.call_limit = kNoLimit;
    return options;
  }

  bridge::Client client_;
};

std::string settings_of(const Registry& registry, const EngineSpec& spec, std::uint64_t memory_limit) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  writer.StartObject();
  writer.Key("component");
  writer.String(spec.component);
  writer.Key("precision");
  writer.String(spec.precision);
  writer.Key("config");
  writer.RawValue(spec.config_json.c_str(), spec.config_json.size(), rapidjson::kObjectType);
  writer.Key("plugin_path");
  writer.StartArray();
  for (const std::filesystem::path& folder : registry.search_path()) writer.String(folder.string());
  writer.EndArray();
  writer.Key("memory_limit");
  writer.Uint64(memory_limit);
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

}  // namespace

Result<Instance> isolate_adapter(const Registry& registry, const EngineSpec& spec, std::uint64_t memory_limit) {
  assay_instance* instance = nullptr;
  ErrorSlot error;
  const assay_status status = detail::create_instance<IsolatedAdapter>(
      host_table(), "assay.isolated", settings_of(registry, spec, memory_limit).c_str(), &instance, error.get());
  switch (status) {
    case ASSAY_OK: return Instance::adopt(instance, spec.component, "");
    case ASSAY_INVALID_ARGUMENT: return input_failure(error.message());
    case ASSAY_UNSUPPORTED: return unsupported(error.message());
    default: return plugin_failure(error.message());
  }
}

}  // namespace assay
