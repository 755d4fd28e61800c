// A watch that writes into a scratch folder, for tests.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "assay/watch.h"
#include "base/csv_reader.hpp"

namespace assay::watch_test {

class WatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("ASSAY_HOME", ASSAY_HOME_FOLDER, 1);
    ::unsetenv("RANK");
    std::string pattern = ::testing::TempDir() + "/watch-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    assay_watch_stop();
    std::filesystem::remove_all(folder_);
  }

  void start(const std::string& config) {
    char message[1024] = "";
    ASSERT_EQ(assay_watch_start(config.c_str(), folder_.c_str(), message, sizeof message), ASSAY_WATCH_OK) << message;
  }
  static assay_watch_numbers numbers() {
    assay_watch_numbers out{};
    out.struct_size = sizeof out;
    assay_watch_get_numbers(&out);
    return out;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(folder_ / "rank0" / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  /// The rows of rows.csv by column.
  std::vector<std::map<std::string, std::string>> rows() const {
    std::vector<std::map<std::string, std::string>> out;
    Result<CsvReader> reader = CsvReader::open(folder_ / "rank0" / "rows.csv");
    if (!reader) {
      ADD_FAILURE() << reader.failure().message;
      return out;
    }
    CsvRecord header;
    CsvRecord record;
    if (Result<bool> more = reader->next(header); !more || !*more) ADD_FAILURE() << "rows.csv has no header";
    while (true) {
      const Result<bool> more = reader->next(record);
      if (!more || !*more) return out;
      EXPECT_EQ(record.cells.size(), header.cells.size()) << "line " << record.line;
      auto& row = out.emplace_back();
      for (std::size_t i = 0; i < std::min(record.cells.size(), header.cells.size()); ++i) row[header.cells[i]] = record.cells[i];
    }
  }

  std::filesystem::path folder_;
};

}  // namespace assay::watch_test
