// Writes and reads the payloads of the bridge protocol (see protocol.hpp). The reader checks every bound: what comes from another
// process is input, even if we wrote its program.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "assay/sdk/error.hpp"

namespace assay::bridge {

class Writer {
 public:
  void u8(std::uint8_t v) { raw(&v, sizeof v); }
  void u16(std::uint16_t v) { raw(&v, sizeof v); }
  void u32(std::uint32_t v) { raw(&v, sizeof v); }
  void u64(std::uint64_t v) { raw(&v, sizeof v); }
  void i32(std::int32_t v) { raw(&v, sizeof v); }
  void i64(std::int64_t v) { raw(&v, sizeof v); }
  void f64(double v) { raw(&v, sizeof v); }
  void count(std::uint64_t n) {
    if (n > UINT32_MAX) throw Error(ASSAY_INVALID_ARGUMENT, "a list or text of the call has 2^32 or more items");
    u32(static_cast<std::uint32_t>(n));
  }
  void text(std::string_view v) {
    count(v.size());
    bytes_.append(v);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::int32_t i32() { return number<std::int32_t>(); }
  std::int64_t i64() { return number<std::int64_t>(); }
  double f64() { return number<double>(); }
  std::string text() {
    const std::string_view v = take(u32());
    return std::string(v);
  }
  /// A list's count; every item takes at least one byte, so a count beyond the payload is a lie.
  std::uint32_t count() {
    const std::uint32_t n = u32();
    if (n > rest_.size()) throw malformed();
    return n;
  }
  void finish() const {
    if (!rest_.empty()) throw malformed();
  }
  static Error malformed() { return {ASSAY_INTERNAL, "a malformed frame came over the bridge"}; }

 private:
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) throw malformed();
    const std::string_view v = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return v;
  }
  template <class T>
  T number() {
    T v;
    std::memcpy(&v, take(sizeof v).data(), sizeof v);
    return v;
  }
  std::string_view rest_;
};

}  // namespace assay::bridge
