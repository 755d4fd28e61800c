#include "compare/side.hpp"

#include <fstream>

namespace assay {

namespace {

const char* kind_name(SideKind kind) {
  switch (kind) {
    case SideKind::kTable: return "a result table";
    case SideKind::kRun: return "a results folder of assay";
    case SideKind::kDump: return "a dump";
  }
  return "";
}

bool starts_like_json(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  char start[256] = {};
  file.read(start, sizeof start);
  std::string_view text(start, static_cast<std::size_t>(file.gcount()));
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

Result<Side> find_side(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return input_failure("compare '" + path.string() + "': " + (error ? error.message() : "no such file or folder"));
  }
  if (std::filesystem::is_directory(path, error)) {
    const bool run = std::filesystem::exists(path / "results.jsonl", error);
    return Side{run ? SideKind::kRun : SideKind::kDump, path};
  }
  if (path.filename() == "results.jsonl" || path.filename() == "run.json") {
    return Side{SideKind::kRun, path.has_parent_path() ? path.parent_path() : "."};
  }
  return Side{starts_like_json(path) ? SideKind::kDump : SideKind::kTable, path};
}

Status check_same_kind(const Side& tested, const Side& baseline) {
  if (tested.kind == baseline.kind) return Done{};
  return input_failure("compare '" + tested.path.string() + "' with '" + baseline.path.string() + "': the first is " +
                       kind_name(tested.kind) + ", the second " + kind_name(baseline.kind) +
                       "; give two result tables, two results folders of assay or two dumps");
}

}  // namespace assay
