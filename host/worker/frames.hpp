// The messages between the supervisor and its workers: a type, a length, a payload, over a pair of pipes.
//
//   worker -> supervisor   kReady      {"run": <what Job::describe takes>}: everything is loaded
//                          kRefused    "<failure kind>:<message>": the run can't start
//                          kPlan       {"positions": [0, 1, ...], "costs": [...], "orders": {"3": "..."}}, when asked for
//                          kStarted    "<position>:<direction>:<cost>:<stem>": what the worker does now, for the row if it dies
//                          kResult     what Job::keep takes
//                          kPart       "<directions left>:<what Job::keep takes>": kLeaving follows, and another one does the rest
//                          kLeaving    this process is not sound any more and leaves; a call that it has is for another one;
//                                      "<direction>:<message>": what broke down, where an earlier call may be to blame
//                          kBacktrace  frames of the crash that is ending the process, a line each
//   supervisor -> worker   kPlan       which calls are there? kWithCosts: and what does each cost?
//                          kEvaluate   "<position>:<directions>:<order>": judge these directions of a call; end of file: leave
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

enum class FrameType : std::uint8_t {
  kReady = 'H',
  kRefused = 'E',
  kPlan = 'P',
  kStarted = 'S',
  kResult = 'R',
  kPart = 'D',
  kLeaving = 'L',
  kBacktrace = 'B',
  kEvaluate = 'W'
};

inline constexpr std::string_view kWithCosts = "costs";

/// The type and the payload's length before each payload.
inline constexpr std::size_t kFrameHeaderSize = 5;

struct Frame {
  FrameType type{};
  std::string payload;
};

/// Writes a whole frame; false if the other side is gone.
bool write_frame(int fd, FrameType type, std::string_view payload);

/// Blocks for the next frame; absent at end of file or on a broken one.
std::optional<Frame> read_frame(int fd);

/// Collects bytes as they come and gives whole frames.
class FrameBuffer {
 public:
  void append(std::string_view bytes) { bytes_.append(bytes); }

  /// The next whole frame, or nothing yet. errors  kPlugin: what came is no frame (a worker that writes garbage)
  Result<std::optional<Frame>> next();

 private:
  std::string bytes_;
};

}  // namespace assay
