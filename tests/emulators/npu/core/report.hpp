// The report of what a caller did wrong, one JSON object a line: misuse when it happens, what was left over at the end, and a
// summary at aclFinalize. It goes to the file named by ASSAY_NPU_EMULATOR_REPORT (appended, so that several processes share it),
// else to stderr.
//
//   {"event":"misuse","pid":41,"rule":"use-after-destroy","call":"aclnnAdd","message":"..."}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::emulator {

void report_misuse(std::string_view rule, std::string_view call, const std::string& message);
/// The line that says the runtime was used and left in order.
void report_finalised();

/// Misuses that this process reported.
std::uint64_t misuse_count();
/// Operators launched by this process.
void count_launch();

}  // namespace assay::emulator
