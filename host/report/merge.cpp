#include "report/merge.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string_view>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pipeline/call_plan.hpp"
#include "pipeline/result_json.hpp"
#include "report/run_journal.hpp"

namespace assay {

namespace {

namespace fs = std::filesystem;

/// The results of one part, one at a time. A piece of its file is in memory: the pages of a thousand mapped parts would add up to
/// more, and so many open files are not allowed to every process.
class PartReader {
 public:
  explicit PartReader(const fs::path& folder) : path_(folder / "results.jsonl") {}

  /// Absent at the end. errors  kInput: the file can't be read, a faulty line, or one out of order
  Result<std::optional<ApiResult>> next() {
    std::size_t end = text_.find('\n', start_);
    while (end == std::string::npos) {
      const std::size_t seen = text_.size() - start_;
      Result<bool> more = read_more();
      if (!more) return more.failure();
      if (!*more) return std::optional<ApiResult>();
      end = text_.find('\n', seen);
    }
    ++line_;
    Result<ApiResult> result = result_from_json(std::string_view(text_).substr(start_, end - start_));
    if (!result) return input_failure(path_.string() + ":" + std::to_string(line_) + ": " + result.failure().message);
    if (line_ > 1 && result->position <= last_) {
      return input_failure("merge '" + path_.string() + "': line " + std::to_string(line_) + " is out of order");
    }
    last_ = result->position;
    start_ = end + 1;
    return std::optional<ApiResult>(std::move(*result));
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{8} << 10;

  /// Drops what was used and adds a piece; false at the end of the file.
  Result<bool> read_more() {
    text_.erase(0, std::exchange(start_, 0));
    Result<std::size_t> added = append_piece(path_, offset_, kPiece, text_);
    if (!added) return added.failure();
    offset_ += *added;
    return *added != 0;
  }

  fs::path path_;
  std::string text_;
  std::size_t start_ = 0;     ///< of the next line in it
  std::uint64_t offset_ = 0;  ///< of what follows in the file
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
  struct Part {
    PartReader reader;
    ApiResult head;
  };
  std::vector<Part> parts;
  /// (position, number of the part), the lowest position on top: heads themselves would be moved about.
  using Place = std::pair<std::size_t, std::size_t>;
  std::priority_queue<Place, std::vector<Place>, std::greater<>> places;
  const auto advance = [&](std::size_t number) -> Status {
    Result<std::optional<ApiResult>> next = parts[number].reader.next();
    if (!next) return next.failure();
    if (!*next) return Done{};
    parts[number].head = std::move(**next);
    places.emplace(parts[number].head.position, number);
    return Done{};
  };
  for (const fs::path& folder : folders_) {
    parts.push_back({PartReader(folder), {}});
    if (Status s = advance(parts.size() - 1); !s) return s.failure();
  }
  for (const auto& sink : sinks) {
    if (Status s = sink->begin(info_); !s) return s.failure();
  }
  RunSummary summary;
  summary.seconds = seconds_;
  summary.complete = true;
  std::optional<std::size_t> last;
  while (!places.empty()) {
    const auto [position, number] = places.top();
    places.pop();
    const ApiResult& head = parts[number].head;
    if (last == position) {
      return not_mergeable(folders_[number], "'" + escape_control(head.stem) + "' is in another shard too");
    }
    last = position;
    summary.counts.add(head);
    for (const auto& sink : sinks) {
      if (Status s = sink->add(head); !s) return s.failure();
    }
    if (Status s = advance(number); !s) return s.failure();
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
