#include "report/html/details.hpp"

#include <zlib.h>

#include <cstdint>

namespace assay::html {

namespace {

Result<std::string> deflated(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string out(size, '\0');
  // Level 1: half the time of the default for a tenth more bytes.
  const int status =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size(), 1);
  if (status != Z_OK) return internal_failure("compress the details of a report: zlib says " + std::to_string(status));
  out.resize(size);
  return out;
}

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

Result<std::string> packed(const std::string& json) {
  Result<std::string> bytes = deflated("[" + json + "]");
  if (!bytes) return bytes.failure();
  return base64(*bytes);
}

}  // namespace

Status DetailStore::add(const std::string& json) {
  if (open_rows_ != 0) open_ += ',';
  open_ += json;
  if (++open_rows_ < kPartRows) return Done{};
  Result<std::string> part = packed(open_);
  if (!part) return part.failure();
  parts_.push_back(std::move(*part));
  open_.clear();
  open_rows_ = 0;
  return Done{};
}

Status DetailStore::write(const Output& out) const {
  const auto write_part = [&](const std::string& part) {
    return out("<script type=\"text/plain\" class=\"details\">" + part + "</script>\n");
  };
  for (const std::string& part : parts_) {
    if (Status s = write_part(part); !s) return s;
  }
  if (open_rows_ == 0) return Done{};
  Result<std::string> last = packed(open_);
  if (!last) return last.failure();
  return write_part(*last);
}

}  // namespace assay::html
