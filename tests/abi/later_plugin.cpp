// A plugin of a later minor: every struct that it allocates has a field appended, and it wants a function of the host that this one
// lacks. It asks before it uses, so it needs minor 0 only; compiled with NEEDS_THE_FUNCTION it says so in its descriptor instead.
#include <cstring>

#include "assay/sdk/comparison.hpp"

namespace {

struct LaterHost {
  assay_host released;
  void(ASSAY_CALL* progress)(const assay_host* host, double fraction);
};
struct LaterPlugin {
  assay_plugin released;
  const char* license;
};
struct LaterComponent {
  assay_component released;
  const char* help;
};
struct LaterInstance {
  assay_instance released;
  assay_status(ASSAY_CALL* warm_up)(assay_instance* self);
};
struct LaterComparison {
  assay_comparison released;
  assay_status(ASSAY_CALL* compare_many)(const assay_instance* self);
};

template <class Later, class Released>
Released grown(Released released) {
  released.struct_size = sizeof(Later);
  return released;
}

class Equal final : public assay::Comparison {
 public:
  explicit Equal(const assay::Context&) {}
  [[nodiscard]] const std::vector<const assay_metric_info*>& metrics() const override {
    static const assay_metric_info info = {sizeof info, ASSAY_METRIC_COUNT, ASSAY_BETTER_LOWER, 1, "bytes", "1", "size in bytes"};
    static const std::vector<const assay_metric_info*> all = {&info};
    return all;
  }
  void compare(const assay_pair& pair, double* values, std::uint8_t* available) const override {
    const assay::TensorView actual(*pair.actual);
    const assay::TensorView expected(*pair.expected);
    for (const assay::TensorView& side : {actual, expected}) {
      if (assay::dtype_name(side.dtype()) == "unknown" || !side.on_cpu()) throw assay::Error(ASSAY_UNSUPPORTED, "unknown tensor");
    }
    if (actual.shape() != expected.shape()) throw assay::Error(ASSAY_INVALID_ARGUMENT, "shapes differ");
    values[0] = static_cast<double>(actual.numel()) * static_cast<double>(assay::dtype_size(actual.dtype()));
    available[0] = 1;
  }
};

const void* get_extension(const assay_instance*, const char* id) {
  static const void* const released = Equal::extension(ASSAY_EXT_COMPARISON);
  static const LaterComparison table = {grown<LaterComparison>(*static_cast<const assay_comparison*>(released)),
                                        [](const assay_instance*) { return assay_status{ASSAY_OK}; }};
  return std::strcmp(id, ASSAY_EXT_COMPARISON) == 0 ? &table : nullptr;
}

assay_status create(const assay_host* host, const char* config, assay_instance** out, assay_error* err) {
  if (host->struct_size >= sizeof(LaterHost)) reinterpret_cast<const LaterHost*>(host)->progress(host, 0);
  return assay::guard(err, [&] {
    const assay::Config checked(config);
    auto* const instance = new LaterInstance{};
    instance->released.struct_size = sizeof(LaterInstance);
    instance->released.impl = static_cast<assay::Comparison*>(new Equal({checked, assay::Log(host, "test.later")}));
    instance->released.destroy = [](assay_instance* self) {
      delete static_cast<assay::Comparison*>(self->impl);
      delete reinterpret_cast<LaterInstance*>(self);
    };
    instance->released.get_extension = get_extension;
    *out = &instance->released;
  });
}

const LaterComponent kComponent = {
    {sizeof(LaterComponent), 0, "test.later", ASSAY_KIND_COMPARISON, "1.0.0", "size in bytes", R"({"type": "object"})", create},
    "see the manual"};
const assay_component* const kComponents[] = {&kComponent.released};

#if defined(NEEDS_THE_FUNCTION)
constexpr std::uint32_t kMinor = ASSAY_ABI_MINOR + 1;
#else
constexpr std::uint32_t kMinor = 0;
#endif
const LaterPlugin kPlugin = {
    {sizeof(LaterPlugin), ASSAY_ABI_MAJOR, kMinor, 0, "test.later", "1.0.0", nullptr, nullptr, 1, kComponents}, "MIT"};

}  // namespace

extern "C" ASSAY_EXPORT const assay_plugin* ASSAY_CALL assay_plugin_entry(std::uint32_t host_abi_major) {
  return host_abi_major == ASSAY_ABI_MAJOR ? &kPlugin.released : nullptr;
}
