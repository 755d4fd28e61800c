#include "base/csv_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace assay {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Bytes of the UTF-8 sequence at the start of `text`; 0: none is there.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80u, unsigned high = 0xBFu) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80u) return 1;
  if (first >= 0xC2u && first <= 0xDFu) return follows(1) ? 2 : 0;
  if (first >= 0xE0u && first <= 0xEFu) {
    const unsigned low = first == 0xE0u ? 0xA0u : 0x80u;
    const unsigned high = first == 0xEDu ? 0x9Fu : 0xBFu;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0u && first <= 0xF4u) {
    const unsigned low = first == 0xF0u ? 0x90u : 0x80u;
    const unsigned high = first == 0xF4u ? 0x8Fu : 0xBFu;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// The text with bytes that are no UTF-8 as \xNN, so that it can go into JSON and onto a terminal.
std::string repaired(std::string text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return text;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(std::string_view(text).substr(i));
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(text[i++]);
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  return out;
}

}  // namespace

Result<CsvReader> CsvReader::open(const std::filesystem::path& path) {
  CsvReader reader;
  reader.path_ = path;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return input_failure("read '" + path.string() + "': a folder, expected a CSV file");
  reader.file_.reset(std::fopen(path.c_str(), "rbe"));
  if (!reader.file_) return input_failure("read '" + path.string() + "': " + std::strerror(errno));
  reader.block_.resize(kBlockBytes);
  reader.peek();
  if (std::string_view(reader.block_.data(), reader.filled_).substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    reader.position_ = kByteOrderMark.size();
  }
  return reader;
}

int CsvReader::peek() {
  if (position_ == filled_) {
    position_ = 0;
    filled_ = std::fread(block_.data(), 1, block_.size(), file_.get());
    if (filled_ == 0) return kEnd;
  }
  return static_cast<unsigned char>(block_[position_]);
}

int CsvReader::take() {
  const int byte = peek();
  if (byte != kEnd) ++position_;
  return byte;
}

bool CsvReader::fail(const std::string& what) {
  failure_ = "read '" + path_.string() + "': line " + std::to_string(line_) + ": " + what;
  return false;
}

bool CsvReader::keep(std::string& text, int byte) {
  if (byte == 0) return fail("a zero byte, so this is no UTF-8 text; save the table as CSV in UTF-8");
  if (++record_bytes_ > kMaxRecordBytes) {
    return fail("the record is longer than " + std::to_string(kMaxRecordBytes >> 20) + " MiB; a quote may be missing before it");
  }
  text += static_cast<char>(byte);
  return true;
}

bool CsvReader::keep_plain(std::string& text) {
  const char* start = block_.data() + position_;
  const char* end = std::find_if(start, static_cast<const char*>(block_.data() + filled_),
                                 [](char c) { return static_cast<unsigned char>(c) <= ','; });
  const auto count = static_cast<std::size_t>(end - start);
  record_bytes_ += count - 1;
  if (!keep(text, static_cast<unsigned char>(*start))) return false;
  text.append(start + 1, end);
  position_ += count;
  return true;
}

bool CsvReader::cell(std::string& text, std::string& fault) {
  text.clear();
  const std::size_t first_line = line_;
  bool quoted = peek() == '"';
  if (quoted) take();
  while (true) {
    const int byte = peek();
    if (byte == kEnd) {
      if (quoted) fault = "the quote opened in line " + std::to_string(first_line) + " is never closed";
      return true;
    }
    if (!quoted && (byte == ',' || byte == '\n' || byte == '\r')) return true;
    if (byte > ',' && !keep_plain(text)) return false;
    if (byte > ',') continue;
    take();
    if (byte == '\n') ++line_;
    if (quoted && byte == '"') {
      if (peek() != '"') {
        quoted = false;
        const int after = peek();
        if (after != ',' && after != '\n' && after != '\r' && after != kEnd) fault = "text follows a closing quote";
        continue;
      }
      take();
    }
    if (!keep(text, byte)) return false;
  }
}

Result<bool> CsvReader::next(CsvRecord& record) {
  record.fault.clear();
  record_bytes_ = 0;
  while (peek() == '\n' || peek() == '\r') {
    if (take() == '\n') ++line_;
  }
  if (std::ferror(file_.get()) != 0) return input_failure("read '" + path_.string() + "': " + std::strerror(errno));
  if (peek() == kEnd) return false;
  record.line = line_;
  for (std::size_t i = 0;; ++i) {
    if (i == kMaxCells) {
      fail("more than " + std::to_string(kMaxCells) + " cells in a record");
      return input_failure(failure_);
    }
    if (i == record.cells.size()) record.cells.emplace_back();
    if (!cell(record.cells[i], record.fault)) return input_failure(failure_);
    record.cells[i] = repaired(std::move(record.cells[i]));
    if (peek() == ',') {
      take();
      continue;
    }
    record.cells.resize(i + 1);
    if (take() == '\r' && peek() == '\n') take();
    ++line_;
    return true;
  }
}

}  // namespace assay
