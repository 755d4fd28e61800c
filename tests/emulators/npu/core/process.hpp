// The one runtime of the process: its devices, its live handles, and what every exported function begins with.
//
//   extern "C" aclError aclrtFree(void* address) {
//     Call call("aclrtFree");
//     if (const aclError error = call.on_thread()) return error;
//     ...
//     return call.misuse("double-free", ACL_ERROR_INVALID_PARAM, "this memory was freed before");
//   }
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "acl/error.h"
#include "core/memory.hpp"
#include "core/objects.hpp"

#define ASSAY_EMULATOR_EXPORT extern "C" __attribute__((visibility("default")))

namespace assay::emulator {

struct Device {
  int users = 0;  // aclrtSetDevice minus aclrtResetDevice
  Context* context = nullptr;
  aclrtFloatOverflowMode overflow = ACL_RT_OVERFLOW_MODE_INFNAN;
};

struct Process {
  std::mutex mutex;
  std::uint64_t initialised = 0;
  bool ever_initialised = false;
  bool operators_initialised = false;
  aclError broken = 0;  // device lost, or a failed kernel: nothing works from then on
  bool lost = false;
  std::map<int, Device> devices;
  std::map<int, std::int64_t> options;
  std::unordered_map<const void*, Object*> live;
  std::deque<Object*> destroyed;
  std::map<const void*, std::size_t> host_blocks;
  std::int32_t next_stream = 0;
  DeviceMemory memory;

  Process();
  /// Registers a new object.
  template <class T>
  T* add(T* object) {
    live[object] = object;
    return object;
  }
  /// Takes it out of the live ones; its memory stays for a while.
  void remove(Object* object);
  template <class F>
  void each(ObjectKind kind, F&& visit) {
    for (const auto& [handle, object] : live) {
      if (object->kind == kind) {
        visit(*object);
      }
    }
  }
};
Process& process();

struct Thread {
  Context* context = nullptr;
  aclError last_error = 0;
  std::string message;
  std::string returned;
};
Thread& this_thread();

/// One call from outside: holds the lock, knows the name for messages.
class Call {
 public:
  explicit Call(const char* name);

  /// 0 if the runtime is initialised and the device is there.
  aclError ready();
  /// The same, and this thread has a context.
  aclError on_thread();
  Context& context() { return *this_thread().context; }

  aclError fail(aclError code, const std::string& text);
  /// A failure that is the caller's mistake.
  aclError misuse(std::string_view rule, aclError code, const std::string& text);

  /// The object of that handle, or null after a report.
  template <class T>
  T* live(const void* handle) {
    return static_cast<T*>(find(handle, T::kKind));
  }
  /// The stream of that handle (null: the context's own), or null after a report; `code()` says what to return.
  Stream* stream(aclrtStream handle);
  aclError code() const { return code_; }
  const char* name() const { return name_; }
  std::unique_lock<std::mutex>& lock() { return lock_; }

 private:
  Object* find(const void* handle, ObjectKind kind);

  const char* name_;
  std::unique_lock<std::mutex> lock_;
  aclError code_ = 0;
};

}  // namespace assay::emulator
