#include "base/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/crc.hpp>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "base/files.hpp"

namespace assay {

namespace {

constexpr std::size_t kCrcDigits = 8;
/// The position of the header's line.
constexpr std::string_view kHeaderName = "run";

std::string checksum(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  char digits[kCrcDigits + 1];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(crc.checksum()));
  return digits;
}

std::string make_line(std::string_view name, std::string_view row) {
  std::string rest = " ";
  rest.append(name).append(" ").append(row);
  return checksum(rest) + rest + "\n";
}

struct Line {
  std::string_view name;
  std::string_view row;
};

/// Absent: not a line that was written whole.
std::optional<Line> parse_line(std::string_view text) {
  if (text.size() < kCrcDigits + 2 || text[kCrcDigits] != ' ') return std::nullopt;
  const std::string_view rest = text.substr(kCrcDigits);
  if (checksum(rest) != text.substr(0, kCrcDigits)) return std::nullopt;
  const std::size_t space = rest.find(' ', 1);
  if (space == std::string_view::npos) return std::nullopt;
  return Line{rest.substr(1, space - 1), rest.substr(space + 1)};
}

std::optional<std::size_t> parse_position(std::string_view name) {
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), position);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return position;
}

/// A file that has been opened and locked may have lost its name to a run that just ended.
bool still_named(int fd, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

Result<Journal> Journal::open(const std::filesystem::path& path) {
  Journal journal;
  journal.path_ = path;
  do {
    if (journal.fd_ >= 0) ::close(std::exchange(journal.fd_, -1));
    journal.fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
    if (journal.fd_ < 0) return journal.failure("write");
    struct stat info {};
    if (::fstat(journal.fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
      return input_failure("write '" + path.string() + "': not a regular file");
    }
    if (::flock(journal.fd_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return journal.failure("lock");
      return input_failure("use folder '" + path.parent_path().string() +
                           "': another run is writing to it; wait for it or choose another folder");
    }
  } while (!still_named(journal.fd_, path));
  if (Status s = journal.load(); !s) return s.failure();
  return journal;
}

Result<Journal> Journal::temporary() {
  Journal journal;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  std::string name = (error ? std::filesystem::path("/tmp") : folder) / "assay-XXXXXX";
  journal.fd_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (journal.fd_ < 0) return input_failure("write a temporary file '" + name + "': " + std::strerror(errno));
  ::unlink(name.c_str());
  return journal;
}

Journal::Journal(Journal&& other) noexcept { *this = std::move(other); }

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(header_, other.header_);
  std::swap(repaired_bytes_, other.repaired_bytes_);
  std::swap(rows_, other.rows_);
  std::swap(pending_, other.pending_);
  std::swap(pending_rows_, other.pending_rows_);
  std::swap(end_, other.end_);
  return *this;
}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

Status Journal::load() {
  Result<MappedFile> file = MappedFile::open(path_);
  if (!file) return file.failure();
  const std::string_view all = file->text();
  while (end_ < all.size()) {
    const std::size_t line_end = all.find('\n', end_);
    if (line_end == std::string_view::npos) break;
    const std::optional<Line> line = parse_line(all.substr(end_, line_end - end_));
    if (!line) break;
    if (header_.empty()) {
      if (line->name != kHeaderName) break;
      header_ = line->row;
    } else {
      const std::optional<std::size_t> position = parse_position(line->name);
      if (!position) break;
      const auto offset = static_cast<std::uint64_t>(line->row.data() - all.data());
      rows_[*position] = {offset, static_cast<std::uint32_t>(line->row.size())};
    }
    end_ = line_end + 1;
  }
  if (!all.empty() && header_.empty()) {
    // A run that is killed while it writes the header leaves a part of a line; anything else is not ours to cut.
    if (all.find('\n') != std::string_view::npos) {
      return input_failure("read '" + path_.string() + "': not a journal of assay; remove it or choose another folder");
    }
  }
  repaired_bytes_ = all.size() - end_;
  if (repaired_bytes_ != 0 && ::ftruncate(fd_, static_cast<off_t>(end_)) != 0) return failure("repair");
  return Done{};
}

Status Journal::begin(std::string_view header) {
  rows_.clear();
  header_ = header;
  end_ = 0;
  if (::ftruncate(fd_, 0) != 0) return failure("write");
  pending_ = make_line(kHeaderName, header);
  pending_rows_ = 0;
  return sync();
}

Status Journal::append(std::size_t position, std::string_view row) {
  if (row.find('\n') != std::string_view::npos) return internal_failure("keep a row: it has a line break");
  const std::string line = make_line(std::to_string(position), row);
  const std::uint64_t offset = end_ + pending_.size() + (line.size() - 1 - row.size());
  rows_[position] = {offset, static_cast<std::uint32_t>(row.size())};
  pending_ += line;
  ++pending_rows_;
  return Done{};
}

Status Journal::write_pending() {
  std::size_t written = 0;
  while (written < pending_.size()) {
    const ssize_t n = ::pwrite(fd_, pending_.data() + written, pending_.size() - written, static_cast<off_t>(end_ + written));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failure("write");
    written += static_cast<std::size_t>(n);
  }
  end_ += pending_.size();
  pending_.clear();
  pending_rows_ = 0;
  return Done{};
}

Status Journal::sync() {
  if (Status s = write_pending(); !s) return s;
  if (path_.empty()) return Done{};
  if (::fdatasync(fd_) != 0) return failure("write");
  if (!still_named(fd_, path_)) {
    return input_failure("write '" + path_.string() +
                         "': the file or its folder was removed or replaced while the run was going on");
  }
  return Done{};
}

Result<std::string> Journal::read(std::size_t position) const {
  const auto found = rows_.find(position);
  if (found == rows_.end()) return internal_failure("read row " + std::to_string(position) + ": it was never kept");
  const Place& place = found->second;
  std::string row(place.size, '\0');
  std::size_t got = 0;
  while (got < row.size()) {
    const ssize_t n = ::pread(fd_, row.data() + got, row.size() - got, static_cast<off_t>(place.offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return input_failure("read '" + path_.string() + "': it became shorter while the run was going on");
    got += static_cast<std::size_t>(n);
  }
  return row;
}

Status Journal::remove() {
  if (!path_.empty() && ::unlink(path_.c_str()) != 0 && errno != ENOENT) return failure("remove");
  return Done{};
}

Failure Journal::failure(const char* verb) const {
  const char* hint = errno == ELOOP ? " (a symbolic link; remove it)" : "";
  return input_failure(std::string(verb) + " '" + path_.string() + "': " + std::strerror(errno) + hint);
}

}  // namespace assay
