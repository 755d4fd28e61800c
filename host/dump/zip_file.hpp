// The members of a zip archive in memory, as torch.save writes it.
//
//   Result<ZipFile> zip = ZipFile::open(file);
//   if (const ZipEntry* entry = zip->find("archive/data.pkl")) { Result<ZipBytes> bytes = zip->read(*entry); }
//
// Members that are stored without compression are given as they lie in the mapping; others are unpacked.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"

namespace assay {

struct ZipEntry {
  std::string_view name;
  std::uint64_t size = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t header_offset = 0;
  bool stored = false;  ///< without compression
};

struct ZipBytes {
  std::string_view bytes;
  std::shared_ptr<const std::byte> owner;
};

class ZipFile {
 public:
  /// errors  kInput: no zip archive, cut off, a directory that lies outside the file
  static Result<ZipFile> open(const MappedFile& file);

  [[nodiscard]] const std::vector<ZipEntry>& entries() const { return entries_; }
  /// Null: no such member.
  [[nodiscard]] const ZipEntry* find(std::string_view name) const;
  /// errors  kInput: the member lies outside the file, can't be unpacked, or claims more than its bytes can hold
  [[nodiscard]] Result<ZipBytes> read(const ZipEntry& entry) const;

 private:
  MappedFile file_;
  std::vector<ZipEntry> entries_;
};

}  // namespace assay
