// Reading and mapping files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

/// A read-only mapping of a regular file; unmapped when the last copy goes.
class MappedFile {
 public:
  /// Fails with one message when the path is missing, not a regular file or not readable.
  static Result<MappedFile> open(const std::filesystem::path& path);

  [[nodiscard]] const std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(data_.get()), size_}; }
  /// Keeps the mapping alive, for tensors that point into it.
  [[nodiscard]] std::shared_ptr<const std::byte> owner() const { return data_; }
  /// Gives the pages that were read so far back to the system; they are read again when they are touched. For walks over files that
  /// are larger than what should stay in memory. Any thread, at any time.
  void forget() const;

 private:
  std::shared_ptr<const std::byte> data_;
  std::size_t size_ = 0;
};

/// The whole file as text, refused above `limit` bytes.
Result<std::string> read_text(const std::filesystem::path& path, std::size_t limit = std::size_t{64} << 20);

/// Appends at most `size` bytes from `offset` on to `text`. Opens the file for it and closes it again. Returns how many there were.
/// errors  kInput: missing, not a regular file or not readable
Result<std::size_t> append_piece(const std::filesystem::path& path, std::uint64_t offset, std::size_t size, std::string& text);

}  // namespace assay
