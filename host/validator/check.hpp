// One check of the conformance validator, and what it is run on.
//
//   void schema_is_valid(const Subject& subject) {
//     require(subject.component().config_schema != nullptr, "config_schema is NULL");
//   }
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "loader/library.hpp"
#include "loader/registry.hpp"

namespace assay::validator {

enum class Outcome { kPassed, kFailed, kCrashed, kSkipped, kWarning };

/// How a check ends when it doesn't pass: thrown from its depths, caught by the runner.
struct Verdict {
  Outcome outcome;
  std::string message;
};

inline void require(bool holds, const std::string& message) {
  if (!holds) throw Verdict{Outcome::kFailed, message};
}
[[noreturn]] inline void skip(const std::string& reason) { throw Verdict{Outcome::kSkipped, reason}; }
[[noreturn]] inline void warn(const std::string& message) { throw Verdict{Outcome::kWarning, message}; }

/// What is validated: a plugin, or one of its components.
struct Subject {
  PluginManifest manifest;
  ComponentEntry component;  ///< empty for checks of the plugin as a whole
  std::string config_json = "{}";
};

struct Check {
  const char* id;        ///< "comparison.accepts-every-layout"
  int rule;              ///< of docs/plugin-rules.md: ASSAY-PLUGIN-<rule>
  const char* kind;      ///< component kind it applies to; "plugin": once for the plugin; "component": every component
  const char* sentence;  ///< what is true when it passes
  std::function<void(const Subject&)> run;
};

/// Every check, in the order of the rules.
const std::vector<Check>& all_checks();

std::vector<Check> plugin_checks();
std::vector<Check> component_checks();
std::vector<Check> comparison_checks();
std::vector<Check> perturbation_checks();
std::vector<Check> adapter_checks();
std::vector<Check> operator_checks();

/// A loaded plugin with a way to its component and to instances, for the length of one check.
class Live {
 public:
  /// Ends the check as failed if the plugin doesn't load.
  explicit Live(const Subject& subject);

  [[nodiscard]] const assay_component& component() const { return *component_; }
  [[nodiscard]] const assay_plugin& plugin() const { return *plugin_->descriptor(); }
  /// Ends the check as skipped if the component says that its device or framework is missing, as failed on any other error.
  [[nodiscard]] std::shared_ptr<assay_instance> create() const;
  /// The capability's table of an instance, with stubs for what it leaves out.
  template <class Table>
  [[nodiscard]] const Table& table(const assay_instance& instance, const char* extension) {
    return *static_cast<const Table*>(completed(instance, extension));
  }

 private:
  [[nodiscard]] const void* completed(const assay_instance& instance, const char* extension);

  std::string config_json_;
  std::shared_ptr<LoadedPlugin> plugin_;
  const assay_component* component_ = nullptr;
  std::vector<std::vector<std::uint64_t>> tables_;
};

/// Runs a call into the plugin that gives a status; an exception or a status outside of the ABI ends the check as failed.
/// `message`, if given, receives the error's text, which must be there for every status but ASSAY_OK.
assay_status call(const std::string& what, const std::function<assay_status(assay_error*)>& body, std::string* message = nullptr);

}  // namespace assay::validator
