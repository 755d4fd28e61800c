#include "perturb/perturb_job.hpp"

#include <chrono>
#include <cstdlib>

#include "base/text.hpp"
#include "perturb/perturb_json.hpp"

namespace assay {

namespace {

/// An order that starts with this asks for the call's answers in the steps that follow, "ask 1,7"; any other one is empty or holds
/// the thresholds to judge with.
constexpr std::string_view kAsk = "ask ";

std::string answer(const Perturber& perturber, std::size_t position, unsigned directions, std::string_view steps,
                   const Started& started) {
  std::vector<PreheatAnswer> answers;
  // Only forward calls are asked; without them there is nothing left to do.
  if ((directions & kForwardDirection) == 0) return answers_to_json(answers);
  for (const std::string_view step : split(steps, ',')) {
    answers.push_back(perturber.ask(position, std::atoi(std::string(step).c_str()), started));
  }
  return answers_to_json(answers);
}

/// Has the workers ask calls about their samples.
class PreheatJob final : public Job {
 public:
  PreheatJob(const std::vector<std::size_t>& positions, std::vector<std::vector<int>> steps) : steps_(std::move(steps)) {
    for (std::size_t call = 0; call < positions.size(); ++call) {
      calls_[positions[call]] = call;
      if (!steps_[call].empty()) asked_.push_back(positions[call]);
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& asked() const { return asked_; }
  [[nodiscard]] const PreheatAnswers& answers() const { return answers_; }

  Status describe(const rapidjson::Value&) override { return Done{}; }

  [[nodiscard]] std::string order(std::size_t position) const override {
    std::vector<std::string> steps;
    for (const int step : steps_[calls_.at(position)]) steps.push_back(std::to_string(step));
    return std::string(kAsk) + join(steps, ",");
  }

  Status keep(const CallOutcome& outcome) override {
    // A call that takes workers with it teaches nothing; it gets its row when it is measured.
    if (outcome.results.empty() || !outcome.lost.empty()) return Done{};
    Result<std::vector<PreheatAnswer>> answers = answers_from_json(outcome.results.front());
    if (!answers) return answers.failure();
    const std::size_t call = calls_.at(outcome.position);
    if (answers->size() != steps_[call].size()) return plugin_failure("understand a worker: answers to other questions");
    for (std::size_t i = 0; i < answers->size(); ++i) answers_[{call, steps_[call][i]}] = (*answers)[i];
    return Done{};
  }

  Status pass_on(std::size_t) override { return Done{}; }

 private:
  std::vector<std::vector<int>> steps_;       ///< by call
  std::map<std::size_t, std::size_t> calls_;  ///< by position
  std::vector<std::size_t> asked_;            ///< positions
  PreheatAnswers answers_;
};

std::string with_backtrace(const LostDirection& lost, const std::string& message) {
  return escape_control(message + (lost.backtrace.empty() ? "" : "; backtrace: " + lost.backtrace));
}

const char* name_of(unsigned direction) { return direction == kForwardDirection ? "forward" : "backward"; }

PerturbRow lost_row(const std::string& stem, const LostDirection& lost, const std::string& command) {
  PerturbRow row;
  row.direction = name_of(lost.direction);
  row.name = stem + "." + row.direction;
  row.api = stem.substr(0, stem.rfind('.'));
  row.reason = lost.reason;
  row.message = with_backtrace(lost, lost.message + ", twice; reproduce: " + command + " --api '" + stem + "'");
  row.damaged = true;
  return row;
}

/// Says in the rows of a direction that a worker was lost over it before they were measured.
void note_survived(PerturbReport& report, const LostDirection& survived) {
  for (PerturbRow& row : report.rows) {
    if (row.direction != name_of(survived.direction) || row.message.find(survived.message) != std::string::npos) continue;
    row.message += (row.message.empty() ? "" : "; ") +
                   with_backtrace(survived, "not stable: " + survived.message + "; a second attempt gave this row");
  }
}

}  // namespace

Result<WorkerRun> perturb_worker(Registry& registry, const PerturbRequest& request) {
  Result<PerturbRun> prepared = PerturbRun::prepare(registry, request);
  if (!prepared) return prepared.failure();
  const auto run = std::make_shared<PerturbRun>(std::move(*prepared));
  const auto evaluate = [run](std::size_t position, unsigned directions, const std::string& order, const Started& started) {
    const Perturber& perturber = run->perturber();
    if (order.starts_with(kAsk))
      return answer(perturber, position, directions, std::string_view(order).substr(kAsk.size()), started);
    const Result<Preheat::Thresholds> thresholds = thresholds_from_json(order);
    return report_to_json(perturber.evaluate(position, directions, thresholds ? &*thresholds : nullptr, started));
  };
  WorkerRun out;
  out.description = info_to_json(run->info());
  out.positions = run->positions();
  out.evaluate = evaluate;
  out.breakdown = [run] { return run->perturber().breakdown(); };
  return out;
}

PerturbJob::PerturbJob(std::unique_ptr<JobRunner> runner, const PerturbConfig& config)
    : runner_(std::move(runner)),
      preheats_(config.handler == PerturbHandler::kPreheat),
      preheat_options_{config.preheat_steps, config.preheat_samples} {}

Result<std::unique_ptr<PerturbJob>> PerturbJob::start(std::unique_ptr<JobRunner> runner, const PerturbConfig& config) {
  std::unique_ptr<PerturbJob> job(new PerturbJob(std::move(runner), config));
  if (Status s = job->runner_->start(*job); !s) return s.failure();
  return job;
}

Result<PerturbSummary> PerturbJob::run(const std::vector<std::unique_ptr<PerturbSink>>& sinks, const std::atomic<bool>& stop) {
  const auto begun = std::chrono::steady_clock::now();
  sinks_ = &sinks;
  for (const auto& sink : sinks) {
    if (Status s = sink->begin(info_); !s) return s.failure();
  }
  std::vector<Preheat::Learned> learned;
  if (preheats_) {
    Result<Preheat> taught = preheat(stop);
    if (!taught) return taught.failure();
    learned = taught->learned();
    for (std::size_t call = 0; call < info_.apis.size(); ++call) {
      orders_[runner_->positions()[call]] = thresholds_to_json(taught->thresholds(info_.apis[call]));
    }
  }
  Result<bool> finished = runner_->run(*this, runner_->positions(), stop);
  if (!finished) return finished.failure();
  PerturbSummary summary;
  summary.complete = *finished;
  ranking_.fill(summary);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  for (const auto& sink : sinks) {
    if (Status s = sink->finish(summary, learned); !s) return s.failure();
  }
  return summary;
}

Result<Preheat> PerturbJob::preheat(const std::atomic<bool>& stop) {
  PreheatJob job(runner_->positions(), preheat_plan(preheat_options_, info_.apis));
  if (Result<bool> finished = runner_->run(job, job.asked(), stop); !finished) return finished.failure();
  return preheat_from(preheat_options_, info_.apis, job.answers());
}

Status PerturbJob::describe(const rapidjson::Value& run) {
  Result<PerturbInfo> info = info_from_json(run);
  if (!info) return info.failure();
  if (info->apis.size() != runner_->positions().size()) return plugin_failure("understand a worker: other APIs than calls");
  info_ = std::move(*info);
  return Done{};
}

std::string PerturbJob::order(std::size_t position) const {
  const auto found = orders_.find(position);
  return found == orders_.end() ? std::string() : found->second;
}

Status PerturbJob::keep(const CallOutcome& outcome) {
  PerturbReport report;
  report.stem = outcome.stem;
  for (const std::string& result : outcome.results) {
    Result<PerturbReport> read = report_from_json(result);
    if (!read) return read.failure();
    report.stem = read->stem;
    std::move(read->rows.begin(), read->rows.end(), std::back_inserter(report.rows));
    std::move(read->peer_rows.begin(), read->peer_rows.end(), std::back_inserter(report.peer_rows));
  }
  for (const LostDirection& lost : outcome.lost) {
    const auto at = lost.direction == kForwardDirection ? report.rows.begin() : report.rows.end();
    report.rows.insert(at, lost_row(report.stem, lost, info_.command));
  }
  for (const LostDirection& survived : outcome.survived) note_survived(report, survived);
  reports_[outcome.position] = std::move(report);
  return Done{};
}

Status PerturbJob::pass_on(std::size_t position) {
  const auto node = reports_.extract(position);
  ranking_.add(node.mapped());
  for (const auto& sink : *sinks_) {
    if (Status s = sink->add(node.mapped()); !s) return s;
  }
  return Done{};
}

}  // namespace assay
