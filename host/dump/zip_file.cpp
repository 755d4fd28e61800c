#include "dump/zip_file.hpp"

#include <zip.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace assay {

namespace {

constexpr std::string_view kEndSignature = "PK\x05\x06";
constexpr std::string_view kEnd64Signature = "PK\x06\x06";
constexpr std::string_view kLocator64Signature = "PK\x06\x07";
constexpr std::string_view kDirectorySignature = "PK\x01\x02";
constexpr std::string_view kLocalSignature = "PK\x03\x04";
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kLocator64Size = 20;
constexpr std::size_t kDirectorySize = 46;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kFirstBlock = std::size_t{64} << 10;
constexpr std::uint64_t kInExtra = 0xffffffffu;  ///< the true value is in the zip64 extra field

/// Little-endian numbers of a text that is known to hold them.
std::uint64_t number(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
  return value;
}

/// `size` bytes at `offset`, if the text has them and they start with the signature.
std::optional<std::string_view> record(std::string_view bytes, std::uint64_t offset, std::size_t size, std::string_view signature) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  if (bytes.compare(offset, signature.size(), signature) != 0) return std::nullopt;
  return bytes.substr(offset, size);
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t count = 0;
};

std::optional<Directory> find_directory(std::string_view bytes) {
  if (bytes.size() < kEndSize) return std::nullopt;
  const std::size_t end = bytes.rfind(kEndSignature, bytes.size() - kEndSize);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view tail = bytes.substr(end, kEndSize);
  Directory directory{number(tail, 16, 4), number(tail, 12, 4), number(tail, 10, 2)};
  if (end < kLocator64Size) return directory;
  const auto locator = record(bytes, end - kLocator64Size, kLocator64Size, kLocator64Signature);
  if (!locator) return directory;
  const auto end64 = record(bytes, number(*locator, 8, 8), kEnd64Size, kEnd64Signature);
  if (!end64) return std::nullopt;
  return Directory{number(*end64, 48, 8), number(*end64, 40, 8), number(*end64, 32, 8)};
}

/// Replaces the values that the zip64 extra field holds; false when they are not there.
bool read_extra64(std::string_view extra, ZipEntry& entry) {
  std::uint64_t* const wanted[] = {&entry.size, &entry.packed_size, &entry.header_offset};
  if (std::none_of(std::begin(wanted), std::end(wanted), [](const std::uint64_t* value) { return *value == kInExtra; }))
    return true;
  while (extra.size() >= 4) {
    const std::uint64_t id = number(extra, 0, 2);
    const std::uint64_t size = number(extra, 2, 2);
    extra.remove_prefix(4);
    if (size > extra.size()) return false;
    if (id != 1) {
      extra.remove_prefix(size);
      continue;
    }
    std::size_t offset = 0;
    for (std::uint64_t* value : wanted) {
      if (*value != kInExtra) continue;
      if (offset + 8 > size) return false;
      *value = number(extra, offset, 8);
      offset += 8;
    }
    return true;
  }
  return false;
}

struct ZipDiscard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct ZipClose {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

Result<ZipBytes> unpack(std::string_view archive, const ZipEntry& entry) {
  const std::string subject = "unpack '" + escape_control(entry.name) + "': ";
  // Deflate, the densest method in use, packs no more than 1032 bytes into one.
  if (entry.packed_size > archive.size() || entry.size / 1032 > entry.packed_size)
    return input_failure(subject + "claims a size that its bytes can't hold");
  zip_source_t* source = zip_source_buffer_create(archive.data(), archive.size(), 0, nullptr);
  if (source == nullptr) return input_failure(subject + "out of memory");
  const std::unique_ptr<zip_t, ZipDiscard> zip(zip_open_from_source(source, ZIP_RDONLY, nullptr));
  if (!zip) {
    zip_source_free(source);
    return input_failure(subject + "the archive is damaged");
  }
  const std::unique_ptr<zip_file_t, ZipClose> member(zip_fopen(zip.get(), std::string(entry.name).c_str(), 0));
  if (!member) return input_failure(subject + zip_strerror(zip.get()));
  // Grows with what has been unpacked: a claimed size alone reserves nothing.
  const auto memory = std::make_shared<std::vector<std::byte>>();
  while (memory->size() < entry.size) {
    const std::size_t have = memory->size();
    memory->resize(std::min<std::uint64_t>(entry.size, std::max<std::size_t>(2 * have, kFirstBlock)));
    const std::size_t wanted = memory->size() - have;
    if (zip_fread(member.get(), memory->data() + have, wanted) != static_cast<zip_int64_t>(wanted)) {
      return input_failure(subject + "the member is damaged");
    }
  }
  return ZipBytes{{reinterpret_cast<const char*>(memory->data()), memory->size()}, {memory, memory->data()}};
}

}  // namespace

Result<ZipFile> ZipFile::open(const MappedFile& file) {
  const std::string_view bytes = file.text();
  const std::optional<Directory> directory = find_directory(bytes);
  if (!directory) return input_failure("the zip archive has no directory at its end; the file was cut off or overwritten");
  const auto outside = [] { return input_failure("the zip archive's directory doesn't fit the file"); };
  if (directory->offset > bytes.size() || directory->size > bytes.size() - directory->offset) return outside();
  std::string_view rest = bytes.substr(directory->offset, directory->size);
  ZipFile zip;
  zip.file_ = file;
  for (std::uint64_t i = 0; i < directory->count; ++i) {
    const auto head = record(rest, 0, kDirectorySize, kDirectorySignature);
    if (!head) return outside();
    const std::uint64_t flags = number(*head, 8, 2);
    const std::size_t name_size = number(*head, 28, 2);
    const std::size_t extra_size = number(*head, 30, 2);
    const std::size_t whole = kDirectorySize + name_size + extra_size + number(*head, 32, 2);
    if (rest.size() < whole) return outside();
    ZipEntry entry;
    entry.name = rest.substr(kDirectorySize, name_size);
    entry.stored = number(*head, 10, 2) == 0 && (flags & 1) == 0;
    entry.packed_size = number(*head, 20, 4);
    entry.size = number(*head, 24, 4);
    entry.header_offset = number(*head, 42, 4);
    if (!read_extra64(rest.substr(kDirectorySize + name_size, extra_size), entry)) return outside();
    zip.entries_.push_back(entry);
    rest.remove_prefix(whole);
  }
  return zip;
}

const ZipEntry* ZipFile::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const ZipEntry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

Result<ZipBytes> ZipFile::read(const ZipEntry& entry) const {
  const std::string_view bytes = file_.text();
  if (!entry.stored) return unpack(bytes, entry);
  const auto outside = [&entry] {
    return input_failure("'" + escape_control(entry.name) + "' lies outside the file; it was cut off or overwritten");
  };
  const auto local = record(bytes, entry.header_offset, kLocalSize, kLocalSignature);
  if (!local) return outside();
  std::string_view rest = bytes.substr(entry.header_offset + kLocalSize);
  const std::size_t skip = number(*local, 26, 2) + number(*local, 28, 2);
  if (rest.size() < skip || rest.size() - skip < entry.size) return outside();
  return ZipBytes{rest.substr(skip, entry.size), file_.owner()};
}

}  // namespace assay
