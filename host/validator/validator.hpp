// The conformance validator: runs every check that fits a plugin, each in a process of its own, and reports what it found.
//
//   ValidatorOptions options;
//   options.plugins = {"build/lib/assay/plugins/add-noise"};
//   Result<ValidationReport> report = validate_plugins(options);
//   std::cout << validation_text(*report, false);
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

enum class CheckStatus { kPassed, kFailed, kCrashed, kSkipped, kWarning };

struct ValidatorOptions {
  std::vector<std::filesystem::path> plugins;  ///< manifests, their folders, or the libraries beside them
  std::string include;                         ///< regular expression over check ids; empty: all
  std::string exclude;                         ///< regular expression over check ids; empty: none
  std::string config_json = "{}";              ///< configuration of the components
  bool in_process = false;                     ///< for a debugger: a crash then ends the validator
  unsigned jobs = 1;                           ///< checks that run at the same time
  std::chrono::seconds timeout{120};           ///< of one check
};

struct CheckResult {
  std::string plugin;     ///< id; the path if the manifest can't be read
  std::string component;  ///< id; empty for checks of the whole plugin
  std::string check;      ///< "comparison.accepts-every-layout"
  std::string rule;       ///< "ASSAY-PLUGIN-18", of docs/plugin-rules.md
  std::string sentence;   ///< what is true when the check passes
  CheckStatus status = CheckStatus::kPassed;
  std::string message;  ///< why it didn't pass
  double seconds = 0;
};

struct ValidationReport {
  std::vector<CheckResult> results;
  [[nodiscard]] std::size_t count(CheckStatus status) const;
  /// No check failed or crashed, and one at least passed.
  [[nodiscard]] bool conforms() const;
};

/// errors  kInput: no plugin given, a wrong regular expression, no check selected
Result<ValidationReport> validate_plugins(const ValidatorOptions& options);

/// A line for each check and a closing line of counts.
std::string validation_text(const ValidationReport& report, bool only_failed);
std::string validation_json(const ValidationReport& report);

}  // namespace assay
