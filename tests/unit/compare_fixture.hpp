// Result tables for the tests of `assay compare`: rows by column name, written as the peer writes them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "dump_fixture.hpp"

namespace assay {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline const std::vector<std::string>& torch_columns() {
  static const std::vector<std::string> kColumns = {"API Name",
                                                    "Bench Dtype",
                                                    "DEVICE Dtype",
                                                    "Shape",
                                                    "余弦相似度",
                                                    "最大绝对误差",
                                                    "双百指标",
                                                    "双千指标",
                                                    "双万指标",
                                                    "二进制一致错误率",
                                                    "误差均衡性",
                                                    "均方根误差",
                                                    "小值域错误占比",
                                                    "相对误差最大值",
                                                    "相对误差平均值",
                                                    "inf/nan错误率",
                                                    "相对误差错误率",
                                                    "绝对误差错误率",
                                                    "ULP误差最大值",
                                                    "ULP误差平均值",
                                                    "ULP误差大于阈值占比",
                                                    "Status",
                                                    "Message"};
  return kColumns;
}

using Cells = std::map<std::string, std::string>;

/// A details row: blank where `cells` says nothing.
inline Cells details_row(const std::string& name, const std::string& dtype, Cells cells) {
  cells.emplace("API Name", name);
  cells.emplace("DEVICE Dtype", dtype.empty() ? " " : "torch." + dtype);
  cells.emplace("Shape", "\"(2, 3)\"");
  cells.emplace("Status", "pass");
  return cells;
}

struct TableText {
  std::string start = "\xef\xbb\xbf";
  std::string line_end = "\r\n";
  std::vector<std::string> columns = torch_columns();

  [[nodiscard]] std::string of(const std::vector<Cells>& rows) const {
    std::string text = start;
    for (std::size_t i = 0; i < columns.size(); ++i) text += (i == 0 ? "" : ",") + columns[i];
    text += line_end;
    for (const Cells& row : rows) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto cell = row.find(columns[i]);
        text += (i == 0 ? "" : ",") + (cell == row.end() ? " " : cell->second);
      }
      text += line_end;
    }
    return text;
  }
};

}  // namespace assay
