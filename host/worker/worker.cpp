#include "worker/worker.hpp"

#include "worker/child_process.hpp"
#include "worker/frames.hpp"
#include "worker/limits.hpp"
#include "worker/plan_message.hpp"

namespace assay {

namespace {

/// Serves one call. `fresh`: nothing was evaluated in this process before. False: the worker must leave.
bool evaluate(const WorkerRun& run, const std::string& request, bool fresh) {
  const std::size_t first = request.find(':');
  const std::size_t second = request.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return false;
  const std::size_t position = std::stoul(request);
  const auto directions = static_cast<unsigned>(std::stoul(request.substr(first + 1)));
  const Started started = [&](const RecordedCall& call, const char* direction) {
    const std::string what = std::to_string(position) + ":" + direction + ":" + std::to_string(call_cost(call));
    write_frame(kWorkerOutput, FrameType::kStarted, what + ":" + call.stem);
  };
  const std::string result = run.evaluate(position, directions, request.substr(second + 1), started);
  const Breakdown breakdown = run.breakdown ? run.breakdown() : Breakdown{};
  if (!breakdown.unsound) return write_frame(kWorkerOutput, FrameType::kResult, result);
  std::string why;
  if (!fresh) {
    // An earlier call may be to blame.
    if (breakdown.direction != 0) why = std::to_string(breakdown.direction) + ":" + breakdown.message;
  } else if (breakdown.left != 0) {
    write_frame(kWorkerOutput, FrameType::kPart, std::to_string(breakdown.left) + ":" + result);
  } else {
    write_frame(kWorkerOutput, FrameType::kResult, result);
  }
  write_frame(kWorkerOutput, FrameType::kLeaving, why);
  return false;
}

}  // namespace

int serve(const Result<WorkerRun>& run, std::optional<std::uint64_t> memory_limit) {
  Status limited = run && memory_limit ? limit_memory(*memory_limit) : Status(Done{});
  if (!run || !limited) {
    const Failure& failure = run ? limited.failure() : run.failure();
    write_frame(kWorkerOutput, FrameType::kRefused, std::to_string(static_cast<int>(failure.kind)) + ":" + failure.message);
    return 0;
  }
  if (!write_frame(kWorkerOutput, FrameType::kReady, "{\"run\": " + run->description + "}")) return 1;
  bool fresh = true;
  while (const std::optional<Frame> frame = read_frame(kWorkerInput)) {
    if (frame->type == FrameType::kPlan) {
      const CallPlan plan = run->plan ? run->plan(frame->payload == kWithCosts) : CallPlan{run->positions, {}, {}};
      if (!write_frame(kWorkerOutput, FrameType::kPlan, plan_to_json(plan))) return 1;
    } else if (frame->type == FrameType::kEvaluate) {
      if (!evaluate(*run, frame->payload, fresh)) return 1;
      fresh = false;
    } else {
      return 1;
    }
  }
  return 0;
}

}  // namespace assay
