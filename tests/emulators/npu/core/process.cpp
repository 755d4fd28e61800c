#include "core/process.hpp"

#include <algorithm>

#include "core/report.hpp"

namespace assay::emulator {
namespace {

constexpr std::size_t kKeptObjects = 4096;

}  // namespace

const char* name_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kTensor: return "aclTensor";
    case ObjectKind::kScalar: return "aclScalar";
    case ObjectKind::kIntArray: return "aclIntArray";
    case ObjectKind::kFloatArray: return "aclFloatArray";
    case ObjectKind::kBoolArray: return "aclBoolArray";
    case ObjectKind::kTensorList: return "aclTensorList";
    case ObjectKind::kScalarList: return "aclScalarList";
    case ObjectKind::kExecutor: return "aclOpExecutor";
    case ObjectKind::kContext: return "context";
    case ObjectKind::kStream: return "stream";
    case ObjectKind::kEvent: return "event";
  }
  return "object";
}

Process::Process() : memory(config().memory) {}

void Process::remove(Object* object) {
  live.erase(object);
  destroyed.push_back(object);
  if (destroyed.size() > kKeptObjects) {
    delete destroyed.front();
    destroyed.pop_front();
  }
}

// Neither is destroyed: callers' threads and destructors may come late.
Process& process() {
  static Process& instance = *new Process;
  return instance;
}

Thread& this_thread() {
  thread_local Thread thread;
  return thread;
}

Call::Call(const char* name) : name_(name), lock_(process().mutex) {}

aclError Call::fail(aclError code, const std::string& text) {
  Thread& thread = this_thread();
  thread.last_error = code;
  if (!thread.message.empty()) {
    thread.message += '\n';
  }
  thread.message += "EZ9999: " + std::string(name_) + ": " + text;
  code_ = code;
  return code;
}

aclError Call::misuse(std::string_view rule, aclError code, const std::string& text) {
  report_misuse(rule, name_, text);
  return fail(code, text);
}

aclError Call::ready() {
  Process& state = process();
  if (state.initialised == 0) {
    return misuse(state.ever_initialised ? "call-after-finalize" : "call-before-init", ACL_ERROR_UNINITIALIZE,
                  "the runtime is not initialised");
  }
  if (state.broken != 0) {
    return fail(state.broken, state.lost ? "the device is lost" : "an earlier kernel failed, the context is broken");
  }
  return ACL_SUCCESS;
}

aclError Call::on_thread() {
  if (const aclError error = ready()) {
    return error;
  }
  Context*& current = this_thread().context;
  if (current == nullptr) {
    return misuse("no-context", ACL_ERROR_RT_CONTEXT_NULL, "this thread has no current context");
  }
  if (process().live.count(current) == 0) {
    current = nullptr;
    return misuse("use-after-destroy", ACL_ERROR_RT_CONTEXT_NULL, "the current context of this thread was destroyed");
  }
  return ACL_SUCCESS;
}

Object* Call::find(const void* handle, ObjectKind kind) {
  Process& state = process();
  const auto found = state.live.find(handle);
  if (found != state.live.end() && found->second->kind == kind) {
    return found->second;
  }
  const bool late =
      std::any_of(state.destroyed.begin(), state.destroyed.end(), [&](const Object* object) { return object == handle; });
  const std::string what = name_of(kind);
  if (handle == nullptr) {
    misuse("null-handle", ACL_ERROR_INVALID_PARAM, what + " is null");
  } else if (found != state.live.end()) {
    misuse("wrong-handle", ACL_ERROR_RT_PARAM_INVALID,
           "expected a handle of " + what + ", got one of " + name_of(found->second->kind));
  } else {
    misuse(late ? "use-after-destroy" : "unknown-handle", ACL_ERROR_RT_PARAM_INVALID,
           what + (late ? " was destroyed before" : " was never made"));
  }
  return nullptr;
}

Stream* Call::stream(aclrtStream handle) {
  if (handle == nullptr) {
    return context().default_stream;
  }
  auto* result = live<Stream>(handle);
  if (result != nullptr && result->context != &context()) {
    misuse("stream-of-another-context", ACL_ERROR_RT_STREAM_CONTEXT, "the stream was made in another context");
    return nullptr;
  }
  return result;
}

}  // namespace assay::emulator
