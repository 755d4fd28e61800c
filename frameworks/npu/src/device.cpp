#include "device.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "acl/error.h"

namespace assay::npu {

namespace {

constexpr std::int32_t kKnownMajor = 1;
constexpr std::size_t kSmallestBlock = 512;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Sizes that the pool keeps: powers of two up to a large page, then whole pages, so that shapes that differ a little share blocks.
std::size_t block_size(std::size_t bytes) {
  if (bytes > kLargePage) return (bytes + kLargePage - 1) / kLargePage * kLargePage;
  std::size_t size = kSmallestBlock;
  while (size < bytes) size *= 2;
  return size;
}

}  // namespace

std::shared_ptr<Process> Process::enter(const AclFunctions& acl) {
  static std::mutex mutex;
  static auto* const current = new std::weak_ptr<Process>();
  const std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Process> process = current->lock();
  if (!process) {
    process = std::make_shared<Process>(acl);
    *current = process;
  }
  return process;
}

Process::Process(const AclFunctions& acl) : acl_(acl) {
  const aclError code = acl_.aclInit(nullptr);
  if (code != ACL_ERROR_REPEAT_INITIALIZE) require(acl_, code, "initialise the Ascend runtime (aclInit)");
  owner_ = code == ACL_SUCCESS;
}

Process::~Process() {
  if (owner_) acl_.aclFinalize();
}

Device::Device(const Installation& installation, const DeviceOptions& options)
    : acl_(AclFunctions::of(installation)), options_(options) {
  std::int32_t major = 0;
  std::int32_t minor = 0;
  std::int32_t patch = 0;
  require(acl_, acl_.aclrtGetVersion(&major, &minor, &patch), "ask for the runtime's version (aclrtGetVersion)");
  version_ = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  if (major != kKnownMajor)
    throw Error(ASSAY_UNSUPPORTED, "use the Ascend runtime: its interface is version " + version_ + ", this adapter knows 1.x");
  process_ = Process::enter(acl_);
  require(acl_, acl_.aclrtGetDeviceCount(&device_count_), "count the devices (aclrtGetDeviceCount)");
  if (options_.id < 0 || static_cast<std::uint32_t>(options_.id) >= device_count_) {
    throw Error(ASSAY_UNSUPPORTED, "use device " + std::to_string(options_.id) + ": there are " + std::to_string(device_count_) +
                                       " devices; see npu-smi info and ASCEND_RT_VISIBLE_DEVICES");
  }
  require(acl_, acl_.aclrtSetDevice(options_.id), "set the device (aclrtSetDevice)");
  try {
    require(acl_, acl_.aclrtGetCurrentContext(&context_), "get the device's context");
    entered_by_ = std::this_thread::get_id();
    set_modes();
    require(acl_, acl_.aclrtCreateStream(&stream_), "create a stream (aclrtCreateStream)");
    read_version();
  } catch (const Error&) {
    if (stream_ != nullptr) acl_.aclrtDestroyStream(stream_);
    acl_.aclrtResetDevice(options_.id);
    throw;
  }
}

Device::~Device() {
  if (std::this_thread::get_id() != entered_by_) acl_.aclrtSetCurrentContext(context_);
  if (lost_.empty()) {
    acl_.aclrtSynchronizeStream(stream_);
    empty_pool();
    if (workspace_ != nullptr) acl_.aclrtFree(workspace_);
    acl_.aclrtDestroyStream(stream_);
  } else if (acl_.aclrtDestroyStreamForce != nullptr) {
    acl_.aclrtDestroyStreamForce(stream_);  // without waiting for work that won't end
  }
  acl_.aclrtResetDevice(options_.id);
}

void Device::set_modes() {
  if (options_.deterministic != 0) {
    if (acl_.aclrtSetSysParamOpt == nullptr || acl_.aclrtCtxSetSysParamOpt == nullptr)
      throw Error(ASSAY_UNSUPPORTED, "set 'deterministic': this runtime has no aclrtSetSysParamOpt");
    // The first phase reads the process's value, kernels the context's.
    require(acl_, acl_.aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, options_.deterministic), "set 'deterministic' for the process");
    require(acl_, acl_.aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, options_.deterministic),
            "set 'deterministic' for the context");
  }
  if (!options_.overflow.empty()) {
    if (acl_.aclrtSetDeviceSatMode == nullptr)
      throw Error(ASSAY_UNSUPPORTED, "set 'overflow': this runtime has no aclrtSetDeviceSatMode");
    const bool saturate = options_.overflow == "saturation";
    require(acl_, acl_.aclrtSetDeviceSatMode(saturate ? ACL_RT_OVERFLOW_MODE_SATURATION : ACL_RT_OVERFLOW_MODE_INFNAN),
            "set 'overflow' (aclrtSetDeviceSatMode)");
  }
}

void Device::read_version() {
  if (acl_.aclrtGetSocName != nullptr) {
    const char* const name = acl_.aclrtGetSocName();
    chip_ = name != nullptr ? name : "";
  }
  std::string cann;
  char text[128] = {};
  char runtime[] = "runtime";
  aclCANNPackageVersion package{};
  if (acl_.aclsysGetVersionStr != nullptr && acl_.aclsysGetVersionStr(runtime, text) == ACL_SUCCESS) {
    cann.assign(text, strnlen(text, sizeof text));
  } else if (acl_.aclsysGetCANNVersion != nullptr && acl_.aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &package) == ACL_SUCCESS) {
    cann.assign(package.version, strnlen(package.version, sizeof package.version));
  }
  if (!cann.empty()) version_ = cann + " (acl " + version_ + ")";
}

void Device::enter() {
  if (!lost_.empty()) throw Error(ASSAY_INTERNAL, "the device is lost since an earlier call: " + lost_);
  if (std::this_thread::get_id() == entered_by_) return;
  require(acl_, acl_.aclrtSetCurrentContext(context_), "make the device current (aclrtSetCurrentContext)");
  entered_by_ = std::this_thread::get_id();
}

void Device::synchronize(const std::string& what) {
  const aclError code = acl_.aclrtSynchronizeStreamWithTimeout != nullptr
                            ? acl_.aclrtSynchronizeStreamWithTimeout(stream_, options_.timeout_ms)
                            : acl_.aclrtSynchronizeStream(stream_);
  if (code == ACL_SUCCESS) return reuse_resting();
  const std::string limit =
      code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT ? " within " + std::to_string(options_.timeout_ms / 1000) + " s ('timeout_s')" : "";
  const AclError error = make_error(acl_, code, what + " failed on the device" + limit);
  note(error);
  throw error;
}

void Device::settle() noexcept {
  if (!lost_.empty()) return;
  acl_.aclrtSynchronizeStream(stream_);
  acl_.aclGetRecentErrMsg();
  reuse_resting();
}

void Device::note(const AclError& error) {
  if (error.device_lost() && lost_.empty()) lost_ = error.what();
}

void* Device::allocate_raw(std::size_t bytes) {
  void* memory = nullptr;
  aclError code = acl_.aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  if (is_out_of_memory(code)) {
    acl_.aclGetRecentErrMsg();  // of the first try
    empty_pool();
    code = acl_.aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  }
  if (code == ACL_SUCCESS) return memory;
  const AclError error = make_error(acl_, code, "allocate " + std::to_string(bytes) + " bytes on the device");
  note(error);
  throw error;
}

Buffer Device::allocate(std::size_t bytes) {
  const std::size_t size = block_size(bytes);
  std::vector<void*>& kept = pool_[size];
  void* memory = nullptr;
  if (kept.empty()) {
    memory = allocate_raw(size);
  } else {
    memory = kept.back();
    kept.pop_back();
  }
  used_ += size;
  peak_ = std::max(peak_, used_);
  return {memory, [this, size](void* block) { give_back(block, size); }};
}

void Device::give_back(void* memory, std::size_t bytes) noexcept {
  used_ -= bytes;
  try {
    // Work on the stream may still use it, and copies from the host don't wait for the stream.
    resting_.emplace_back(bytes, memory);
  } catch (const std::bad_alloc&) {
    acl_.aclrtSynchronizeStream(stream_);
    acl_.aclrtFree(memory);
  }
}

void Device::reuse_resting() {
  for (const auto& [bytes, memory] : resting_) pool_[bytes].push_back(memory);
  resting_.clear();
}

void Device::empty_pool() noexcept {
  acl_.aclrtSynchronizeStream(stream_);
  for (const auto& [bytes, memory] : resting_) acl_.aclrtFree(memory);
  resting_.clear();
  for (auto& [size, blocks] : pool_) {
    for (void* block : blocks) acl_.aclrtFree(block);
    blocks.clear();
  }
}

void* Device::workspace(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes <= workspace_bytes_) return workspace_;
  if (workspace_ != nullptr) {
    acl_.aclrtSynchronizeStream(stream_);
    acl_.aclrtFree(workspace_);
    used_ -= workspace_bytes_;
    workspace_ = nullptr;
    workspace_bytes_ = 0;
  }
  const std::size_t size = block_size(bytes);
  workspace_ = allocate_raw(size);
  workspace_bytes_ = size;
  used_ += size;
  peak_ = std::max(peak_, used_);
  return workspace_;
}

void Device::copy_to_device(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const aclError code = acl_.aclrtMemcpy(to, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  if (code == ACL_SUCCESS) return;
  const AclError error = make_error(acl_, code, "copy " + std::to_string(bytes) + " bytes to the device");
  note(error);
  throw error;
}

void Device::copy_to_host(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const aclError code = acl_.aclrtMemcpy(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  if (code == ACL_SUCCESS) return;
  const AclError error = make_error(acl_, code, "copy " + std::to_string(bytes) + " bytes from the device");
  note(error);
  throw error;
}

void Device::fill_zero(void* at, std::size_t bytes) {
  if (bytes == 0) return;
  const aclError code = acl_.aclrtMemset(at, bytes, 0, bytes);
  if (code == ACL_SUCCESS) return;
  const AclError error = make_error(acl_, code, "clear " + std::to_string(bytes) + " bytes on the device");
  note(error);
  throw error;
}

}  // namespace assay::npu
