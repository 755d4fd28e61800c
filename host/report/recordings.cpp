#include "report/recordings.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "report/run_journal.hpp"
#include "report/stored_run.hpp"

namespace assay {

namespace {

namespace fs = std::filesystem;

/// Deep enough for parts/<recording>/<shard>.
constexpr int kDepth = 4;

/// Adds the run folders at and below `folder`, in the order of their names; links are not followed.
void find_runs(const fs::path& folder, int depth, std::vector<fs::path>& found) {
  std::error_code error;
  if (fs::is_regular_file(folder / "run.json", error)) {
    found.push_back(folder);
    return;
  }
  if (depth == 0) return;
  std::vector<fs::path> below;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (!it->is_symlink(ignored) && it->is_directory(ignored)) below.push_back(it->path());
  }
  std::sort(below.begin(), below.end());
  for (const fs::path& path : below) find_runs(path, depth - 1, found);
}

/// Without what may differ between the recordings of a job.
RunInfo settings(RunInfo info) {
  info.dump_fingerprint.clear();
  info.shard.clear();
  info.api_count = 0;
  return info;
}

using Parts = std::vector<std::string>;

Parts parts_of(const std::string& dump_path) {
  const fs::path path = fs::absolute(dump_path).lexically_normal().relative_path();
  Parts parts;
  std::transform(path.begin(), path.end(), std::back_inserter(parts), [](const fs::path& part) { return part.string(); });
  return parts;
}

/// Numbers in names count as numbers.
bool before(const std::string& left, const std::string& right) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, k = 0;
  while (i < left.size() && k < right.size()) {
    if (is_digit(left[i]) && is_digit(right[k])) {
      const auto number = [&](const std::string& text, std::size_t& at) {
        while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
        const std::size_t start = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(start, at - start);
      };
      const std::string first = number(left, i), second = number(right, k);
      if (first.size() != second.size()) return first.size() < second.size();
      if (first != second) return first < second;
      continue;
    }
    if (left[i] != right[k]) return left[i] < right[k];
    ++i, ++k;
  }
  return std::pair(left.size() - i, left) < std::pair(right.size() - k, right);
}

/// What tells the paths apart, without what all begin and end with.
std::vector<std::string> short_names(const std::vector<Parts>& paths) {
  if (paths.size() < 2) return std::vector<std::string>(paths.size());
  std::size_t shortest = paths.front().size();
  for (const Parts& path : paths) shortest = std::min(shortest, path.size());
  const auto alike = [&paths](const auto& part_of) {
    return std::all_of(paths.begin(), paths.end(), [&](const Parts& path) { return part_of(path) == part_of(paths.front()); });
  };
  std::size_t tail = 0;
  while (tail + 1 < shortest && alike([&](const Parts& path) { return path[path.size() - 1 - tail]; })) ++tail;
  std::size_t head = 0;
  while (head + tail + 1 < shortest && alike([&](const Parts& path) { return path[head]; })) ++head;
  std::vector<std::string> names;
  for (const Parts& path : paths)
    names.push_back(
        join(Parts(path.begin() + static_cast<std::ptrdiff_t>(head), path.end() - static_cast<std::ptrdiff_t>(tail)), "/"));
  return names;
}

}  // namespace

Result<std::vector<RecordingRuns>> find_recordings(const std::vector<fs::path>& folders) {
  std::map<Parts, std::vector<fs::path>> by_path;
  std::optional<RunInfo> first;
  fs::path first_folder;
  for (const fs::path& folder : folders) {
    std::vector<fs::path> runs;
    find_runs(folder, kDepth, runs);
    if (runs.empty()) return input_failure("merge '" + folder.string() + "': holds no run.json, and nor does a folder below it");
    for (const fs::path& run : runs) {
      Result<StoredRun> stored = load_run(run);
      if (!stored) return stored.failure();
      by_path[parts_of(stored->info.dump_path)].push_back(run);
      if (!first) {
        first = settings(std::move(stored->info));
        first_folder = run;
      } else if (const auto differences = run_differences(*first, settings(std::move(stored->info))); !differences.empty()) {
        return input_failure("merge '" + run.string() + "': another run than '" + first_folder.string() +
                             "': " + escape_control(join(differences, "; ")));
      }
    }
  }
  std::vector<Parts> paths;
  for (const auto& [path, runs] : by_path) paths.push_back(path);
  const std::vector<std::string> names = short_names(paths);
  std::vector<RecordingRuns> recordings;
  for (std::size_t i = 0; i < paths.size(); ++i) recordings.push_back({names[i], std::move(by_path[paths[i]])});
  std::sort(recordings.begin(), recordings.end(),
            [](const auto& left, const auto& right) { return before(left.name, right.name); });
  return recordings;
}

}  // namespace assay
