#include "core/leaks.hpp"

#include <map>
#include <string>
#include <vector>

#include "core/process.hpp"
#include "core/report.hpp"

namespace assay::emulator {
namespace {

// A program that ends without aclFinalize; it runs when the library's destructors do.
struct EndOfProcess {
  ~EndOfProcess() {
    Process& state = process();
    if (state.initialised == 0) {
      return;
    }
    report_misuse("no-finalize", "exit", "the process ends without aclFinalize");
    report_leaks("exit");
  }
};
const EndOfProcess kEndOfProcess;

}  // namespace

void report_leaks(std::string_view call) {
  Process& state = process();
  if (state.broken != 0) {
    return;  // nothing can be freed on a device that is gone
  }
  for (auto& [id, device] : state.devices) {
    if (device.users > 0) {
      report_misuse("leak", call,
                    "device " + std::to_string(id) + " was set " + std::to_string(device.users) + " times more than reset");
      device.users = 0;
    }
  }
  std::map<ObjectKind, std::size_t> left;
  std::vector<Object*> objects;
  for (const auto& [handle, object] : state.live) {
    const bool ours = (object->kind == ObjectKind::kContext && static_cast<Context*>(object)->is_default) ||
                      (object->kind == ObjectKind::kStream && static_cast<Stream*>(object)->context->default_stream == object);
    if (!ours) {
      ++left[object->kind];
      objects.push_back(object);
    }
  }
  for (const auto& [kind, count] : left) {
    report_misuse("leak", call, std::to_string(count) + " of " + name_of(kind) + " were never destroyed");
  }
  for (Object* object : objects) {
    state.remove(object);
  }
  if (state.memory.blocks() > 0) {
    report_misuse("leak", call,
                  std::to_string(state.memory.blocks()) + " allocations of device memory were never freed, " +
                      std::to_string(state.memory.used()) + " bytes");
    state.memory.clear();
  }
  if (!state.host_blocks.empty()) {
    report_misuse("leak", call, std::to_string(state.host_blocks.size()) + " allocations of host memory were never freed");
    state.host_blocks.clear();
  }
}

}  // namespace assay::emulator
