// A folder that `assay check --out` wrote: results.jsonl and run.json.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compare/comparison.hpp"
#include "compare/result_set.hpp"

namespace assay {

struct RunFolder {
  ResultSet results;
  std::map<std::string, std::string> settings;  ///< run.json, flattened: "/target/version" -> "1.13.1"

  /// errors  those of load_run and for_each_result
  static Result<RunFolder> read(const std::filesystem::path& folder);
};

/// What is different in versions, configuration and dump.
std::vector<SettingDifference> setting_differences(const RunFolder& tested, const RunFolder& baseline);

}  // namespace assay
