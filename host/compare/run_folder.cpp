#include "compare/run_folder.hpp"

#include <rapidjson/document.h>

#include <array>

#include "base/text.hpp"
#include "config/json.hpp"
#include "report/stored_run.hpp"

namespace assay {

namespace {

/// What belongs to a run and not to its setting.
constexpr std::array<const char*, 5> kNotSettings = {"/command", "/seconds", "/counts", "/metrics", "/skipped_keys"};
constexpr std::size_t kMaxTextShown = 120;

void flatten(const rapidjson::Value& value, const std::string& pointer, std::map<std::string, std::string>& out) {
  for (const char* prefix : kNotSettings) {
    if (pointer == prefix) return;
  }
  if (value.IsObject()) {
    for (const auto& member : value.GetObject()) {
      flatten(member.value, pointer_below(pointer, {member.name.GetString(), member.name.GetStringLength()}), out);
    }
  } else if (value.IsString()) {
    out[pointer] = std::string(value.GetString(), value.GetStringLength());
  } else {
    out[pointer] = json_text(value);
  }
}

void add_direction(ResultSet& set, const ApiResult& api, const DirectionResult& result, bool backward) {
  if (result.verdict == Verdict::kNone) return;
  DirectionEntry& entry = set.add(api.stem, backward);
  entry.outputs.clear();
  entry.verdict = result.verdict;
  entry.message = result.message;
  for (const OutputRow& row : result.outputs) {
    const std::optional<OutputName> name = parse_output_name(row.name);
    OutputEntry& output = entry.outputs.emplace_back();
    output.output = name ? std::string(name->output) : row.name;
    output.verdict = row.verdict;
    output.dtype = row.actual.dtype;
    output.message = row.message;
    output.metrics = row.metrics;
  }
}

std::string shown(const std::map<std::string, std::string>& settings, const std::string& key) {
  const auto found = settings.find(key);
  if (found == settings.end()) return "none";
  return found->second.size() > kMaxTextShown ? found->second.substr(0, kMaxTextShown) + "..." : found->second;
}

}  // namespace

Result<RunFolder> RunFolder::read(const std::filesystem::path& folder) {
  const Result<StoredRun> run = load_run(folder);
  if (!run) return run.failure();
  const Result<rapidjson::Document> json = load_json(folder / "run.json");
  if (!json) return json.failure();
  RunFolder out;
  flatten(*json, "", out.settings);
  out.results = ResultSet(folder.string(), run->info.metric_names);
  if (!run->summary.complete) out.results.notes.add("the run did not end: its results are a part");
  Status walked = for_each_result(folder, [&](const ApiResult& result) -> Status {
    if (out.results.find(result.stem, false) != nullptr || out.results.find(result.stem, true) != nullptr) {
      out.results.notes.add("'" + escape_control(result.stem) + "' is there twice; the later result counts");
    }
    add_direction(out.results, result, result.forward, false);
    add_direction(out.results, result, result.backward, true);
    return Done{};
  });
  if (!walked) return walked.failure();
  return out;
}

std::vector<SettingDifference> setting_differences(const RunFolder& tested, const RunFolder& baseline) {
  std::map<std::string, std::string> keys = tested.settings;
  keys.insert(baseline.settings.begin(), baseline.settings.end());
  std::vector<SettingDifference> out;
  for (const auto& [key, ignored] : keys) {
    const auto left = tested.settings.find(key);
    const auto right = baseline.settings.find(key);
    const bool same = left != tested.settings.end() && right != baseline.settings.end() && left->second == right->second;
    if (!same) out.push_back({key.substr(1), shown(tested.settings, key), shown(baseline.settings, key)});
  }
  return out;
}

}  // namespace assay
