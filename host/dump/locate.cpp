#include "dump/locate.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/text.hpp"

namespace assay {

namespace {

namespace fs = std::filesystem;

/// Folders named `prefix` and a number, by their number; a bare `rank` (a run on one card) counts as 0.
std::map<int, fs::path> numbered_folders(const fs::path& folder, std::string_view prefix) {
  std::map<int, fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    const char* const begin = name.data() + prefix.size();
    const char* const stop = name.data() + name.size();
    int number = 0;
    const auto parsed = std::from_chars(begin, stop, number);
    const bool bare = begin == stop && prefix == "rank";
    if (!bare && (parsed.ec != std::errc() || parsed.ptr != stop || number < 0)) continue;
    std::error_code ignored;
    if (it->is_directory(ignored)) found.emplace(number, it->path());
  }
  return found;
}

Result<fs::path> choose(const fs::path& folder, const std::map<int, fs::path>& found, std::string_view what,
                        std::optional<int> wanted) {
  std::vector<std::string> numbers;
  for (const auto& [number, path] : found) numbers.push_back(std::to_string(number));
  const std::string there = "'" + folder.string() + "' has " + std::string(what) + " " + join(numbers, ", ");
  if (!wanted && found.size() == 1) return found.begin()->second;
  if (!wanted) return input_failure(there + "; choose one with --" + std::string(what));
  const auto chosen = found.find(*wanted);
  if (chosen == found.end()) return input_failure("no " + std::string(what) + " " + std::to_string(*wanted) + ": " + there);
  return chosen->second;
}

bool is_inside(const fs::path& folder, const fs::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

Result<fs::path> locate_json(const fs::path& path, const DumpOptions& options) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return input_failure("read '" + path.string() + "': no such file or folder");
  fs::path folder = path;
  if (fs::is_directory(status)) {
    const auto descend = [&folder](std::string_view what, std::optional<int> wanted) -> Result<bool> {
      const std::map<int, fs::path> found = numbered_folders(folder, what);
      if (found.empty()) return false;
      Result<fs::path> chosen = choose(folder, found, what, wanted);
      if (!chosen) return chosen.failure();
      folder = *chosen;
      return true;
    };
    bool step_used = false;
    bool rank_used = false;
    if (!fs::exists(folder / "dump.json", error)) {
      Result<bool> step = descend("step", options.step);
      if (!step) return step.failure();
      step_used = *step;
      Result<bool> rank = descend("rank", options.rank);
      if (!rank) return rank.failure();
      rank_used = *rank;
      if (!fs::exists(folder / "dump.json", error)) {
        return input_failure("read '" + folder.string() + "': holds no dump.json and no step*/rank*/ with one");
      }
    }
    if (options.step && !step_used)
      return input_failure("no step " + std::to_string(*options.step) + ": '" + path.string() + "' has no step*/");
    if (options.rank && !rank_used)
      return input_failure("no rank " + std::to_string(*options.rank) + ": '" + path.string() + "' has no rank*/");
    return folder / "dump.json";
  }
  if (options.step || options.rank) return input_failure("'" + path.string() + "' is one dump; leave out --step and --rank");
  return path;
}

fs::path locate_tensor_dir(const fs::path& json_path, const std::string& recorded) {
  const fs::path home = json_path.has_parent_path() ? json_path.parent_path() : fs::path(".");
  if (!recorded.empty()) {
    const fs::path given(recorded);
    fs::path folder = given.is_absolute() ? given : home / given;
    std::error_code error;
    if (fs::is_directory(folder, error)) return folder;
  }
  return home / "dump_tensor_data";
}

Result<fs::path> locate_tensor_file(const fs::path& folder, const std::string& name) {
  const std::string subject = "read tensor '" + escape_control(name) + "': ";
  const fs::path relative(name);
  if (relative.is_absolute())
    return input_failure(subject + "the name is an absolute path, expected one inside the dump's tensor folder");
  if (name.find('\0') != std::string::npos || std::find(relative.begin(), relative.end(), "..") != relative.end()) {
    return input_failure(subject + "the name leaves the dump's tensor folder");
  }
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return input_failure(subject + "no folder '" + folder.string() + "'");
  fs::path file = fs::canonical(root / relative, error);
  if (error) return input_failure(subject + "no such file in '" + folder.string() + "'");
  if (!is_inside(root, file)) return input_failure(subject + "a link leads out of the dump's tensor folder");
  return file;
}

}  // namespace assay
