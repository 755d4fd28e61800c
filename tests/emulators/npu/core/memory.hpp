// Memory of the emulated device. Addresses that callers get can't be read by the host, as on a card: they lie in a window
// without access, and the emulator reads the same pages through a second one.
//
//   void* p = memory.allocate(100);              // 64-byte aligned, filled with NaN patterns, null: out of memory
//   float* seen = reinterpret_cast<float*>(memory.host(p));
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace assay::emulator {

struct Block {
  const std::byte* begin = nullptr;
  std::size_t size = 0;
};

class DeviceMemory {
 public:
  enum class Release { kDone, kUnknown, kFreedBefore };

  explicit DeviceMemory(std::uint64_t capacity);

  void* allocate(std::size_t size);
  Release release(const void* address);
  /// The live allocation that holds `address`.
  std::optional<Block> find(const void* address) const;
  /// Whether it is an address of the device at all.
  bool contains(const void* address) const;
  /// Where the emulator reads and writes what the caller knows as `address`.
  std::byte* host(const void* address) const;

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t used() const { return used_; }
  std::size_t blocks() const { return live_.size(); }
  /// Frees everything.
  void clear();

 private:
  void reuse_oldest();

  std::uint64_t capacity_;
  std::byte* device_ = nullptr;
  std::byte* host_ = nullptr;
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> live_;  // offset: size asked for, size reserved
  std::map<std::uint64_t, std::size_t> free_;
  std::deque<std::pair<std::uint64_t, std::size_t>> freed_;  // not yet given out again, so that a late use shows
  std::uint64_t freed_bytes_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace assay::emulator
