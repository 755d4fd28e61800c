#include "worker/supervisor.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "base/locations.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "config/json.hpp"
#include "pipeline/evaluator.hpp"
#include "pipeline/reasons.hpp"
#include "worker/crash_report.hpp"
#include "worker/limits.hpp"
#include "worker/plan_message.hpp"
#include "worker/schedule.hpp"
#include "worker/worker_process.hpp"

namespace assay {

namespace {

using Clock = std::chrono::steady_clock;
using State = WorkerProcess::State;

constexpr std::chrono::minutes kLoadTimeout{5};
constexpr std::chrono::milliseconds kLongestPoll{200};
constexpr std::chrono::milliseconds kGrace{2000};
/// A call over which this many workers are lost is given up.
constexpr std::size_t kDeathsOfCall = 2;
/// Workers that are killed from outside are not the call's fault; but a machine that kills them all must not go on for ever.
constexpr unsigned kKillsOfCall = 8;
constexpr unsigned kFailedLoads = 3;
constexpr unsigned kKilledLoads = 100;
/// Outcomes that are made durable together, and how long one waits for that at most.
constexpr std::size_t kCommitBatch = 256;
constexpr std::chrono::milliseconds kCommitDelay{250};

/// Why a worker is gone.
struct Death {
  const char* reason = reason::kWorkerDied;
  std::string how;
  bool from_outside = false;
};

Death death_of(const Ending& ending) {
  const bool outside = ending.signal == SIGKILL || ending.signal == SIGTERM || ending.signal == SIGINT || ending.signal == SIGHUP;
  if (ending.signal == SIGKILL && ending.peak_bytes > memory_available() / 2) {
    return {reason::kOutOfMemory,
            "memory: the system ended the worker, which had " + std::to_string(ending.peak_bytes >> 20) + " MiB", false};
  }
  return {reason::kWorkerDied, "the worker ended with " + ending.text(), outside};
}

Failure refusal(const std::string& payload) {
  const std::size_t colon = payload.find(':');
  Failure failure{FailureKind::kPlugin, payload.substr(colon + 1)};
  if (colon == 1 && payload[0] >= '0' && payload[0] <= '3') failure.kind = static_cast<FailureKind>(payload[0] - '0');
  return failure;
}

}  // namespace

class Supervisor::Body {
 public:
  explicit Body(SupervisorOptions options) : options_(std::move(options)) {
    // A worker that died is noticed when its pipe ends, not by a signal.
    ::signal(SIGPIPE, SIG_IGN);
  }

  ~Body() { stop_workers(true); }

  Status start(Job& job) {
    std::optional<Frame> ready;
    while (!ready) {
      if (Status s = start_worker(); !s) return s;
      Result<std::optional<Frame>> answer = wait_for(*workers_.front(), FrameType::kReady);
      if (!answer) return answer.failure();
      ready = std::move(*answer);
      if (!ready) workers_.clear();
    }
    workers_.front()->note_ready();
    workers_.front()->send(FrameType::kPlan, options_.workers > 1 ? std::string(kWithCosts) : "");
    Result<std::optional<Frame>> plan = wait_for(*workers_.front(), FrameType::kPlan);
    if (!plan) return plan.failure();
    if (!*plan) return plugin_failure("start the run: the worker ended while it looked for the calls");
    if (Status s = read_plan((*plan)->payload); !s) return s;
    Result<rapidjson::Document> message = parse_json(ready->payload, "worker");
    if (!message) return message.failure();
    if (!message->IsObject() || !message->HasMember("run"))
      return plugin_failure("understand a worker: it doesn't say what the run is");
    return job.describe((*message)["run"]);
  }

  [[nodiscard]] const std::vector<std::size_t>& positions() const { return positions_; }

  Result<bool> run(Job& job, const std::vector<std::size_t>& positions, const std::atomic<bool>& stop) {
    queue(job, positions);
    const bool limited = options_.max_time.count() != 0;
    const Clock::time_point end = Clock::now() + options_.max_time;
    auto next = positions.begin();
    while (next != positions.end()) {
      if (stop.load() || (limited && Clock::now() > end)) {
        stop_workers(false);
        return end_early(job, next, positions.end());
      }
      if (Status s = fill_workers(job); !s) return s.failure();
      if (Status s = pass_on(job, next, positions.end()); !s) return s.failure();
      if (next == positions.end()) break;
      if (Status s = poll_workers(job); !s) return s.failure();
    }
    return true;
  }

 private:
  using Position = std::vector<std::size_t>::const_iterator;

  Status read_plan(const std::string& payload) {
    Result<CallPlan> plan = plan_from_json(payload);
    if (!plan) return plugin_failure("understand a worker: " + plan.failure().message);
    positions_ = std::move(plan->positions);
    orders_ = std::move(plan->orders);
    for (std::size_t i = 0; i < plan->costs.size(); ++i) costs_[positions_[i]] = plan->costs[i];
    return Done{};
  }

  void queue(const Job& job, const std::vector<std::size_t>& positions) {
    std::vector<Costed> calls;
    for (const std::size_t position : positions) {
      if (job.known(position)) {
        finished_.insert(position);
      } else {
        const auto cost = costs_.find(position);
        calls.push_back({position, cost == costs_.end() ? 0 : cost->second});
      }
    }
    log("pipeline")->debug("{} calls to do of {}", calls.size(), positions.size());
    for (const Costed& call : handing_order(std::move(calls), options_.workers)) {
      waiting_.push_back({call.position, kBothDirections, {}, {}, {}, {}, 0});
    }
  }

  [[nodiscard]] unsigned free_slot() const {
    for (unsigned slot = 0;; ++slot) {
      const bool taken = std::any_of(workers_.begin(), workers_.end(),
                                     [&](const auto& w) { return w->slot() == slot && w->state() != State::kStopping; });
      if (!taken) return slot;
    }
  }

  Status start_worker() {
    const unsigned slot = free_slot();
    Result<ChildProcess> child =
        ChildProcess::start(executable_path().string(), options_.arguments, worker_environment(options_, slot));
    if (!child) return child.failure();
    workers_.push_back(std::make_unique<WorkerProcess>(std::move(*child), slot, Clock::now() + kLoadTimeout));
    return Done{};
  }

  /// Blocks for a frame of the first worker; nothing if it was killed from outside and can be replaced.
  Result<std::optional<Frame>> wait_for(WorkerProcess& worker, FrameType type) {
    while (true) {
      const bool open = worker.drain();
      Result<std::optional<Frame>> frame = worker.next_frame();
      if (!frame) return frame.failure();
      if (*frame && (*frame)->type == FrameType::kRefused) return refusal((*frame)->payload);
      if (*frame && (*frame)->type == FrameType::kBacktrace) continue;
      if (*frame && (*frame)->type == type) return frame;
      if (*frame) return plugin_failure("understand a worker: it spoke before it was asked");
      if (!open) {
        const Death death = death_of(worker.process().wait(static_cast<int>(kGrace.count())));
        if (death.from_outside && ++killed_loads_ <= kKilledLoads) return std::optional<Frame>();
        return plugin_failure("start the run: a worker was lost while loading the plugins (" + death.how + ")");
      }
      if (worker.late()) return plugin_failure("start the run: loading the plugins takes longer than 5 minutes");
      pollfd fds[] = {{worker.process().from_child(), POLLIN, 0}, {worker.process().printed(), POLLIN, 0}};
      ::poll(fds, 2, static_cast<int>(kLongestPoll.count()));
    }
  }

  Status fill_workers(const Job& job) {
    const auto count = [&](auto&& what) {
      return static_cast<std::size_t>(std::count_if(workers_.begin(), workers_.end(), [&](const auto& w) { return what(*w); }));
    };
    const std::size_t busy = count([](const WorkerProcess& w) { return w.has_task(); });
    std::size_t alive = count([](const WorkerProcess& w) { return w.state() != State::kStopping; });
    for (; alive < options_.workers && alive < waiting_.size() + busy; ++alive) {
      if (Status s = start_worker(); !s) return s;
    }
    for (const auto& worker : workers_) {
      if (!worker->idle() || waiting_.empty()) continue;
      Task task = std::move(waiting_.front());
      waiting_.pop_front();
      const auto order = orders_.find(task.position);
      const std::string text = order == orders_.end() ? job.order(task.position) : order->second;
      worker->hand_out(std::move(task), text, options_.timeout);
    }
    return Done{};
  }

  [[nodiscard]] int poll_ms() const {
    Clock::time_point soonest = Clock::now() + kLongestPoll;
    for (const auto& worker : workers_) {
      if (!worker->idle()) soonest = std::min(soonest, worker->deadline());
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(soonest - Clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(0, left) + 1);
  }

  Status poll_workers(Job& job) {
    std::vector<pollfd> fds;
    for (const auto& worker : workers_) {
      fds.push_back({worker->process().from_child(), POLLIN, 0});
      fds.push_back({worker->process().printed(), POLLIN, 0});
    }
    ::poll(fds.data(), fds.size(), poll_ms());
    for (auto& worker : workers_) {
      Result<bool> stays = look_after(job, *worker);
      if (!stays) return stays.failure();
      if (!*stays) worker.reset();
    }
    std::erase(workers_, nullptr);
    return Done{};
  }

  /// Serves one worker; false: it is gone. errors  those that end the run
  Result<bool> look_after(Job& job, WorkerProcess& worker) {
    const bool open = worker.drain();
    if (worker.state() == State::kStopping) return !worker.process().leave(0) && !worker.late();
    if (Status served = serve(job, worker); !served) {
      return bury(job, worker, {reason::kWorkerDied, served.failure().message, false});
    }
    if (worker.state() == State::kStopping) return true;
    if (!open) return bury(job, worker, death_of(worker.process().wait(static_cast<int>(kGrace.count()))));
    if (worker.late()) {
      const double seconds = std::chrono::duration<double>(worker.has_task() ? worker.limit() : kLoadTimeout).count();
      Result<bool> buried = bury(job, worker, {reason::kTimeout, "not finished after " + format_number(seconds) + " s", false});
      if (!buried) return buried;
      worker.stop(Clock::now() + kGrace);
      return true;
    }
    return true;
  }

  /// Handles the frames that have come. errors  the worker breaks the protocol, or can't load the plugins
  Status serve(Job& job, WorkerProcess& worker) {
    while (true) {
      Result<std::optional<Frame>> next = worker.next_frame();
      if (!next) return next.failure();
      if (!*next) return Done{};
      Frame& frame = **next;
      if (frame.type == FrameType::kReady && worker.state() == State::kLoading) {
        worker.note_ready();
        failed_loads_ = killed_loads_ = 0;
      } else if (frame.type == FrameType::kRefused && worker.state() == State::kLoading) {
        return refusal(frame.payload);
      } else if (frame.type == FrameType::kBacktrace) {
        worker.note_backtrace(backtrace_text(frame.payload));
      } else if (frame.type == FrameType::kLeaving) {
        if (worker.has_task()) try_again(worker.take_task(), frame.payload);
        worker.stop(Clock::now() + kGrace);
        return Done{};
      } else if (frame.type == FrameType::kPart && worker.has_task()) {
        if (Status s = worker.note_part(frame.payload); !s) return s;
      } else if (frame.type == FrameType::kStarted && worker.has_task()) {
        if (Status s = worker.note_start(frame.payload); !s) return s;
      } else if (frame.type == FrameType::kResult && worker.has_task()) {
        if (Status s = keep(job, worker.outcome(std::move(frame.payload))); !s) return s;
        worker.take_task();
      } else {
        return plugin_failure("understand a worker: a message out of place");
      }
    }
  }

  /// `why`: empty, or "<direction>:<message>".
  void try_again(Task task, const std::string& why) {
    if (why.size() > 2) {
      const unsigned direction = why[0] == '1' ? kForwardDirection : kBackwardDirection;
      task.breakdowns.push_back({direction, reason::kWorkerDied, why.substr(2), {}});
    }
    waiting_.push_front(std::move(task));
  }

  Status keep(Job& job, const CallOutcome& outcome) {
    if (Status s = job.keep(outcome); !s) return s;
    if (kept_.empty()) kept_since_ = Clock::now();
    kept_.push_back(outcome.position);
    return Done{};
  }

  /// A worker is gone. The call goes to another one, or costs a row if that happened before. False, so that callers can return it.
  Result<bool> bury(Job& job, WorkerProcess& worker, const Death& death) {
    if (!worker.has_task()) {
      // A worker that dies without work would die again: the plugins can't be loaded any more.
      unsigned& count = death.from_outside ? killed_loads_ : failed_loads_;
      if (worker.state() == State::kLoading && ++count > (death.from_outside ? kKilledLoads : kFailedLoads)) {
        return plugin_failure("go on: workers are lost while loading the plugins (" + death.how + ")");
      }
      return false;
    }
    Task task = worker.take_task();
    const unsigned direction = worker.direction() != 0 ? worker.direction() : kForwardDirection;
    const char* name = direction == kForwardDirection ? "forward" : "backward";
    if (worker.direction() != 0) log("worker")->warn("{} {}: {}", worker.stem(), name, death.how);
    const bool to_blame = !death.from_outside && worker.direction() != 0;
    if (!to_blame && ++task.killed_from_outside < kKillsOfCall) {
      waiting_.push_front(std::move(task));
      return false;
    }
    task.deaths.push_back({direction, death.reason, death.how + " while judging the " + name + " call", worker.backtrace()});
    const auto same = [&](const LostDirection& each) { return each.direction == direction; };
    if (static_cast<std::size_t>(std::count_if(task.deaths.begin(), task.deaths.end(), same)) >= kDeathsOfCall) {
      task.lost.push_back(task.deaths.back());
      std::erase_if(task.deaths, same);
      task.directions &= ~direction;
    }
    if (task.directions != 0) {
      waiting_.push_front(std::move(task));
      return false;
    }
    if (Status s = keep(job, {task.position, worker.stem(), std::move(task.lost), {}, std::move(task.results)}); !s)
      return s.failure();
    return false;
  }

  Status commit(Job& job) {
    if (kept_.empty()) return Done{};
    if (Status s = job.commit(); !s) return s;
    finished_.insert(kept_.begin(), kept_.end());
    kept_.clear();
    return Done{};
  }

  /// Hands on, in dump order, what is done: what is finished early waits for what is before it.
  Status pass_on(Job& job, Position& next, Position end) {
    const bool nothing_runs = std::none_of(workers_.begin(), workers_.end(), [](const auto& w) { return w->has_task(); });
    if (kept_.size() >= kCommitBatch || nothing_runs || Clock::now() - kept_since_ > kCommitDelay) {
      if (Status s = commit(job); !s) return s;
    }
    while (next != end && finished_.erase(*next) != 0) {
      if (Status s = job.pass_on(*next++); !s) return s;
    }
    return Done{};
  }

  /// Hands on what is done of a run that was stopped; always false.
  Result<bool> end_early(Job& job, Position next, Position end) {
    if (Status s = commit(job); !s) return s.failure();
    for (; next != end; ++next) {
      if (finished_.erase(*next) == 0) continue;
      if (Status s = job.pass_on(*next); !s) return s.failure();
    }
    return false;
  }

  void stop_workers(bool gently) {
    for (const auto& worker : workers_) {
      worker->process().close_input();
      if (!gently || worker->state() == State::kLoading) worker->process().ask_to_stop();
    }
    const Clock::time_point end = Clock::now() + kGrace;
    for (const auto& worker : workers_) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      worker->process().leave(static_cast<int>(std::max<std::int64_t>(0, left)));
      worker->drain();
    }
    workers_.clear();
  }

  SupervisorOptions options_;
  std::vector<std::size_t> positions_;
  std::map<std::size_t, std::uint64_t> costs_;
  std::map<std::size_t, std::string> orders_;
  std::deque<Task> waiting_;
  std::vector<std::size_t> kept_;  ///< not yet durable
  Clock::time_point kept_since_;
  std::set<std::size_t> finished_;  ///< durable, not yet handed on
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  unsigned failed_loads_ = 0;
  unsigned killed_loads_ = 0;
};

Supervisor::Supervisor(SupervisorOptions options) : body_(std::make_unique<Body>(std::move(options))) {}
Supervisor::~Supervisor() = default;
Status Supervisor::start(Job& job) { return body_->start(job); }
const std::vector<std::size_t>& Supervisor::positions() const { return body_->positions(); }
Result<bool> Supervisor::run(Job& job, const std::vector<std::size_t>& positions, const std::atomic<bool>& stop) {
  return body_->run(job, positions, stop);
}

}  // namespace assay
