#include "worker/check_job.hpp"

#include <chrono>

#include "pipeline/result_json.hpp"
#include "report/run_json.hpp"

namespace assay {

Result<WorkerRun> check_worker(Registry& registry, const CheckRequest& request) {
  Result<Check> prepared = Check::prepare(registry, request);
  if (!prepared) return prepared.failure();
  const auto check = std::make_shared<Check>(std::move(*prepared));
  return WorkerRun{run_to_json(check->info(), nullptr), check->positions(),
                   [check](std::size_t position, unsigned directions, const std::string&, const Started& started) {
                     return result_to_json(check->evaluator().evaluate(position, directions, started));
                   }};
}

Result<std::shared_ptr<CheckJob>> CheckJob::start(SupervisorOptions options) {
  std::shared_ptr<CheckJob> job(new CheckJob(std::move(options)));
  if (Status s = job->supervisor_.start(*job); !s) return s.failure();
  return job;
}

Result<RunSummary> CheckJob::run(const std::vector<std::unique_ptr<ResultSink>>& sinks, const std::atomic<bool>& stop) {
  const auto begun = std::chrono::steady_clock::now();
  sinks_ = &sinks;
  for (const auto& sink : sinks) {
    if (Status s = sink->begin(info_); !s) return s.failure();
  }
  Result<bool> finished = supervisor_.run(*this, supervisor_.positions(), stop);
  if (!finished) return finished.failure();
  summary_.complete = *finished;
  summary_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  for (const auto& sink : sinks) {
    if (Status s = sink->finish(summary_); !s) return s.failure();
  }
  return summary_;
}

Status CheckJob::describe(const rapidjson::Value& json) {
  Result<StoredRun> run = run_from_json(json, "worker");
  if (!run) return run.failure();
  info_ = run->info;
  return Done{};
}

Status CheckJob::keep(const CallOutcome& outcome) {
  ApiResult result;
  if (!outcome.result.empty()) {
    Result<ApiResult> read = result_from_json(outcome.result);
    if (!read) return read.failure();
    result = std::move(*read);
  } else {
    result.stem = outcome.stem;
    result.api = outcome.stem.substr(0, outcome.stem.rfind('.'));
  }
  result.position = outcome.position;
  for (const LostDirection& lost : outcome.lost) {
    DirectionResult& row = lost.direction == kForwardDirection ? result.forward : result.backward;
    row = {};
    row.verdict = Verdict::kSkip;
    row.reason = lost.reason;
    row.message = lost.message;
    row.damaged = true;
  }
  results_[outcome.position] = std::move(result);
  return Done{};
}

Status CheckJob::pass_on(std::size_t position) {
  const auto node = results_.extract(position);
  summary_.counts.add(node.mapped());
  for (const auto& sink : *sinks_) {
    if (Status s = sink->add(node.mapped()); !s) return s;
  }
  return Done{};
}

}  // namespace assay
