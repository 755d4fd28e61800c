// The messages between the supervisor and its workers: a type, a length, a payload, over a pair of pipes.
//
//   worker -> supervisor   kReady      {"run": <what the run is>, "positions": [0, 1, ...]}: everything is loaded
//                          kRefused    "<failure kind>:<message>": the run can't start
//                          kStarted    "<position>:<direction>:<stem>": what the worker does now, for the row if it dies
//                          kResult     a result, in the job's own form
//   supervisor -> worker   kEvaluate   "<position>:<directions>:<order>": do these directions of a call; end of file: leave
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

enum class FrameType : std::uint8_t { kReady = 'H', kRefused = 'E', kStarted = 'S', kResult = 'R', kEvaluate = 'W' };

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
