// Devices and contexts.
#include <string>

#include "core/device.hpp"
#include "core/report.hpp"
#include "core/work.hpp"

using namespace assay::emulator;

namespace assay::emulator {

Stream* make_stream(Context& context) {
  auto* stream = process().add(new Stream);
  stream->context = &context;
  stream->id = process().next_stream++;
  stream->saturate = process().devices[context.device].overflow == ACL_RT_OVERFLOW_MODE_SATURATION;
  return stream;
}

Context* make_context(int device, bool is_default) {
  auto* context = process().add(new Context);
  context->device = device;
  context->is_default = is_default;
  context->default_stream = make_stream(*context);
  return context;
}

// Takes the context's streams with it; those that the caller made are leaks.
void end_context(Call& call, Context& context) {
  std::vector<Object*> streams;
  process().each(ObjectKind::kStream, [&](Object& object) {
    auto& stream = static_cast<Stream&>(object);
    if (stream.context == &context) {
      streams.push_back(&stream);
      if (&stream != context.default_stream && process().broken == 0) {
        report_misuse("leak", call.name(), "a stream of the context was never destroyed");
      }
    }
  });
  for (Object* stream : streams) {
    abandon(static_cast<Stream&>(*stream));
    process().remove(stream);
  }
  process().remove(&context);
}

}  // namespace assay::emulator

namespace {

aclError check_device(Call& call, int32_t device) {
  if (device >= 0 && device < config().devices) {
    return ACL_SUCCESS;
  }
  return call.fail(ACL_ERROR_RT_INVALID_DEVICEID,
                   "device " + std::to_string(device) + " doesn't exist, there are " + std::to_string(config().devices));
}

aclError reset(Call& call, int32_t id, bool force) {
  Process& state = process();
  if (state.initialised == 0) {
    return call.ready();
  }
  if (const aclError error = check_device(call, id)) {
    return error;
  }
  Device& device = state.devices[id];
  if (device.users == 0) {
    return call.misuse("reset-twice", ACL_ERROR_RT_INVALID_DEVICEID, "device " + std::to_string(id) + " is not set");
  }
  device.users = force ? 0 : device.users - 1;
  if (device.users > 0) {
    return ACL_SUCCESS;
  }
  bool last = true;
  for (const auto& [other, of_other] : state.devices) {
    last = last && of_other.users == 0;
  }
  if (state.broken == 0 && last) {
    if (state.memory.blocks() > 0) {
      report_misuse("leak", call.name(), std::to_string(state.memory.blocks()) + " allocations are live when the device is reset");
    }
    state.each(ObjectKind::kExecutor,
               [&](Object&) { report_misuse("leak", call.name(), "an executor is live when the device is reset"); });
  }
  if (last) {
    state.memory.clear();
  }
  end_context(call, *device.context);
  device.context = nullptr;
  return state.broken != 0 ? call.ready() : ACL_SUCCESS;
}

}  // namespace

ASSAY_EMULATOR_EXPORT aclError aclrtSetDevice(int32_t id) {
  Call call("aclrtSetDevice");
  if (const aclError error = call.ready()) {
    return error;
  }
  if (const aclError error = check_device(call, id)) {
    return error;
  }
  if (const Fault* fault = fault_at(Point::kSetDevice, "", nullptr)) {
    return call.fail(fault->error, "the device can't be set up (injected)");
  }
  Device& device = process().devices[id];
  if (device.users++ == 0) {
    device.context = make_context(id, true);
  }
  this_thread().context = device.context;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtResetDevice(int32_t id) {
  Call call("aclrtResetDevice");
  return reset(call, id, false);
}

ASSAY_EMULATOR_EXPORT aclError aclrtResetDeviceForce(int32_t id) {
  Call call("aclrtResetDeviceForce");
  return reset(call, id, true);
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetDevice(int32_t* id) {
  Call call("aclrtGetDevice");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  *id = call.context().device;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetDeviceCount(uint32_t* count) {
  Call call("aclrtGetDeviceCount");
  *count = static_cast<uint32_t>(config().devices);
  return call.ready();
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetRunMode(aclrtRunMode* mode) {
  Call call("aclrtGetRunMode");
  *mode = ACL_HOST;
  return call.ready();
}

ASSAY_EMULATOR_EXPORT aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  Call call("aclrtSetDeviceSatMode");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN) {
    return call.misuse("bad-value", ACL_ERROR_INVALID_PARAM, "no such overflow mode");
  }
  process().devices[call.context().device].overflow = mode;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  Call call("aclrtGetDeviceSatMode");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  *mode = process().devices[call.context().device].overflow;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetDeviceInfo(uint32_t id, aclrtDevAttr attribute, int64_t* value) {
  Call call("aclrtGetDeviceInfo");
  if (const aclError error = check_device(call, static_cast<int32_t>(id))) {
    return error;
  }
  switch (attribute) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM: *value = 6; break;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM: *value = 24; break;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM: *value = 48; break;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: *value = static_cast<int64_t>(config().memory); break;
    case ACL_DEV_ATTR_L2_CACHE_SIZE: *value = int64_t{192} << 20; break;
    default: return call.fail(ACL_ERROR_INVALID_PARAM, "the emulator doesn't know this attribute");
  }
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtQueryDeviceStatus(int32_t id, aclrtDeviceStatus* status) {
  Call call("aclrtQueryDeviceStatus");
  if (const aclError error = check_device(call, id)) {
    return error;
  }
  *status = process().lost ? ACL_RT_DEVICE_STATUS_ABNORMAL : ACL_RT_DEVICE_STATUS_NORMAL;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtSetOpWaitTimeout(uint32_t) {
  Call call("aclrtSetOpWaitTimeout");
  return call.on_thread();
}

ASSAY_EMULATOR_EXPORT aclError aclrtSetOpExecuteTimeOut(uint32_t) {
  Call call("aclrtSetOpExecuteTimeOut");
  return call.on_thread();
}

ASSAY_EMULATOR_EXPORT aclError aclrtCreateContext(aclrtContext* context, int32_t device) {
  Call call("aclrtCreateContext");
  if (const aclError error = call.ready()) {
    return error;
  }
  if (const aclError error = check_device(call, device)) {
    return error;
  }
  this_thread().context = make_context(device, false);
  *context = this_thread().context;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtDestroyContext(aclrtContext handle) {
  Call call("aclrtDestroyContext");
  auto* context = call.live<Context>(handle);
  if (context == nullptr) {
    return call.code();
  }
  if (context->is_default) {
    return call.misuse("destroys-default-context", ACL_ERROR_RT_PARAM_INVALID, "the default context goes with the device's reset");
  }
  end_context(call, *context);
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtSetCurrentContext(aclrtContext handle) {
  Call call("aclrtSetCurrentContext");
  if (const aclError error = call.ready()) {
    return error;
  }
  auto* context = call.live<Context>(handle);
  if (context == nullptr) {
    return call.code();
  }
  this_thread().context = context;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetCurrentContext(aclrtContext* context) {
  Call call("aclrtGetCurrentContext");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  *context = &call.context();
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtCtxSetSysParamOpt(aclSysParamOpt option, int64_t value) {
  Call call("aclrtCtxSetSysParamOpt");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  call.context().options[option] = value;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtCtxGetSysParamOpt(aclSysParamOpt option, int64_t* value) {
  Call call("aclrtCtxGetSysParamOpt");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  const auto found = call.context().options.find(option);
  if (found == call.context().options.end()) {
    return call.fail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "the option was never set");
  }
  *value = found->second;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtSetSysParamOpt(aclSysParamOpt option, int64_t value) {
  Call call("aclrtSetSysParamOpt");
  process().options[option] = value;
  return call.ready();
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetSysParamOpt(aclSysParamOpt option, int64_t* value) {
  Call call("aclrtGetSysParamOpt");
  *value = process().options[option];
  return call.ready();
}

ASSAY_EMULATOR_EXPORT aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  Call call("aclrtCtxGetCurrentDefaultStream");
  if (const aclError error = call.on_thread()) {
    return error;
  }
  *stream = call.context().default_stream;
  return ACL_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclError aclrtGetPrimaryCtxState(int32_t id, uint32_t* flags, int32_t* active) {
  Call call("aclrtGetPrimaryCtxState");
  if (const aclError error = check_device(call, id)) {
    return error;
  }
  if (flags != nullptr) {
    *flags = 0;
  }
  *active = process().devices[id].users > 0 ? 1 : 0;
  return ACL_SUCCESS;
}
