// What a run has finished, on disk before it counts: a file of checked lines that only grows, held by one process at a time.
//
//   Result<Journal> journal = Journal::open(out / "journal.jsonl");
//   if (journal->header().empty()) journal->begin(what_the_run_is);
//   journal->append(position, row); ...; journal->sync();
//   journal->read(position);
//
// A line is "<crc32 of the rest> <position> <row>"; the first one has the header in place of the row. What a crash or a full disk
// tore off is cut away when the file is opened again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.hpp"

namespace assay {

class Journal {
 public:
  /// Opens or creates the file and keeps every other process from doing so.
  /// errors  kInput: another run holds it, a symbolic link, not a regular file, can't be written, more than a torn tail is wrong
  static Result<Journal> open(const std::filesystem::path& path);
  /// One without a name, which goes with the process.
  static Result<Journal> temporary();

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  /// What `begin` was given; empty for a new file.
  [[nodiscard]] const std::string& header() const { return header_; }
  /// Bytes of a torn end that were cut away by `open`.
  [[nodiscard]] std::uint64_t repaired_bytes() const { return repaired_bytes_; }

  /// Drops what the file holds and writes the header.
  Status begin(std::string_view header);
  /// Adds a row (no line break in it). It is not on disk before `sync`.
  Status append(std::size_t position, std::string_view row);
  /// Brings everything that was appended to the disk. errors  kInput: full disk, and also a file that was removed meanwhile
  Status sync();

  [[nodiscard]] bool has(std::size_t position) const { return rows_.count(position) != 0; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// Rows that were appended since the last sync.
  [[nodiscard]] std::size_t pending() const { return pending_rows_; }
  /// A row that `has` and that was synced.
  [[nodiscard]] Result<std::string> read(std::size_t position) const;

  /// Removes the file: everything that it holds is kept elsewhere now.
  Status remove();

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
  };

  Journal() = default;
  Status load();
  Status write_pending();
  [[nodiscard]] Failure failure(const char* verb) const;

  std::filesystem::path path_;  // empty: temporary
  int fd_ = -1;
  std::string header_;
  std::uint64_t repaired_bytes_ = 0;
  std::unordered_map<std::size_t, Place> rows_;
  std::string pending_;
  std::size_t pending_rows_ = 0;
  std::uint64_t end_ = 0;  // of what is written; `pending_` comes after it
};

}  // namespace assay
