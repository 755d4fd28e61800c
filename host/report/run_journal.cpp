#include "report/run_journal.hpp"

#include <rapidjson/document.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "config/json.hpp"
#include "report/run_json.hpp"
#include "report/stored_run.hpp"

namespace assay {

namespace {

using Json = rapidjson::Value;

constexpr const char* kFileName = "journal.jsonl";

void compare(std::vector<std::string>& out, const std::string& what, const std::string& before, const std::string& now) {
  if (before != now) out.push_back(what + " was " + (before.empty() ? "none" : before) + " and is " + (now.empty() ? "none" : now));
}

void compare_sides(std::vector<std::string>& out, const std::string& what, const SideInfo& before, const SideInfo& now) {
  compare(out, what, before.source, now.source);
  compare(out, what + " framework", before.framework + " " + before.version, now.framework + " " + now.version);
  compare(out, what + " precision", before.precision, now.precision);
}

void compare_json(std::vector<std::string>& out, const std::string& pointer, const Json& before, const Json& now) {
  if (before.IsObject() && now.IsObject()) {
    for (const auto& member : before.GetObject()) {
      const std::string below = pointer_below(pointer, member.name.GetString());
      const auto found = now.FindMember(member.name);
      static const Json kAbsent;
      compare_json(out, below, member.value, found == now.MemberEnd() ? kAbsent : found->value);
    }
    for (const auto& member : now.GetObject()) {
      if (before.HasMember(member.name)) continue;
      out.push_back("configuration " + pointer_below(pointer, member.name.GetString()) + " was absent and is " +
                    json_excerpt(member.value));
    }
  } else if (before != now) {
    out.push_back("configuration " + pointer + " was " + json_excerpt(before) + " and is " +
                  (now.IsNull() ? "absent" : json_excerpt(now)));
  }
}

/// Without what changes no result.
void drop_incidental(Json& config) {
  if (!config.IsObject()) return;
  config.RemoveMember("description");
  config.RemoveMember("threads");
}

std::string make_header(const RunInfo& info, const std::string& timestamp) {
  rapidjson::Document header(rapidjson::kObjectType);
  rapidjson::Document run(&header.GetAllocator());
  run.Parse(run_to_json(info, nullptr).c_str());
  header.AddMember("timestamp", Json(timestamp, header.GetAllocator()), header.GetAllocator());
  header.AddMember("run", run, header.GetAllocator());
  return json_text(header);
}

Failure other_run(const std::filesystem::path& folder, const std::vector<std::string>& differences) {
  return input_failure("resume '" + folder.string() + "': it holds another run: " + escape_control(join(differences, "; ")) +
                       "; choose another folder");
}

/// The counts of a run that was finished. Absent: it was not.
Result<std::optional<VerdictCounts>> finished_run(const std::filesystem::path& folder, const RunInfo& info) {
  std::error_code error;
  if (!std::filesystem::exists(folder / "run.json", error)) return std::optional<VerdictCounts>();
  Result<StoredRun> stored = load_run(folder);
  if (!stored) return stored.failure();
  if (!stored->summary.complete) return std::optional<VerdictCounts>();
  if (const auto differences = run_differences(stored->info, info); !differences.empty()) return other_run(folder, differences);
  VerdictCounts counts;
  Status walked = for_each_result(folder, [&](const ApiResult& result) {
    counts.add(result);
    return Status(Done{});
  });
  if (!walked) return walked.failure();
  return std::optional<VerdictCounts>(counts);
}

}  // namespace

std::vector<std::string> run_differences(const RunInfo& before, const RunInfo& now) {
  std::vector<std::string> out;
  compare(out, "assay", before.assay_version, now.assay_version);
  compare(out, "crc32 of dump.json", before.dump_fingerprint, now.dump_fingerprint);
  compare_sides(out, "target", before.target, now.target);
  compare_sides(out, "reference", before.reference, now.reference);
  compare(out, "shard", before.shard, now.shard);
  Result<rapidjson::Document> first = parse_json(before.config_json, "the configuration");
  Result<rapidjson::Document> second = parse_json(now.config_json, "the configuration");
  if (first && second) {
    drop_incidental(*first);
    drop_incidental(*second);
    compare_json(out, "", *first, *second);
  }
  if (out.empty()) {
    compare(out, "the standard", before.standard, now.standard);
    compare(out, "the list of metrics", join(before.metric_names, " "), join(now.metric_names, " "));
    compare(out, "the number of calls", std::to_string(before.api_count), std::to_string(now.api_count));
  }
  return out;
}

Result<RunJournal> open_run_journal(const std::filesystem::path& folder, bool resume, const RunInfo& info,
                                    const std::string& timestamp) {
  if (folder.empty()) {
    Result<Journal> journal = Journal::temporary();
    if (!journal) return journal.failure();
    if (Status s = journal->begin(make_header(info, timestamp)); !s) return s.failure();
    return RunJournal{std::move(*journal), timestamp, {}};
  }
  const std::filesystem::path path = folder / kFileName;
  std::error_code error;
  if (resume && !std::filesystem::exists(path, error)) {
    Result<std::optional<VerdictCounts>> finished = finished_run(folder, info);
    if (!finished) return finished.failure();
    if (*finished) {
      Result<Journal> nothing = Journal::temporary();
      if (!nothing) return nothing.failure();
      return RunJournal{std::move(*nothing), timestamp, *finished};
    }
  }
  Result<Journal> journal = Journal::open(path);
  if (!journal) return journal.failure();
  if (journal->size() == 0) {
    if (resume) log("run")->info("'{}' holds nothing to resume; starting from the beginning", folder.string());
    if (Status s = journal->begin(make_header(info, timestamp)); !s) return s.failure();
    return RunJournal{std::move(*journal), timestamp, {}};
  }
  if (!resume) {
    return input_failure("use folder '" + folder.string() + "': it holds an unfinished run of " + std::to_string(journal->size()) +
                         " calls; continue it with --resume, choose another folder, or remove " + kFileName + " in it");
  }
  if (journal->repaired_bytes() != 0) {
    log("run")->warn("'{}': {} bytes at the end were torn and are dropped; their calls are done again", path.string(),
                     journal->repaired_bytes());
  }
  Result<rapidjson::Document> header = parse_json(journal->header(), path.string());
  if (!header) return header.failure();
  if (!header->IsObject() || !header->HasMember("run") || !header->HasMember("timestamp") || !(*header)["timestamp"].IsString()) {
    return input_failure("resume '" + folder.string() + "': " + kFileName + " doesn't say what the run is");
  }
  Result<StoredRun> stored = run_from_json((*header)["run"], path.string());
  if (!stored) return stored.failure();
  if (const auto differences = run_differences(stored->info, info); !differences.empty()) return other_run(folder, differences);
  log("run")->info("{} of {} calls were done before", journal->size(), info.api_count);
  return RunJournal{std::move(*journal), (*header)["timestamp"].GetString(), {}};
}

}  // namespace assay
