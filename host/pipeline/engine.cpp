#include "pipeline/engine.hpp"

#include <chrono>
#include <memory>

#include "loader/library.hpp"
#include "pipeline/isolated_adapter.hpp"
#include "pipeline/raise.hpp"

namespace assay {

namespace {

std::int32_t precision_code(const std::string& name) {
  if (name == "as-recorded") return ASSAY_PRECISION_AS_RECORDED;
  if (name == "float32") return ASSAY_PRECISION_FLOAT32;
  return ASSAY_PRECISION_FLOAT64;
}

using InvokeSlot = decltype(assay_adapter::invoke);

/// Runs one call and checks what came back; `who` is the subject of a message.
Invocation run(InvokeSlot invoke, const Instance& instance, const assay_call& call, const std::string& who) {
  Invocation out;
  auto raw = std::shared_ptr<assay_results>(new assay_results{}, [](assay_results* r) {
    if (r->release != nullptr) r->release(r);
    delete r;
  });
  raw->struct_size = sizeof(assay_results);
  ErrorSlot error;
  const auto start = std::chrono::steady_clock::now();
  const Status returned = contain(who, [&] { out.status = invoke(instance.get(), &call, raw.get(), error.get()); });
  out.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!returned) {
    out.status = ASSAY_INTERNAL;
    out.message = returned.failure().message;
    return out;
  }
  if (out.status != ASSAY_OK) {
    out.message = error.message();
    return out;
  }
  Result<Results> results = raise_results(raw);
  if (!results) {
    out.status = ASSAY_INTERNAL;
    out.message = who + " returned " + results.failure().message;
    return out;
  }
  out.results = std::move(*results);
  return out;
}

}  // namespace

Engine::Engine(Instance instance, const assay_adapter* table, EngineSpec spec)
    : instance_(std::move(instance)), table_(table), spec_(std::move(spec)), precision_(precision_code(spec_.precision)) {}

Result<Engine> Engine::create(Registry& registry, const EngineSpec& spec) {
  Result<Instance> instance = registry.create(spec.component, ASSAY_KIND_ADAPTER, spec.config_json);
  if (!instance) return instance.failure();
  return of(std::move(*instance), spec);
}

Result<Engine> Engine::create_isolated(const Registry& registry, const EngineSpec& spec, std::uint64_t memory_limit) {
  Result<Instance> instance = isolate_adapter(registry, spec, memory_limit);
  if (!instance) return instance.failure();
  return of(std::move(*instance), spec);
}

Result<Engine> Engine::of(Instance instance, const EngineSpec& spec) {
  const auto* table = instance.extension<assay_adapter>(ASSAY_EXT_ADAPTER);
  if (table == nullptr)
    return plugin_failure("use component '" + spec.component + "': it has no capability '" ASSAY_EXT_ADAPTER "'");
  Engine engine(std::move(instance), table, spec);
  engine.memory_ = engine.instance_.extension<assay_memory_stats>(ASSAY_EXT_MEMORY_STATS);
  assay_adapter_info info{};
  info.struct_size = sizeof info;
  ErrorSlot error;
  if (table->describe(engine.instance_.get(), &info, error.get()) != ASSAY_OK) {
    return plugin_failure("describe adapter '" + spec.component + "': " + error.message());
  }
  engine.framework_ = info.framework != nullptr ? info.framework : "";
  engine.version_ = info.version != nullptr ? info.version : "";
  engine.details_ = info.details != nullptr ? info.details : "";
  if (!VersionedId(spec.component).accepts(engine.version_)) {
    return plugin_failure("use adapter '" + spec.component + "': its manifest names that version, but the library runs " +
                          engine.framework_ + " " + engine.version_);
  }
  return engine;
}

Invocation Engine::supports(const std::string& api, std::int32_t direction) const {
  Invocation out;
  ErrorSlot error;
  out.status = table_->supports(instance_.get(), api.c_str(), direction, error.get());
  if (out.status != ASSAY_OK) out.message = error.message();
  return out;
}

std::uint64_t Engine::held_bytes() const {
  std::uint64_t current = 0;
  std::uint64_t peak = 0;
  ErrorSlot error;
  if (memory_ == nullptr || memory_->read(instance_.get(), &current, &peak, error.get()) != ASSAY_OK) return 0;
  return current;
}

std::uint64_t Engine::peak_bytes(std::uint64_t held_before) const {
  std::uint64_t current = 0;
  std::uint64_t peak = 0;
  ErrorSlot error;
  if (memory_ == nullptr || memory_->read(instance_.get(), &current, &peak, error.get()) != ASSAY_OK) return 0;
  return peak > held_before ? peak - held_before : 0;
}

Invocation Engine::invoke(const std::string& api, std::int32_t direction, const CallInputs& inputs, std::uint64_t seed,
                          const std::string& precision) const {
  ValueArena arena;
  assay_call call{};
  call.struct_size = sizeof call;
  call.direction = direction;
  call.api = api.c_str();
  call.precision = precision.empty() ? precision_ : precision_code(precision);
  call.flags = direction == ASSAY_BACKWARD ? static_cast<std::uint32_t>(ASSAY_CALL_NODE_GRADIENTS) : 0u;
  call.device = {ASSAY_DEVICE_CPU, 0};
  call.seed = seed;
  call.args = arena.lower_all(inputs.args);
  call.arg_count = inputs.args.size();
  call.kwargs = arena.lower_named(inputs.kwargs);
  call.kwarg_count = inputs.kwargs.size();
  call.grad_outputs = arena.lower_all(inputs.grad_outputs);
  call.grad_output_count = inputs.grad_outputs.size();

  if (memory_ != nullptr) memory_->reset_peak(instance_.get());
  const std::uint64_t held = held_bytes();
  Invocation out = run(table_->invoke, instance_, call, "the adapter");
  out.peak_bytes = peak_bytes(held);
  if (operators_ == nullptr || (out.status != ASSAY_NOT_FOUND && out.status != ASSAY_UNSUPPORTED)) return out;
  const OperatorPlugin* plugin = operators_->find(api);
  if (plugin == nullptr) return out;
  const std::string& id = plugin->instance.component_id();
  Invocation instead = run(plugin->table->invoke, plugin->instance, call, "operator plugin '" + id + "'");
  instead.operator_plugin = id;
  if (instead.status == ASSAY_OK) {
    instead.results.notes.insert(instead.results.notes.begin(), "computed by operator plugin '" + id + "' " +
                                                                    plugin->instance.component_version() +
                                                                    " in float64: " + framework_ + " lacks the API");
  } else {
    instead.message = "operator plugin '" + id + "': " + instead.message;
  }
  return instead;
}

}  // namespace assay
