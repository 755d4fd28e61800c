// What a run of the emulator is told: which chip it plays and which faults it shows. From ASSAY_NPU_EMULATOR, a path of a JSON
// file or the JSON itself; the README beside this folder lists the keys.
//
//   ASSAY_NPU_EMULATOR='{"faults": [{"at": "phase1", "operator": "aclnnAdd", "nth": 2, "error": 561003}]}'
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acl/base.h"

namespace assay::emulator {

using Shape = std::vector<std::int64_t>;

enum class Point { kInit, kSetDevice, kPhase1, kPhase2, kKernel, kSynchronize, kMalloc, kMemcpy };
enum class Action { kError, kWrong, kTail, kHang, kDeviceLost, kNondeterministic, kCrash };

/// One fault: at the nth matching event and `times` - 1 further ones (0: all).
struct Fault {
  Point at = Point::kPhase1;
  Action action = Action::kError;
  std::string target;          // an operator; empty: any
  std::optional<Shape> shape;  // of its first tensor
  std::uint64_t nth = 1;
  std::uint64_t times = 1;
  aclError error = 0;
  std::string once;  // a file: made by the first process that shows the fault, no other shows it then
  std::uint64_t seen = 0;
};

struct Config {
  std::string soc = "Ascend910B1";
  bool old_version = false;  // CANN 8.1: without what came later
  int devices = 1;
  std::uint64_t memory = std::uint64_t{4} << 30U;
  int hf32_mantissa = 11;
  bool flush_subnormals = false;
  std::vector<std::string> missing;  // exported functions that look as if they didn't exist
  std::vector<Fault> faults;
};

/// Throws std::runtime_error on text that isn't such a configuration: a test with a typo must not pass.
Config parse_config(std::string_view json);
/// From the environment, read at the first call.
Config& config();

/// The fault that this event shows, if any. `shape` may be null.
const Fault* fault_at(Point at, std::string_view target, const Shape* shape);

}  // namespace assay::emulator
