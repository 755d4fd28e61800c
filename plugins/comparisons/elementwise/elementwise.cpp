// The component "assay.elementwise": every metric of the engine behind the comparison interface.
#include "assay/sdk/comparison.hpp"
#include "engine.hpp"

namespace assay {
namespace {

constexpr const char* kSchema = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "metrics": {
      "description": "names of metrics or the groups assay, msprobe-mint, msprobe-torch; absent: assay and msprobe-mint",
      "type": "array",
      "minItems": 1,
      "items": {"type": "string"}
    },
    "atol": {
      "description": "absolute tolerance of rtol_to_pass; absent: the smallest normal number of the actual's dtype",
      "type": "number",
      "minimum": 0
    }
  }
})";

engine::EngineOptions options_of(const Config& config) {
  engine::EngineOptions options;
  if (config.json().HasMember("atol")) options.atol = config.get<double>("atol", 0.0);
  if (!config.json().HasMember("metrics")) return options;
  options.metrics.reset();
  for (const std::string& name : config.get<std::vector<std::string>>("metrics", {})) {
    const auto metrics = engine::metrics_by_name(name);
    if (!metrics) throw Error(ASSAY_INVALID_ARGUMENT, "configuration 'metrics' names '" + name + "', which is no metric or group");
    options.metrics |= *metrics;
  }
  return options;
}

class Elementwise final : public Comparison {
 public:
  explicit Elementwise(const Context& context) : engine_(options_of(context.config)) {}

  [[nodiscard]] const std::vector<const assay_metric_info*>& metrics() const override { return engine_.infos(); }

  void compare(const assay_pair& pair, double* values, std::uint8_t* available) const override {
    engine_.compare(pair, values, available);
  }

 private:
  engine::Engine engine_;
};

}  // namespace
}  // namespace assay

ASSAY_EXPORT_PLUGIN("assay.elementwise", "1.0.0",
                    ASSAY_COMPONENT(assay::Elementwise, "assay.elementwise", "1.0.0",
                                    "error, ulp, class and tolerance metrics of two tensors in one pass", assay::kSchema))
