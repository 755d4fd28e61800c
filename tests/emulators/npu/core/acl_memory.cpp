// Memory and copies.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "core/report.hpp"
#include "core/work.hpp"

using namespace assay::emulator;

namespace {

aclError allocate(Call& call, void** result, std::size_t size) {
  if (const aclError error = call.on_thread()) {
    return error;
  }
  if (result == nullptr || size == 0) {
    return call.misuse("bad-size", ACL_ERROR_INVALID_PARAM, "no place for the address, or a size of 0");
  }
  if (const Fault* fault = fault_at(Point::kMalloc, "", nullptr)) {
    return suffer(call, *fault);
  }
  void* address = process().memory.allocate(size);
  if (address == nullptr) {
    return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no " + std::to_string(size) + " bytes left on the device, " +
                                                         std::to_string(process().memory.used()) + " of " +
                                                         std::to_string(process().memory.capacity()) + " in use");
  }
  *result = address;
  return ACL_SUCCESS;
}

// The place of one side of a copy, for the emulator; null after a report.
std::byte* place(Call& call, const void* address, std::size_t size, const char* side) {
  Process& state = process();
  if (!state.memory.contains(address)) {
    return static_cast<std::byte*>(const_cast<void*>(address));
  }
  const auto block = state.memory.find(address);
  const auto* first = static_cast<const std::byte*>(address);
  if (!block || first + size > block->begin + block->size) {
    call.misuse(block ? "outside-allocation" : "use-after-free", ACL_ERROR_RT_PARAM_INVALID,
                std::string(side) + (block ? " reaches past the end of its allocation" : " is not in a live allocation"));
    return nullptr;
  }
  return state.memory.host(address);
}

bool kind_fits(const void* dst, const void* src, aclrtMemcpyKind kind) {
  const bool to_device = process().memory.contains(dst);
  const bool from_device = process().memory.contains(src);
  switch (kind) {
    case ACL_MEMCPY_HOST_TO_HOST: return !to_device && !from_device;
    case ACL_MEMCPY_HOST_TO_DEVICE: return to_device && !from_device;
    case ACL_MEMCPY_DEVICE_TO_HOST: return !to_device && from_device;
    case ACL_MEMCPY_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE: return to_device && from_device;
    default: return true;
  }
}

std::uint64_t checksum(const std::byte* data, std::size_t size) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(data), size});
}

// What a copy checks, immediate or not.
aclError check_copy(Call& call, void* dst, std::size_t room, const void* src, std::size_t count, aclrtMemcpyKind kind) {
  if (const aclError error = call.on_thread()) {
    return error;
  }
  if (count == 0 || dst == src) {
    return ACL_SUCCESS;
  }
  if (dst == nullptr || src == nullptr) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "source or destination is null");
  }
  if (count > room) {
    return call.misuse("copy-too-large", ACL_ERROR_RT_PARAM_INVALID,
                       std::to_string(count) + " bytes into a room of " + std::to_string(room));
  }
  if (!kind_fits(dst, src, kind)) {
    return call.misuse("copy-kind", ACL_ERROR_RT_PARAM_INVALID, "the kind of copy doesn't fit the addresses");
  }
  if (const Fault* fault = fault_at(Point::kMemcpy, "", nullptr)) {
    return suffer(call, *fault);
  }
  return ACL_SUCCESS;
}

aclError copy_later(Call& call, std::byte* to, void* dst, const std::byte* from, const void* src, std::size_t count,
                    Stream& stream) {
  Task task;
  task.name = call.name();
  const auto* read = static_cast<const std::byte*>(src);
  const auto* written = static_cast<const std::byte*>(dst);
  task.ranges = {{read, read + count, false}, {written, written + count, true}};
  const bool from_host = !process().memory.contains(src);
  const std::uint64_t sum = from_host ? checksum(from, count) : 0;
  task.run = [=, name = call.name()]() -> aclError {
    if (from_host && checksum(from, count) != sum) {
      report_misuse("host-buffer-changed", name, "the source of an asynchronous copy changed before the stream passed it");
    }
    std::memmove(to, from, count);
    return ACL_SUCCESS;
  };
  enqueue(stream, std::move(task));
  return ACL_SUCCESS;
}

}  // namespace

ASSAY_EMULATOR_EXPORT aclError aclrtMalloc(void** address, size_t size, aclrtMemMallocPolicy) {
  Call call("aclrtMalloc");
  return allocate(call, address, size);
}

ASSAY_EMULATOR_EXPORT aclError aclrtMallocAlign32(void** address, size_t size, aclrtMemMallocPolicy) {
  Call call("aclrtMallocAlign32");
  return allocate(call, address, size);
}

ASSAY_EMULATOR_EXPORT aclError aclrtMallocCached(void** address, size_t size, aclrtMemMallocPolicy) {
  Call call("aclrtMallocCached");
  return allocate(call, address, size);
}

ASSAY_EMULATOR_EXPORT aclError aclrtMallocWithCfg(void** address, size_t size, aclrtMemMallocPolicy, aclrtMallocConfig*) {
  Call call("aclrtMallocWithCfg");
  return allocate(call, address, size);
}

ASSAY_EMULATOR_EXPORT aclError aclrtFree(void* address) {
  Call call("aclrtFree");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  if (address == nullptr) {
    return call.misuse("free-null", ACL_ERROR_INVALID_PARAM, "the address is null");
  }
  DeviceMemory& memory = process().memory;
  const auto block = memory.find(address);
  if (block && block->begin == address) {
    if (const auto work = pending_on(address, block->size, true)) {
      call.misuse("free-while-pending", ACL_SUCCESS, "the memory is used by pending work of " + *work);
    }
  }
  switch (memory.release(address)) {
    case DeviceMemory::Release::kDone: return ACL_SUCCESS;
    case DeviceMemory::Release::kFreedBefore: return call.misuse("double-free", ACL_ERROR_RT_PARAM_INVALID, "it was freed before");
    default: return call.misuse("free-unknown", ACL_ERROR_RT_PARAM_INVALID, "it is not the start of an allocation");
  }
}

ASSAY_EMULATOR_EXPORT aclError aclrtMallocHost(void** address, size_t size) {
  Call call("aclrtMallocHost");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  if (address == nullptr || size == 0) {
    return call.misuse("bad-size", ACL_ERROR_INVALID_PARAM, "no place for the address, or a size of 0");
  }
  if (const Fault* fault = fault_at(Point::kMalloc, "host", nullptr)) {
    return suffer(call, *fault);
  }
  *address = std::malloc(size);
  if (*address == nullptr) {
    return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory left");
  }
  process().host_blocks[*address] = size;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtFreeHost(void* address) {
  Call call("aclrtFreeHost");
  const auto found = process().host_blocks.find(address);
  if (found == process().host_blocks.end()) {
    return call.misuse("free-unknown", ACL_ERROR_RT_PARAM_INVALID, "it is not a live host allocation");
  }
  if (const auto work = pending_on(address, found->second, true)) {
    call.misuse("free-while-pending", ACL_SUCCESS, "the memory is used by pending work of " + *work);
  }
  process().host_blocks.erase(found);
  std::free(address);
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtMemcpy(void* dst, size_t room, const void* src, size_t count, aclrtMemcpyKind kind) {
  Call call("aclrtMemcpy");
  if (const aclError error = check_copy(call, dst, room, src, count, kind)) {
    return error;
  }
  if (count == 0 || dst == src) {
    return ACL_SUCCESS;
  }
  std::byte* to = place(call, dst, count, "the destination");
  const std::byte* from = place(call, src, count, "the source");
  if (to == nullptr || from == nullptr) {
    return call.code();
  }
  if (const auto work = pending_on(src, count, false)) {
    call.misuse("read-before-synchronize", ACL_SUCCESS, "pending work of " + *work + " writes what is copied");
  }
  if (const auto work = pending_on(dst, count, true)) {
    call.misuse("write-before-synchronize", ACL_SUCCESS, "pending work of " + *work + " uses what is overwritten");
  }
  std::memmove(to, from, count);
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtMemcpyAsync(void* dst, size_t room, const void* src, size_t count, aclrtMemcpyKind kind,
                                                aclrtStream handle) {
  Call call("aclrtMemcpyAsync");
  if (const aclError error = check_copy(call, dst, room, src, count, kind)) {
    return error;
  }
  Stream* stream = call.stream(handle);
  if (stream == nullptr) {
    return call.code();
  }
  if (count == 0 || dst == src) {
    return ACL_SUCCESS;
  }
  if (!process().memory.contains(dst) && !process().memory.contains(src)) {
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "no asynchronous copy from host to host");
  }
  std::byte* to = place(call, dst, count, "the destination");
  const std::byte* from = place(call, src, count, "the source");
  if (to == nullptr || from == nullptr) {
    return call.code();
  }
  return copy_later(call, to, dst, from, src, count, *stream);
}

ASSAY_EMULATOR_EXPORT aclError aclrtMemset(void* address, size_t room, int32_t value, size_t count) {
  Call call("aclrtMemset");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  if (address == nullptr || count > room) {
    return call.misuse("copy-too-large", ACL_ERROR_RT_PARAM_INVALID, "null, or more bytes than room");
  }
  std::byte* to = place(call, address, count, "the memory");
  if (to == nullptr) {
    return call.code();
  }
  if (const auto work = pending_on(address, count, true)) {
    call.misuse("write-before-synchronize", ACL_SUCCESS, "pending work of " + *work + " uses what is overwritten");
  }
  std::memset(to, value & 0xff, count);
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtMemsetAsync(void* address, size_t room, int32_t value, size_t count, aclrtStream handle) {
  Call call("aclrtMemsetAsync");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(handle);
  if (stream == nullptr) {
    return call.code();
  }
  if (address == nullptr || count > room) {
    return call.misuse("copy-too-large", ACL_ERROR_RT_PARAM_INVALID, "null, or more bytes than room");
  }
  std::byte* to = place(call, address, count, "the memory");
  if (to == nullptr) {
    return call.code();
  }
  const auto* first = static_cast<const std::byte*>(address);
  Task task;
  task.name = call.name();
  task.ranges = {{first, first + count, true}};
  task.run = [=]() -> aclError {
    std::memset(to, value & 0xff, count);
    return ACL_SUCCESS;
  };
  enqueue(*stream, std::move(task));
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free, size_t* total) {
  Call call("aclrtGetMemInfo");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  *total = process().memory.capacity();
  *free = *total - process().memory.used();
  return ACL_SUCCESS;
}
