#include "worker/worker.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "worker/child_process.hpp"
#include "worker/frames.hpp"

namespace assay {

namespace {

std::string ready_message(const WorkerRun& run) {
  std::string positions;
  for (const std::size_t position : run.positions) positions += (positions.empty() ? "" : ",") + std::to_string(position);
  return "{\"run\": " + run.description + ", \"positions\": [" + positions + "]}";
}

}  // namespace

int serve(const Result<WorkerRun>& run) {
  // A supervisor that is killed must not leave workers behind.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!run) {
    const std::string kind = std::to_string(static_cast<int>(run.failure().kind));
    write_frame(kWorkerOutput, FrameType::kRefused, kind + ":" + run.failure().message);
    return 0;
  }
  if (!write_frame(kWorkerOutput, FrameType::kReady, ready_message(*run))) return 1;
  while (const std::optional<Frame> frame = read_frame(kWorkerInput)) {
    const std::size_t first = frame->payload.find(':');
    const std::size_t second = frame->payload.find(':', first + 1);
    if (frame->type != FrameType::kEvaluate || first == std::string::npos || second == std::string::npos) return 1;
    const std::size_t position = std::stoul(frame->payload);
    const auto directions = static_cast<unsigned>(std::stoul(frame->payload.substr(first + 1)));
    const Started started = [&](const std::string& stem, const char* direction) {
      write_frame(kWorkerOutput, FrameType::kStarted, std::to_string(position) + ":" + direction + ":" + stem);
    };
    const std::string result = run->evaluate(position, directions, frame->payload.substr(second + 1), started);
    if (!write_frame(kWorkerOutput, FrameType::kResult, result)) return 1;
  }
  return 0;
}

}  // namespace assay
