// One device as one adapter instance uses it: context, stream, pooled memory, a growing workspace, copies.
//
//   Device device(Installation::open({}), {});
//   Buffer memory = device.allocate(1024);       // goes back to the pool with its last copy
//   device.copy_to_device(memory.get(), host, 1024);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "acl_functions.hpp"
#include "failures.hpp"

namespace assay::npu {

struct DeviceOptions {
  std::int32_t id = 0;
  std::int64_t deterministic = 0;    ///< level; 0: as the vendor decides
  std::string overflow;              ///< "saturation", "inf-nan"; empty: the chip's default
  std::int32_t timeout_ms = 300000;  ///< of waiting for one operator
};

/// Memory of the device; shared by the tensors that look into it.
using Buffer = std::shared_ptr<void>;

/// aclInit and aclFinalize for the time that at least one device is open in this process.
class Process {
 public:
  static std::shared_ptr<Process> enter(const AclFunctions& acl);
  explicit Process(const AclFunctions& acl);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

 private:
  AclFunctions acl_;
  bool owner_ = false;  ///< somebody else in the process may have initialised the runtime
};

class Device {
 public:
  Device(const Installation& installation, const DeviceOptions& options);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const AclFunctions& acl() const { return acl_; }
  [[nodiscard]] aclrtStream stream() const { return stream_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const std::string& chip() const { return chip_; }
  [[nodiscard]] std::int32_t id() const { return options_.id; }
  [[nodiscard]] std::uint32_t device_count() const { return device_count_; }

  /// Makes the device current for the calling thread. Throws where an earlier failure has made it unusable.
  void enter();
  /// Waits for everything on the stream; an operator's failure shows here.
  void synchronize(const std::string& what);
  /// After a failed call: waits for what was launched, so that its memory can be used again.
  void settle() noexcept;
  /// Remembers that the device is gone, so that later calls fail at once with the first cause.
  void note(const AclError& error);

  Buffer allocate(std::size_t bytes);
  /// At least that many bytes; the same memory for every operator, in stream order. Null for 0.
  void* workspace(std::size_t bytes);
  void copy_to_device(void* to, const void* from, std::size_t bytes);
  void copy_to_host(void* to, const void* from, std::size_t bytes);
  void fill_zero(void* at, std::size_t bytes);

  [[nodiscard]] std::uint64_t used_bytes() const { return used_; }  ///< in tensors and the workspace
  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_; }
  void reset_peak() { peak_ = used_; }

 private:
  void* allocate_raw(std::size_t bytes);
  void give_back(void* memory, std::size_t bytes) noexcept;
  void reuse_resting();
  void empty_pool() noexcept;
  void set_modes();
  void read_version();

  AclFunctions acl_;
  DeviceOptions options_;
  std::shared_ptr<Process> process_;
  aclrtContext context_ = nullptr;
  aclrtStream stream_ = nullptr;
  std::thread::id entered_by_;
  std::string version_;
  std::string chip_;
  std::uint32_t device_count_ = 0;
  std::string lost_;                                    ///< why the device can't be used any more; empty: it can
  std::map<std::size_t, std::vector<void*>> pool_;      ///< free blocks by size
  std::vector<std::pair<std::size_t, void*>> resting_;  ///< given back since the stream was last waited for
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t peak_ = 0;
};

}  // namespace assay::npu
