#include "worker/check_job.hpp"

#include <chrono>

#include "base/text.hpp"
#include "pipeline/result_json.hpp"
#include "report/run_json.hpp"

namespace assay {

namespace {

/// Results that wait in memory for the ones before them; more wait on disk.
constexpr std::size_t kMostRecent = 512;

/// Puts what workers were lost over into a result.
void add_losses(ApiResult& result, const CallOutcome& outcome, const std::string& command) {
  const std::string reproduce = "; reproduce: " + command + " --api '" + result.stem + "'";
  for (const LostDirection& lost : outcome.lost) {
    DirectionResult& row = lost.direction == kForwardDirection ? result.forward : result.backward;
    row = {};
    row.verdict = Verdict::kSkip;
    row.reason = lost.reason;
    row.message = lost.message + ", twice" + reproduce;
    row.damaged = true;
    if (!lost.backtrace.empty()) row.notes.push_back("backtrace: " + lost.backtrace);
  }
  for (const LostDirection& survived : outcome.survived) {
    DirectionResult& row = survived.direction == kForwardDirection ? result.forward : result.backward;
    if (row.verdict == Verdict::kNone || row.message.find(escape_control(survived.message)) != std::string::npos) continue;
    row.notes.push_back("not stable: " + escape_control(survived.message) + "; a second attempt gave this row" +
                        (survived.backtrace.empty() ? "" : "; backtrace: " + survived.backtrace));
  }
}

}  // namespace

Result<WorkerRun> check_worker(Registry& registry, const CheckRequest& request) {
  Result<Check> prepared = Check::prepare(registry, request);
  if (!prepared) return prepared.failure();
  const auto check = std::make_shared<Check>(std::move(*prepared));
  WorkerRun run;
  run.description = run_to_json(check->info(), nullptr);
  run.positions = check->positions();
  run.plan = [check](bool costs) { return check->plan(costs); };
  run.breakdown = [check] { return check->evaluator().breakdown(); };
  run.evaluate = [check](std::size_t position, unsigned directions, const std::string& original, const Started& started) {
    const Evaluator& evaluator = check->evaluator();
    return result_to_json(original.empty() ? evaluator.evaluate(position, directions, started)
                                           : evaluator.stand_in(position, directions, original));
  };
  return run;
}

Result<std::unique_ptr<CheckJob>> CheckJob::start(std::unique_ptr<JobRunner> runner) {
  std::unique_ptr<CheckJob> job(new CheckJob(std::move(runner)));
  if (Status s = job->runner_->start(*job); !s) return s.failure();
  job->info_.api_count = job->runner_->positions().size();
  return job;
}

Result<RunSummary> CheckJob::run(Journal& journal, const std::vector<std::unique_ptr<ResultSink>>& sinks,
                                 const std::atomic<bool>& stop) {
  const auto begun = std::chrono::steady_clock::now();
  journal_ = &journal;
  sinks_ = &sinks;
  for (const auto& sink : sinks) {
    if (Status s = sink->begin(info_); !s) return s.failure();
  }
  Result<bool> finished = runner_->run(*this, runner_->positions(), stop);
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
  result.stem = outcome.stem;
  result.api = outcome.stem.substr(0, outcome.stem.rfind('.'));
  for (const std::string& text : outcome.results) {
    Result<ApiResult> read = result_from_json(text);
    if (!read) return plugin_failure("understand a worker: " + read.failure().message);
    // A part after the first holds what that one has not.
    if (&text != &outcome.results.front() && read->forward.verdict == Verdict::kNone) read->forward = std::move(result.forward);
    result = std::move(*read);
  }
  const bool as_sent =
      outcome.results.size() == 1 && outcome.lost.empty() && outcome.survived.empty() && result.position == outcome.position;
  result.position = outcome.position;
  add_losses(result, outcome, info_.command);
  if (Status s = journal_->append(outcome.position, as_sent ? outcome.results.front() : result_to_json(result)); !s) return s;
  if (recent_.size() < kMostRecent) recent_.emplace(outcome.position, std::move(result));
  return Done{};
}

Status CheckJob::pass_on(std::size_t position) {
  ApiResult result;
  if (auto node = recent_.extract(position); !node.empty()) {
    result = std::move(node.mapped());
  } else {
    Result<std::string> row = journal_->read(position);
    if (!row) return row.failure();
    Result<ApiResult> read = result_from_json(*row);
    if (!read) return input_failure("read a row of the journal: " + read.failure().message);
    result = std::move(*read);
  }
  summary_.counts.add(result);
  for (const auto& sink : *sinks_) {
    if (Status s = sink->add(result); !s) return s;
  }
  return Done{};
}

}  // namespace assay
