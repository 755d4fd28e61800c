#include "watch/merge_ranks.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "report/output_file.hpp"

namespace assay {

namespace {

constexpr std::string_view kFolder = "rank";

/// The rank of a folder's name: "rank12" -> 12.
std::optional<std::uint64_t> rank_of(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  if (name.compare(0, kFolder.size(), kFolder) != 0 || name.size() == kFolder.size()) return std::nullopt;
  std::uint64_t rank = 0;
  const auto [end, error] = std::from_chars(name.data() + kFolder.size(), name.data() + name.size(), rank);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(rank) : std::nullopt;
}

/// The lines of one rank's table; its text fields hold no line ends.
class RankTable {
 public:
  explicit RankTable(const std::filesystem::path& path) : path_(path), file_(path) { std::getline(file_, header_); }

  [[nodiscard]] const std::string& header() const { return header_; }
  /// The next line and its step. False at the end; a line that was cut off when the job was killed ends the table.
  bool advance() {
    if (!std::getline(file_, line_) || file_.eof()) return false;
    const std::size_t comma = line_.find(',');
    if (comma == std::string::npos) return false;
    const auto [end, error] = std::from_chars(line_.data() + comma + 1, line_.data() + line_.size(), step_);
    return error == std::errc() && end != line_.data() + line_.size() && *end == ',';
  }
  [[nodiscard]] const std::string& line() const { return line_; }
  [[nodiscard]] std::int64_t step() const { return step_; }

 private:
  std::filesystem::path path_;
  std::ifstream file_;
  std::string header_;
  std::string line_;
  std::int64_t step_ = 0;
};

Status merge_table(const std::map<std::uint64_t, std::filesystem::path>& ranks, const char* name,
                   const std::filesystem::path& out) {
  std::vector<std::unique_ptr<RankTable>> tables;
  std::string header;
  for (const auto& [rank, folder] : ranks) {
    auto table = std::make_unique<RankTable>(folder / name);
    if (table->header().compare(0, 10, "rank,step,") != 0) {
      return input_failure("merge '" + (folder / name).string() +
                           "': expected a table of the watch, which begins with rank and step");
    }
    if (header.empty()) header = table->header();
    if (table->header() != header)
      return input_failure("merge '" + (folder / name).string() + "': its columns are not those of the other ranks");
    if (table->advance()) tables.push_back(std::move(table));
  }
  Result<OutputFile> file = OutputFile::create(out / name);
  if (!file) return file.failure();
  if (Status s = file->write(header + "\n"); !s) return s;
  while (!tables.empty()) {
    // The first of the least: ranks are in order.
    const auto next =
        std::min_element(tables.begin(), tables.end(), [](const auto& l, const auto& r) { return l->step() < r->step(); });
    const std::int64_t step = (*next)->step();
    bool more = true;
    while (more && (*next)->step() == step) {
      if (Status s = file->write((*next)->line() + "\n"); !s) return s;
      more = (*next)->advance();
    }
    if (!more) tables.erase(next);
  }
  return file->close();
}

}  // namespace

std::map<std::uint64_t, std::filesystem::path> rank_folders(const std::filesystem::path& folder) {
  std::map<std::uint64_t, std::filesystem::path> ranks;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto rank = rank_of(entry.path());
    if (rank && std::filesystem::is_regular_file(entry.path() / "steps.csv", error)) ranks.emplace(*rank, entry.path());
  }
  return ranks;
}

bool holds_ranks(const std::filesystem::path& folder) { return !rank_folders(folder).empty(); }

Status merge_ranks(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& out) {
  std::map<std::uint64_t, std::filesystem::path> ranks;
  for (const std::filesystem::path& folder : folders) {
    for (const auto& [rank, path] : rank_folders(folder)) {
      const auto [known, added] = ranks.emplace(rank, path);
      if (!added) {
        return input_failure("merge '" + path.string() + "': rank " + std::to_string(rank) + " is in '" + known->second.string() +
                             "' too");
      }
    }
  }
  if (ranks.empty()) return input_failure("merge: no folder rank<N> of a watch in the given folders");
  if (Status s = merge_table(ranks, "rows.csv", out); !s) return s;
  return merge_table(ranks, "steps.csv", out);
}

}  // namespace assay
