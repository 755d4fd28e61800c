#include "report/merge.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <string_view>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pipeline/call_plan.hpp"
#include "pipeline/result_json.hpp"
#include "report/run_journal.hpp"

namespace assay {

namespace {

namespace fs = std::filesystem;

/// The results of one part, one at a time.
class PartReader {
 public:
  static Result<PartReader> open(const fs::path& folder) {
    PartReader reader;
    reader.path_ = folder / "results.jsonl";
    Result<MappedFile> file = MappedFile::open(reader.path_);
    if (!file) return file.failure();
    reader.file_ = std::move(*file);
    return reader;
  }

  /// Absent at the end. errors  kInput: a faulty line, or one out of order
  Result<std::optional<ApiResult>> next() {
    const std::string_view rest = reader_text();
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return std::optional<ApiResult>();
    ++line_;
    Result<ApiResult> result = result_from_json(rest.substr(0, end));
    if (!result) return input_failure(path_.string() + ":" + std::to_string(line_) + ": " + result.failure().message);
    if (line_ > 1 && result->position <= last_) {
      return input_failure("merge '" + path_.string() + "': line " + std::to_string(line_) + " is out of order");
    }
    last_ = result->position;
    start_ += end + 1;
    // What was read is let go, or a thousand mapped parts would add up to all rows.
    if (start_ - forgotten_ > kWindow) {
      file_.forget();
      forgotten_ = start_;
    }
    return std::optional<ApiResult>(std::move(*result));
  }

 private:
  static constexpr std::size_t kWindow = std::size_t{32} << 10;

  [[nodiscard]] std::string_view reader_text() const { return file_.text().substr(start_); }

  fs::path path_;
  MappedFile file_;
  std::size_t start_ = 0;
  std::size_t forgotten_ = 0;
  std::size_t line_ = 0;
  std::size_t last_ = 0;
};

/// What every part of a run has in common.
RunInfo whole(RunInfo info) {
  info.shard.clear();
  info.api_count = 0;
  return info;
}

Failure not_mergeable(const fs::path& folder, const std::string& why) {
  return input_failure("merge '" + folder.string() + "': " + why);
}

}  // namespace

Result<ShardedRun> ShardedRun::open(const std::vector<fs::path>& folders) {
  ShardedRun run;
  std::map<unsigned, fs::path> parts;
  unsigned count = 0;
  for (const fs::path& folder : folders) {
    Result<StoredRun> stored = load_run(folder);
    if (!stored) return stored.failure();
    if (!stored->summary.complete) return not_mergeable(folder, "the run isn't finished; go on with it (--resume)");
    if (stored->info.shard.empty() && folders.size() > 1) {
      return not_mergeable(folder, "the run is no shard (assay check --shard K/N)");
    }
    Result<Shard> shard = stored->info.shard.empty() ? Shard{} : parse_shard(stored->info.shard);
    if (!shard) return shard.failure();
    const RunInfo common = whole(stored->info);
    if (parts.empty()) {
      run.info_ = common;
      count = shard->count;
    } else if (const auto differences = run_differences(whole(run.info_), common); !differences.empty()) {
      return not_mergeable(folder,
                           "another run than '" + folders.front().string() + "': " + escape_control(join(differences, "; ")));
    } else if (shard->count != count) {
      return not_mergeable(folder, "shard " + shard->text() + " beside one of " + std::to_string(count));
    }
    const auto [first, added] = parts.emplace(shard->number, folder);
    if (!added) return not_mergeable(folder, "shard " + shard->text() + " is in '" + first->second.string() + "' too");
    run.folders_.push_back(folder);
    run.info_.api_count += stored->info.api_count;
    run.seconds_ += stored->summary.seconds;
  }
  std::vector<std::string> missing;
  for (unsigned number = 1; number <= count; ++number) {
    if (parts.count(number) == 0) missing.push_back(std::to_string(number) + "/" + std::to_string(count));
  }
  const std::size_t more = missing.size() > 10 ? missing.size() - 10 : 0;
  if (more != 0) missing.resize(10);
  if (!missing.empty()) {
    return input_failure("merge the runs of '" + escape_control(run.info_.dump_path) + "': these shards are missing: " +
                         join(missing, ", ") + (more == 0 ? "" : " and " + std::to_string(more) + " more"));
  }
  return run;
}

Result<RunSummary> ShardedRun::write(const std::vector<std::unique_ptr<ResultSink>>& sinks) const {
  struct Head {
    ApiResult result;
    std::size_t part;
  };
  const auto later = [](const Head& left, const Head& right) { return left.result.position > right.result.position; };
  std::priority_queue<Head, std::vector<Head>, decltype(later)> heads(later);
  std::vector<PartReader> readers;
  const auto advance = [&](std::size_t part) -> Status {
    Result<std::optional<ApiResult>> next = readers[part].next();
    if (!next) return next.failure();
    if (*next) heads.push({std::move(**next), part});
    return Done{};
  };
  for (const fs::path& folder : folders_) {
    Result<PartReader> reader = PartReader::open(folder);
    if (!reader) return reader.failure();
    readers.push_back(std::move(*reader));
    if (Status s = advance(readers.size() - 1); !s) return s.failure();
  }
  for (const auto& sink : sinks) {
    if (Status s = sink->begin(info_); !s) return s.failure();
  }
  RunSummary summary;
  summary.seconds = seconds_;
  summary.complete = true;
  std::optional<std::size_t> last;
  while (!heads.empty()) {
    const Head head = heads.top();
    heads.pop();
    if (last == head.result.position) {
      return not_mergeable(folders_[head.part], "'" + escape_control(head.result.stem) + "' is in another shard too");
    }
    last = head.result.position;
    summary.counts.add(head.result);
    for (const auto& sink : sinks) {
      if (Status s = sink->add(head.result); !s) return s.failure();
    }
    if (Status s = advance(head.part); !s) return s.failure();
  }
  if (summary.counts.apis != info_.api_count) {
    return input_failure("merge: the shards hold " + std::to_string(summary.counts.apis) + " results of " +
                         std::to_string(info_.api_count) + " calls; a results.jsonl was cut");
  }
  for (const auto& sink : sinks) {
    if (Status s = sink->finish(summary); !s) return s.failure();
  }
  return summary;
}

}  // namespace assay
