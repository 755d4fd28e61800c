// The shared memory that tensors travel in. Each side maps a memfd of the other once; nothing has a name in the file system, so
// nothing is left behind.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "bridge/file_descriptor.hpp"

namespace assay::bridge {

/// A mapping of a memfd.
class Mapping {
 public:
  Mapping(int fd, std::size_t size, bool writable);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] char* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Shared memory of that size, which can't shrink. Throws Error(ASSAY_OUT_OF_MEMORY).
FileDescriptor new_segment(std::uint64_t bytes);

struct SegmentRef {
  std::uint32_t id = 0;
  std::uint64_t size = 0;
  std::uint32_t flags = 0;
};

/// The client's memory for the tensors of one call; the same pages serve call after call.
class InputArena {
 public:
  /// keep_bytes  a segment above this is given up after the call that needed it
  explicit InputArena(std::uint64_t keep_bytes) : keep_bytes_(keep_bytes) {}

  /// Room for `bytes`; throws Error(ASSAY_OUT_OF_MEMORY). `fd` of the result is >= 0 when the server has not seen the segment.
  struct Room {
    SegmentRef segment;
    char* data = nullptr;
    int fd = -1;
  };
  Room reserve(std::uint64_t bytes);
  /// The call that used the room is over.
  void finish();
  /// A new server has seen nothing.
  void forget();

 private:
  std::uint64_t keep_bytes_;
  std::uint32_t id_ = 0;
  bool announced_ = false;
  FileDescriptor fd_;
  std::unique_ptr<Mapping> mapping_;
};

/// The other side's memory as this one sees it. Tensors hold leases; when the last goes, the sender may use the segment again.
class ReceivedSegments : public std::enable_shared_from_this<ReceivedSegments> {
 public:
  class Lease {
   public:
    Lease(std::shared_ptr<ReceivedSegments> home, std::shared_ptr<Mapping> mapping, std::uint32_t pooled_id)
        : home_(std::move(home)), mapping_(std::move(mapping)), pooled_id_(pooled_id) {}
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] const Mapping& mapping() const { return *mapping_; }

   private:
    std::shared_ptr<ReceivedSegments> home_;
    std::shared_ptr<Mapping> mapping_;
    std::uint32_t pooled_id_;  // 0: not pooled
  };

  /// Maps a segment that a frame names; `fd` is the frame's descriptor. Throws Error(ASSAY_INTERNAL).
  std::shared_ptr<Lease> lease(const SegmentRef& segment, const FileDescriptor& fd);
  /// Pooled segments let go since the last call of this function.
  std::vector<std::uint32_t> take_released();

 private:
  std::mutex mutex_;  // leases end on any thread
  std::map<std::uint32_t, std::shared_ptr<Mapping>> pooled_;
  std::vector<std::uint32_t> released_;
};

}  // namespace assay::bridge
