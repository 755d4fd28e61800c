#include "report/csv.hpp"

#include <array>
#include <cstdlib>

namespace assay {

namespace {

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0';
}

bool looks_like_formula(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kStarts = {"=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"};
  for (const std::string_view start : kStarts) {
    if (text.substr(0, start.size()) == start) return !is_number(std::string(text));
  }
  return false;
}

}  // namespace

std::string csv_cell(std::string_view text, bool neutralise) {
  std::string cell = neutralise && looks_like_formula(text) ? "'" + std::string(text) : std::string(text);
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& cells, std::string_view line_end) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i != 0) line += ',';
    line += cells[i];
  }
  line += line_end;
  return line;
}

}  // namespace assay
