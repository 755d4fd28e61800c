// Streams.
#include <vector>

#include "core/device.hpp"
#include "core/report.hpp"
#include "core/work.hpp"

using namespace assay::emulator;

namespace {

constexpr std::size_t kStreams = 1984;

/// A function of this name that works on the stream of that handle (null: the context's own).
template <class F>
aclError on_stream(const char* name, aclrtStream handle, const F& work) {
  Call call(name);
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(handle);
  return stream == nullptr ? call.code() : work(call, *stream);
}

std::size_t streams_in_use() {
  std::size_t count = 0;
  process().each(ObjectKind::kStream, [&](Object&) { ++count; });
  return count;
}

aclError new_stream(Call& call, aclrtStream* stream) {
  if (const aclError error = call.on_thread()) {
    return error;
  }
  if (stream == nullptr) {
    return call.misuse("null-pointer", ACL_ERROR_INVALID_PARAM, "no place for the stream");
  }
  if (streams_in_use() >= kStreams) {
    return call.fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "all streams of the device are in use");
  }
  *stream = make_stream(call.context());
  return ACL_SUCCESS;
}

aclError end_stream(Call& call, aclrtStream handle, bool wait) {
  if (handle == nullptr) {
    return call.misuse("null-handle", ACL_ERROR_INVALID_PARAM, "the default stream can't be destroyed");
  }
  auto* stream = call.live<Stream>(handle);
  if (stream == nullptr) {
    return call.code();
  }
  if (stream->context->default_stream == stream) {
    return call.misuse("wrong-handle", ACL_ERROR_INVALID_PARAM, "the default stream can't be destroyed");
  }
  if (wait && process().broken == 0) {
    drain(call, *stream);
  }
  abandon(*stream);
  process().remove(stream);
  return ACL_SUCCESS;
}

aclError synchronize(Call& call, aclrtStream handle, std::int32_t timeout_ms) {
  if (const aclError error = call.on_thread()) {
    return error;
  }
  Stream* stream = call.stream(handle);
  if (stream == nullptr) {
    return call.code();
  }
  const Deadline deadline = deadline_in(timeout_ms);
  if (const Fault* fault = fault_at(Point::kSynchronize, "", nullptr)) {
    return suffer(call, *fault, deadline);
  }
  const aclError error = drain(call, *stream, deadline);
  return error == 0 ? error
                    : call.fail(error, error == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT ? "timed out" : "work of the stream failed");
}

aclError synchronize_device(Call& call, std::int32_t timeout_ms) {
  if (const aclError error = call.on_thread()) {
    return error;
  }
  if (const Fault* fault = fault_at(Point::kSynchronize, "", nullptr)) {
    return suffer(call, *fault, deadline_in(timeout_ms));
  }
  std::vector<Stream*> streams;
  process().each(ObjectKind::kStream, [&](Object& object) { streams.push_back(static_cast<Stream*>(&object)); });
  for (Stream* stream : streams) {
    if (stream->context->device == call.context().device) {
      if (const aclError error = drain(call, *stream, deadline_in(timeout_ms))) {
        return call.fail(error, "work of a stream failed");
      }
    }
  }
  return ACL_SUCCESS;
}

}  // namespace

ASSAY_EMULATOR_EXPORT aclError aclrtCreateStream(aclrtStream* stream) {
  Call call("aclrtCreateStream");
  return new_stream(call, stream);
}

ASSAY_EMULATOR_EXPORT aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
  Call call("aclrtCreateStreamWithConfig");
  return new_stream(call, stream);
}

ASSAY_EMULATOR_EXPORT aclError aclrtDestroyStream(aclrtStream stream) {
  Call call("aclrtDestroyStream");
  return end_stream(call, stream, true);
}

ASSAY_EMULATOR_EXPORT aclError aclrtDestroyStreamForce(aclrtStream stream) {
  Call call("aclrtDestroyStreamForce");
  return end_stream(call, stream, false);
}

ASSAY_EMULATOR_EXPORT aclError aclrtSynchronizeStream(aclrtStream stream) {
  Call call("aclrtSynchronizeStream");
  return synchronize(call, stream, -1);
}

ASSAY_EMULATOR_EXPORT aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout_ms) {
  Call call("aclrtSynchronizeStreamWithTimeout");
  return synchronize(call, stream, timeout_ms);
}

ASSAY_EMULATOR_EXPORT aclError aclrtSynchronizeDevice() {
  Call call("aclrtSynchronizeDevice");
  return synchronize_device(call, -1);
}

ASSAY_EMULATOR_EXPORT aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout_ms) {
  Call call("aclrtSynchronizeDeviceWithTimeout");
  return synchronize_device(call, timeout_ms);
}

ASSAY_EMULATOR_EXPORT aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus* status) {
  return on_stream("aclrtStreamQuery", handle, [&](Call& call, Stream& stream) -> aclError {
    *status = stream.tasks.empty() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    // A caller that polls gets on: the work is done by the next time it asks.
    if (!stream.tasks.empty() && !stream.tasks.front().hangs) {
      drain(call, stream, stream.done + 1, {});
    }
    return ACL_SUCCESS;
  });
}

ASSAY_EMULATOR_EXPORT aclError aclrtStreamAbort(aclrtStream handle) {
  Call call("aclrtStreamAbort");
  auto* stream = call.live<Stream>(handle);
  if (stream == nullptr) {
    return call.code();
  }
  abandon(*stream);
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtDeviceTaskAbort(int32_t device, uint32_t) {
  Call call("aclrtDeviceTaskAbort");
  process().each(ObjectKind::kStream, [&](Object& object) {
    auto& stream = static_cast<Stream&>(object);
    if (stream.context->device == device) {
      abandon(stream);
    }
  });
  return call.ready();
}

ASSAY_EMULATOR_EXPORT aclError aclrtSetStreamFailureMode(aclrtStream handle, uint64_t mode) {
  return on_stream("aclrtSetStreamFailureMode", handle, [&](Call& call, Stream& stream) -> aclError {
    if (mode > 1) {
      return call.misuse("bad-value", ACL_ERROR_INVALID_PARAM, "no such failure mode");
    }
    stream.failure_mode = mode;
    return ACL_SUCCESS;
  });
}

ASSAY_EMULATOR_EXPORT aclError aclrtSetStreamOverflowSwitch(aclrtStream handle, uint32_t flag) {
  return on_stream("aclrtSetStreamOverflowSwitch", handle, [&](Call&, Stream& stream) -> aclError {
    stream.overflow_switch = flag;
    return ACL_SUCCESS;
  });
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetStreamOverflowSwitch(aclrtStream handle, uint32_t* flag) {
  return on_stream("aclrtGetStreamOverflowSwitch", handle, [&](Call&, Stream& stream) -> aclError {
    *flag = stream.overflow_switch;
    return ACL_SUCCESS;
  });
}

ASSAY_EMULATOR_EXPORT aclError aclrtStreamGetId(aclrtStream handle, int32_t* id) {
  return on_stream("aclrtStreamGetId", handle, [&](Call&, Stream& stream) -> aclError {
    *id = stream.id;
    return ACL_SUCCESS;
  });
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetStreamAvailableNum(uint32_t* count) {
  Call call("aclrtGetStreamAvailableNum");
  *count = static_cast<uint32_t>(kStreams - streams_in_use());
  return call.ready();
}
