// Checks of operator plugins: their names, and calls that no operator can make sense of.
#include <set>

#include "assay/abi/operator.h"
#include "validator/calls.hpp"
#include "validator/check.hpp"

namespace assay::validator {

namespace {

class Operating {
 public:
  explicit Operating(const Subject& subject)
      : live_(subject), instance_(live_.create()), table_(live_.table<assay_operator>(*instance_, ASSAY_EXT_OPERATOR)) {}

  std::vector<std::string> apis() {
    std::uint64_t count = 0;
    const char* const* names = table_.apis(instance_.get(), &count);
    require(count > 0 && names != nullptr, "apis gives no name");
    for (std::uint64_t i = 0; i < count; ++i) require(names[i] != nullptr && *names[i] != '\0', "apis gives an empty name");
    return {names, names + count};
  }
  [[nodiscard]] Invoke invoke() const {
    return [this](const assay_call* call, assay_results* out, assay_error* err) {
      return table_.invoke(instance_.get(), call, out, err);
    };
  }

 private:
  Live live_;
  std::shared_ptr<assay_instance> instance_;
  const assay_operator& table_;
};

void names_its_apis(const Subject& subject) {
  Operating operating(subject);
  std::set<std::string> seen;
  for (const std::string& api : operating.apis()) {
    require(api.find('.') != std::string::npos, "'" + api + "' is no recorded name (Type.name)");
    require(seen.insert(api).second, "'" + api + "' is there twice");
  }
}

void refuses_unknown_apis(const Subject& subject) {
  const Operating operating(subject);
  require_unknown_api_is_refused(operating.invoke());
}

void refuses_senseless_calls(const Subject& subject) {
  Operating operating(subject);
  assay_value text{};
  text.kind = ASSAY_VALUE_STRING;
  text.as.string = {"text", 4};
  for (const std::string& api : operating.apis()) {
    for (const std::int32_t direction : {ASSAY_FORWARD, ASSAY_BACKWARD}) {
      for (const std::vector<assay_value>& args : {std::vector<assay_value>{}, {text}, std::vector<assay_value>(40, text)}) {
        const CallOutcome outcome = invoke_once(operating.invoke(), make_call(api.c_str(), args, direction));
        require(outcome.status != ASSAY_OK, "'" + api + "' accepts " + std::to_string(args.size()) + " wrong arguments");
      }
    }
  }
}

}  // namespace

std::vector<Check> operator_checks() {
  return {{"operator.names-its-apis", 35, "operator", "the APIs are named as recorded, each once", names_its_apis},
          {"operator.refuses-unknown-apis", 36, "operator", "an API that it doesn't implement is refused with a reason",
           refuses_unknown_apis},
          {"operator.refuses-senseless-calls", 37, "operator", "wrong arguments are refused, forward and backward",
           refuses_senseless_calls}};
}

}  // namespace assay::validator
