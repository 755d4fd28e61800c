#include "adapter_under_test.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>

namespace assay::bridge {
namespace {

std::mutex log_mutex;
std::vector<std::string> log_lines;

const assay_host& host() {
  static const assay_host table = {sizeof(assay_host),
                                   ASSAY_ABI_MAJOR,
                                   ASSAY_ABI_MINOR,
                                   0,
                                   "test",
                                   "1",
                                   nullptr,
                                   [](const assay_host*, std::int32_t, const char*, const char* message) {
                                     const std::lock_guard lock(log_mutex);
                                     log_lines.emplace_back(message);
                                   },
                                   [](const assay_host*, const char*) -> const void* { return nullptr; }};
  return table;
}

const assay_component& component(const std::string& id) {
  static const assay_plugin* const plugin = [] {
    void* const library = ::dlopen(ASSAY_MINT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(::dlerror());
    using Entry = const assay_plugin* (*)(std::uint32_t);
    const auto entry = reinterpret_cast<Entry>(::dlsym(library, ASSAY_PLUGIN_ENTRY_SYMBOL));
    return entry(ASSAY_ABI_MAJOR);
  }();
  for (std::uint64_t i = 0; i < plugin->component_count; ++i) {
    if (plugin->components[i]->id == id) return *plugin->components[i];
  }
  throw std::runtime_error("no component " + id);
}

const assay_value* find(const assay_path_value* values, std::uint64_t count, const std::string& path) {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (values[i].path == path) return &values[i].value;
  }
  return nullptr;
}

TensorView view_of(const assay_value& value) {
  if (value.kind != ASSAY_VALUE_TENSOR) throw std::runtime_error("value of kind " + std::to_string(value.kind) + " is no tensor");
  return TensorView(*value.as.tensor);
}

}  // namespace

Outcome::Outcome(Outcome&& other) noexcept
    : status(other.status), message(std::move(other.message)), results_(std::exchange(other.results_, {})) {}

void Outcome::release() {
  if (results_.release != nullptr) results_.release(&results_);
}

const assay_value& Outcome::output(std::size_t i) const {
  if (status != ASSAY_OK) throw std::runtime_error("call failed with status " + std::to_string(status) + ": " + message);
  if (i >= results_.output_count) throw std::runtime_error("no output " + std::to_string(i));
  return results_.outputs[i];
}

const assay_value* Outcome::gradient(const std::string& path) const {
  if (status != ASSAY_OK) throw std::runtime_error("call failed with status " + std::to_string(status) + ": " + message);
  return find(results_.gradients, results_.gradient_count, path);
}

const assay_value* Outcome::mutated(const std::string& path) const { return find(results_.mutated, results_.mutated_count, path); }

AdapterUnderTest::AdapterUnderTest(const std::string& id, const std::string& config_json) {
  ErrorSlot error;
  status_ = component(id).create(&host(), config_json.c_str(), &instance_, error.get());
  if (status_ != ASSAY_OK) {
    message_ = error.message();
    return;
  }
  table_ = static_cast<const assay_adapter*>(instance_->get_extension(instance_, ASSAY_EXT_ADAPTER));
}

AdapterUnderTest::~AdapterUnderTest() {
  if (instance_ != nullptr) instance_->destroy(instance_);
}

Outcome AdapterUnderTest::invoke(const CallSpec& spec) {
  if (table_ == nullptr) throw std::runtime_error("no adapter: " + message_);
  ValueArena arena;
  assay_call call{};
  call.struct_size = sizeof call;
  call.direction = spec.gradients.empty() ? ASSAY_FORWARD : ASSAY_BACKWARD;
  call.api = spec.api.c_str();
  call.precision = spec.precision;
  call.device = {ASSAY_DEVICE_CPU, 0};
  call.seed = spec.seed;
  call.args = arena.lower_all(spec.args);
  call.arg_count = spec.args.size();
  call.kwargs = arena.lower_named(spec.kwargs);
  call.kwarg_count = spec.kwargs.size();
  call.grad_outputs = arena.lower_all(spec.gradients);
  call.grad_output_count = spec.gradients.size();
  Outcome outcome;
  ErrorSlot error;
  outcome.status = table_->invoke(instance_, &call, outcome.slot(), error.get());
  if (outcome.status != ASSAY_OK) outcome.message = error.message();
  return outcome;
}

Outcome AdapterUnderTest::supports(const std::string& api) {
  Outcome outcome;
  ErrorSlot error;
  outcome.status = table_->supports(instance_, api.c_str(), ASSAY_FORWARD, error.get());
  if (outcome.status != ASSAY_OK) outcome.message = error.message();
  return outcome;
}

assay_adapter_info AdapterUnderTest::describe() {
  assay_adapter_info info{};
  info.struct_size = sizeof info;
  if (table_->describe(instance_, &info, nullptr) != ASSAY_OK) throw std::runtime_error("describe failed");
  return info;
}

std::vector<std::string> take_log() {
  const std::lock_guard lock(log_mutex);
  return std::exchange(log_lines, {});
}

std::vector<double> numbers(const assay_value& value) {
  const TensorView view = view_of(value);
  std::vector<double> out;
  view.for_each_offset([&](std::int64_t, std::int64_t offset) { out.push_back(view.number_at(offset)); });
  return out;
}

std::vector<std::int64_t> shape_of(const assay_value& value) { return view_of(value).shape(); }
std::string dtype_of(const assay_value& value) { return std::string(dtype_name(view_of(value).dtype())); }

std::string bytes_of(const assay_value& value) {
  const TensorView view = view_of(value);
  const auto size = static_cast<std::size_t>(view.numel()) * dtype_size(view.dtype());
  return size == 0 ? std::string() : std::string(view.data_as<char>(), size);
}

std::vector<int> child_processes() {
  std::vector<int> out;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (int pid = 0; children >> pid;) out.push_back(pid);
  }
  return out;
}

std::size_t shared_mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("/memfd:assay-") != std::string::npos ? 1 : 0;
  return count;
}

}  // namespace assay::bridge
