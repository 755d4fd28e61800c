// Reads CSV (RFC 4180) as a stream of records; the file is not trusted.
//
//   Result<CsvReader> reader = CsvReader::open(path);
//   CsvRecord record;
//   while (true) {
//     Result<bool> more = reader->next(record);
//     if (!more) return more.failure();
//     if (!*more) break;
//     use(record.cells);
//   }
//
// Taken as they come: a byte order mark or none, CRLF, LF or CR, quoted cells with separators, quotes and line ends in them,
// records of any number of cells. Empty lines are left out. Memory: one record and one block of the file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

struct CsvRecord {
  std::size_t line = 0;            ///< of its first character, from 1
  std::vector<std::string> cells;  ///< UTF-8; bytes that are none became \xNN
  std::string fault;               ///< what breaks the rules of CSV in this record; empty: nothing
};

class CsvReader {
 public:
  static constexpr std::size_t kMaxRecordBytes = std::size_t{4} << 20;
  static constexpr std::size_t kMaxCells = 4096;

  /// errors  kInput: missing, a folder, not readable
  static Result<CsvReader> open(const std::filesystem::path& path);

  /// The next record; false at the end of the file.
  /// errors  kInput: a zero byte (no text, or UTF-16), a record beyond the limits above, a read error; with the line
  Result<bool> next(CsvRecord& record);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  static constexpr int kEnd = -1;

  int peek();
  int take();
  /// One cell into `text`; what ended it stays in the stream. False: a limit or a zero byte, said in failure_.
  bool cell(std::string& text, std::string& fault);
  bool keep(std::string& text, int byte);
  /// The bytes up to the next that can be special (all up to the comma), or to the end of the block; at least one is there.
  bool keep_plain(std::string& text);
  bool fail(const std::string& what);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::vector<char> block_;
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  std::size_t line_ = 1;
  std::size_t record_bytes_ = 0;
  std::string failure_;
};

}  // namespace assay
