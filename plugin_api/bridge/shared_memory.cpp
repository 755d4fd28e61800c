#include "bridge/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "assay/sdk/error.hpp"
#include "bridge/protocol.hpp"

namespace assay::bridge {
namespace {

constexpr std::uint64_t kSmallestSegment = 1u << 20;
constexpr std::uint64_t kLargestSegment = std::uint64_t{1} << 40;

Error out_of_memory(std::uint64_t bytes) {
  return {ASSAY_OUT_OF_MEMORY, "no memory to share " + std::to_string(bytes) + " bytes of tensors with another process"};
}

/// Doubling keeps a run of growing calls from making a segment each.
std::uint64_t segment_size(std::uint64_t bytes, std::uint64_t keep_bytes) {
  std::uint64_t size = kSmallestSegment;
  while (size < bytes && size < keep_bytes) size *= 2;
  const std::uint64_t page = 4096;
  return std::max(size < bytes ? 0 : size, (bytes + page - 1) / page * page);
}

}  // namespace

Mapping::Mapping(int fd, std::size_t size, bool writable) : size_(size) {
  void* const memory = ::mmap(nullptr, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) throw out_of_memory(size);
  data_ = static_cast<char*>(memory);
}

Mapping::~Mapping() { ::munmap(data_, size_); }

FileDescriptor new_segment(std::uint64_t bytes) {
  if (bytes > kLargestSegment) throw out_of_memory(bytes);
  FileDescriptor fd(::memfd_create("assay-tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // Allocated now: running out of memory later would be a SIGBUS, as would pages that the sender takes away.
  if (!fd || ::posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes)) != 0 || ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    throw out_of_memory(bytes);
  }
  return fd;
}

InputArena::Room InputArena::reserve(std::uint64_t bytes) {
  if (bytes == 0) return {};
  if (mapping_ == nullptr || mapping_->size() < bytes) {
    mapping_.reset();
    const std::uint64_t size = segment_size(bytes, keep_bytes_);
    fd_ = new_segment(size);
    mapping_ = std::make_unique<Mapping>(fd_.get(), size, true);
    ++id_;
    announced_ = false;
  }
  const Room room{{id_, mapping_->size(), 0}, mapping_->data(), announced_ ? -1 : fd_.get()};
  announced_ = true;
  return room;
}

void InputArena::finish() {
  if (mapping_ == nullptr || mapping_->size() <= keep_bytes_) return;
  mapping_.reset();
  fd_.reset();
}

void InputArena::forget() { announced_ = false; }

std::shared_ptr<ReceivedSegments::Lease> ReceivedSegments::lease(const SegmentRef& segment, const FileDescriptor& fd) {
  const bool pooled = (segment.flags & kSegmentPooled) != 0;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Mapping> mapping;
  if (const auto known = pooled_.find(segment.id); pooled && known != pooled_.end()) {
    mapping = known->second;
    if (mapping->size() != segment.size) throw Error(ASSAY_INTERNAL, "the other process changed the size of its shared memory");
  } else {
    struct stat info {};
    // Sealed against shrinking: a segment that loses pages under us would be a SIGBUS.
    const bool usable = fd && ::fstat(fd.get(), &info) == 0 && info.st_size >= 0 && segment.size > 0 &&
                        static_cast<std::uint64_t>(info.st_size) >= segment.size && segment.size <= kLargestSegment &&
                        (::fcntl(fd.get(), F_GET_SEALS) & F_SEAL_SHRINK) != 0;
    if (!usable) throw Error(ASSAY_INTERNAL, "the other process named shared memory that it did not send");
    mapping = std::make_shared<Mapping>(fd.get(), static_cast<std::size_t>(segment.size), false);
    if (pooled) pooled_[segment.id] = mapping;
  }
  return std::make_shared<Lease>(shared_from_this(), std::move(mapping), pooled ? segment.id : 0u);
}

std::vector<std::uint32_t> ReceivedSegments::take_released() {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> taken;
  taken.swap(released_);
  return taken;
}

ReceivedSegments::Lease::~Lease() {
  if (pooled_id_ == 0) return;
  const std::lock_guard lock(home_->mutex_);
  home_->released_.push_back(pooled_id_);
}

}  // namespace assay::bridge
