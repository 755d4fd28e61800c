// Checks of adapters: what they say of themselves, what they refuse, and one call that most of them know.
#include "assay/abi/adapter.h"
#include "base/text.hpp"
#include "validator/calls.hpp"
#include "validator/check.hpp"
#include "validator/guarded.hpp"

namespace assay::validator {

namespace {

class Adapting {
 public:
  explicit Adapting(const Subject& subject)
      : live_(subject), instance_(live_.create()), table_(live_.table<assay_adapter>(*instance_, ASSAY_EXT_ADAPTER)) {}

  assay_adapter_info describe() {
    assay_adapter_info info{};
    info.struct_size = sizeof info;
    const assay_status status = call("describe", [&](assay_error* err) { return table_.describe(instance_.get(), &info, err); });
    require(status == ASSAY_OK, "describe gives " + status_text(status));
    return info;
  }
  assay_status supports(const std::string& api, std::int32_t direction = ASSAY_FORWARD) {
    return call("supports", [&](assay_error* err) { return table_.supports(instance_.get(), api.c_str(), direction, err); });
  }
  [[nodiscard]] Invoke invoke() const {
    return [this](const assay_call* call, assay_results* out, assay_error* err) {
      return table_.invoke(instance_.get(), call, out, err);
    };
  }
  /// A unary API on floats that most frameworks have, under one of its recorded names.
  std::string known_api() {
    for (const char* api : {"Torch.exp", "Mint.exp", "Functional.relu", "Tensor.exp", "Torch.neg", "Torch.square"}) {
      if (supports(api) == ASSAY_OK) return api;
    }
    skip("none of the APIs that the checks know is supported");
  }

 private:
  Live live_;
  std::shared_ptr<assay_instance> instance_;
  const assay_adapter& table_;
};

assay_value tensor_value(const GuardedTensor& tensor) {
  assay_value value{};
  value.kind = ASSAY_VALUE_TENSOR;
  value.as.tensor = &tensor.abi();
  return value;
}

void describes_itself(const Subject& subject) {
  Adapting adapting(subject);
  const assay_adapter_info info = adapting.describe();
  require(info.struct_size == sizeof info, "describe changes struct_size");
  require(info.framework != nullptr && *info.framework != '\0', "describe gives no framework");
  require(info.version != nullptr && *info.version != '\0', "describe gives no version");
  require(info.details != nullptr && std::string(info.details).find('\n') == std::string::npos,
          "describe gives no details of one line");
  require(info.device_count > 0 && info.devices != nullptr, "describe gives no device");
}

void refuses_unknown_apis(const Subject& subject) {
  Adapting adapting(subject);
  for (const char* api : {"Torch.no_such_function_anywhere", "", "Torch", "Torch.", ".", "\xff\xfe"}) {
    for (const std::int32_t direction : {ASSAY_FORWARD, ASSAY_BACKWARD}) {
      const assay_status status = adapting.supports(api, direction);
      require(status != ASSAY_OK, "supports accepts the unknown API '" + escape_control(api) + "'");
    }
  }
  require_unknown_api_is_refused(adapting.invoke());
}

void runs_a_known_api(const Subject& subject) {
  Adapting adapting(subject);
  const std::string api = adapting.known_api();
  const std::vector<std::int64_t> shape = {3, 4};
  const auto compact = GuardedTensor::input(kFloat32, shape, varied(kFloat32, 4));
  const CallOutcome first = invoke_once(adapting.invoke(), make_call(api.c_str(), {tensor_value(compact)}));
  require(first.status == ASSAY_OK, "'" + api + "' is supported and gives " + status_text(first.status) + ": " + first.message);
  require(first.outputs == 1, "'" + api + "' gives " + std::to_string(first.outputs) + " outputs, expected 1");
  require(invoke_once(adapting.invoke(), make_call(api.c_str(), {tensor_value(compact)})).values == first.values,
          "'" + api + "' gives other values the second time");
  for (const Layout layout : kLayouts) {
    const auto other = GuardedTensor::input(kFloat32, shape, varied(kFloat32, 4), layout);
    const CallOutcome outcome = invoke_once(adapting.invoke(), make_call(api.c_str(), {tensor_value(other)}));
    require(outcome.values == first.values, "'" + api + "' gives other values for an input that is " + layout_name(layout) + " (" +
                                                status_text(outcome.status) + ")");
  }
  for (const std::vector<std::int64_t>& odd : {std::vector<std::int64_t>{}, {0}, {3, 0, 2}}) {
    const auto tensor = GuardedTensor::input(kFloat32, odd, varied(kFloat32, 4));
    const CallOutcome outcome = invoke_once(adapting.invoke(), make_call(api.c_str(), {tensor_value(tensor)}));
    require(outcome.status == ASSAY_OK, "'" + api + "' of a tensor of shape " + format_shape(odd) + " gives " +
                                            status_text(outcome.status) + ": " + outcome.message);
  }
}

void refuses_arguments_that_fit_nothing(const Subject& subject) {
  Adapting adapting(subject);
  const std::string api = adapting.known_api();
  const auto tensor = GuardedTensor::input(kFloat32, {2}, varied(kFloat32, 1));
  assay_value text{};
  text.kind = ASSAY_VALUE_STRING;
  text.as.string = {"text", 4};
  const std::vector<assay_value> many(40, tensor_value(tensor));
  for (const std::vector<assay_value>& args : {std::vector<assay_value>{}, {text}, {text, text, text}, many}) {
    const CallOutcome outcome = invoke_once(adapting.invoke(), make_call(api.c_str(), args));
    require(outcome.status != ASSAY_OK, "'" + api + "' accepts " + std::to_string(args.size()) + " wrong arguments");
  }
  const CallOutcome after = invoke_once(adapting.invoke(), make_call(api.c_str(), {tensor_value(tensor)}));
  require(after.status == ASSAY_OK, "a right call after refused ones gives " + status_text(after.status) + ": " + after.message);
}

}  // namespace

std::vector<Check> adapter_checks() {
  return {
      {"adapter.describes-itself", 31, "adapter", "framework, version, details and devices are given", describes_itself},
      {"adapter.refuses-unknown-apis", 32, "adapter", "an API that doesn't exist is refused with a reason", refuses_unknown_apis},
      {"adapter.runs-a-known-api", 33, "adapter", "a call repeats itself, accepts every layout and leaves its inputs alone",
       runs_a_known_api},
      {"adapter.refuses-arguments-that-fit-nothing", 34, "adapter", "wrong arguments are refused and don't harm the next call",
       refuses_arguments_that_fit_nothing}};
}

}  // namespace assay::validator
