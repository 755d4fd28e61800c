#include "worker/worker.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "pipeline/result_json.hpp"
#include "report/run_json.hpp"
#include "worker/child_process.hpp"
#include "worker/frames.hpp"

namespace assay {

namespace {

std::string ready_message(const Check& check) {
  std::string positions;
  for (const std::size_t position : check.positions()) positions += (positions.empty() ? "" : ",") + std::to_string(position);
  return "{\"run\": " + run_to_json(check.info(), nullptr) + ", \"positions\": [" + positions + "]}";
}

}  // namespace

int run_worker(Registry& registry, const CheckRequest& request) {
  // A supervisor that is killed must not leave workers behind.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Result<Check> check = Check::prepare(registry, request);
  if (!check) {
    const std::string kind = std::to_string(static_cast<int>(check.failure().kind));
    write_frame(kWorkerOutput, FrameType::kRefused, kind + ":" + check.failure().message);
    return 0;
  }
  if (!write_frame(kWorkerOutput, FrameType::kReady, ready_message(*check))) return 1;
  while (const std::optional<Frame> frame = read_frame(kWorkerInput)) {
    const std::size_t colon = frame->payload.find(':');
    if (frame->type != FrameType::kEvaluate || colon == std::string::npos) return 1;
    const std::size_t position = std::stoul(frame->payload);
    const auto directions = static_cast<unsigned>(std::stoul(frame->payload.substr(colon + 1)));
    const ApiResult result = check->evaluator().evaluate(position, directions, [&](const std::string& stem, const char* direction) {
      write_frame(kWorkerOutput, FrameType::kStarted, std::to_string(position) + ":" + direction + ":" + stem);
    });
    if (!write_frame(kWorkerOutput, FrameType::kResult, result_to_json(result))) return 1;
  }
  return 0;
}

}  // namespace assay
