#include "core/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace assay::emulator {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kKeptFreed = std::uint64_t{16} << 20U;
constexpr std::uint64_t kFilled = std::uint64_t{16} << 20U;  // of one allocation; filling gigabytes would take seconds
constexpr std::uint64_t kPage = 4096;

std::byte* window(std::uint64_t size, int access, int file) {
  void* address = ::mmap(nullptr, size, access, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (address == MAP_FAILED) {
    throw std::runtime_error("cannot reserve the emulated device's memory");
  }
  return static_cast<std::byte*>(address);
}

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t capacity) : capacity_((capacity + kPage - 1) / kPage * kPage) {
  const int file = ::memfd_create("npu", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(capacity_)) != 0) {
    throw std::runtime_error("cannot make the emulated device's memory");
  }
  device_ = window(capacity_, PROT_NONE, file);
  host_ = window(capacity_, PROT_READ | PROT_WRITE, file);
  ::close(file);
  free_[0] = capacity_;
}

void* DeviceMemory::allocate(std::size_t size) {
  if (size > capacity_) {
    return nullptr;
  }
  // Rounded up to 32, and 32 more that the vector unit may read past the end, as the real allocator does.
  const std::uint64_t reserved = ((size + 31) / 32 * 32 + 32 + kAlignment - 1) / kAlignment * kAlignment;
  for (;;) {
    const auto hole = std::find_if(free_.begin(), free_.end(), [&](const auto& range) { return range.second >= reserved; });
    if (hole != free_.end()) {
      const std::uint64_t offset = hole->first;
      const std::size_t left = hole->second - reserved;
      free_.erase(hole);
      if (left > 0) {
        free_[offset + reserved] = left;
      }
      live_[offset] = {size, reserved};
      used_ += reserved;
      std::memset(host_ + offset, 0xff, std::min<std::uint64_t>(reserved, kFilled));
      return device_ + offset;
    }
    if (freed_.empty()) {
      return nullptr;
    }
    reuse_oldest();
  }
}

void DeviceMemory::reuse_oldest() {
  auto [offset, size] = freed_.front();
  freed_.pop_front();
  freed_bytes_ -= size;
  const auto next = free_.find(offset + size);
  if (next != free_.end()) {
    size += next->second;
    free_.erase(next);
  }
  auto after = free_.lower_bound(offset);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += size;
      return;
    }
  }
  free_[offset] = size;
}

DeviceMemory::Release DeviceMemory::release(const void* address) {
  if (!contains(address)) {
    return Release::kUnknown;
  }
  const auto offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - device_);
  const auto found = live_.find(offset);
  if (found == live_.end()) {
    const bool before = std::any_of(freed_.begin(), freed_.end(), [&](const auto& range) { return range.first == offset; });
    return before ? Release::kFreedBefore : Release::kUnknown;
  }
  const std::size_t reserved = found->second.second;
  live_.erase(found);
  used_ -= reserved;
  // Give the pages back; small blocks keep theirs.
  const std::uint64_t first = (offset + kPage - 1) / kPage * kPage;
  const std::uint64_t last = (offset + reserved) / kPage * kPage;
  if (last > first + (std::uint64_t{1} << 20U)) {
    ::madvise(host_ + first, last - first, MADV_REMOVE);
  }
  freed_.emplace_back(offset, reserved);
  freed_bytes_ += reserved;
  while (freed_bytes_ > kKeptFreed) {
    reuse_oldest();
  }
  return Release::kDone;
}

std::optional<Block> DeviceMemory::find(const void* address) const {
  if (!contains(address)) {
    return std::nullopt;
  }
  const auto offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - device_);
  auto after = live_.upper_bound(offset);
  if (after == live_.begin()) {
    return std::nullopt;
  }
  const auto block = std::prev(after);
  if (offset >= block->first + std::max<std::size_t>(block->second.first, 1)) {
    return std::nullopt;
  }
  return Block{device_ + block->first, block->second.first};
}

bool DeviceMemory::contains(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  return byte >= device_ && byte < device_ + capacity_;
}

std::byte* DeviceMemory::host(const void* address) const { return host_ + (static_cast<const std::byte*>(address) - device_); }

void DeviceMemory::clear() {
  while (!live_.empty()) {
    release(device_ + live_.begin()->first);
  }
}

}  // namespace assay::emulator
