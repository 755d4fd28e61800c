#include "worker/supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <set>
#include <thread>

#include "base/locations.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "config/json.hpp"
#include "pipeline/evaluator.hpp"
#include "pipeline/reasons.hpp"
#include "worker/child_process.hpp"
#include "worker/frames.hpp"

namespace assay {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kLoadTimeout{5};
constexpr int kPollMs = 200;
constexpr int kGraceMs = 2000;

/// A call that is being judged or waits to be: which directions are left, and what is known already.
struct Task {
  std::size_t position = 0;
  unsigned directions = kBothDirections;
  std::vector<LostDirection> lost;
};

struct Worker {
  explicit Worker(ChildProcess started) : process(std::move(started)) {}

  ChildProcess process;
  FrameBuffer buffer;
  bool ready = false;
  std::optional<Task> task;
  bool forward_started = false;
  bool backward_started = false;
  std::string stem;
  Clock::time_point deadline;
};

}  // namespace

class Supervisor::Body {
 public:
  explicit Body(SupervisorOptions options) : options_(std::move(options)) {
    // A worker that died is noticed when its pipe ends, not by a signal.
    ::signal(SIGPIPE, SIG_IGN);
  }

  ~Body() { stop_workers(true); }

  Status start(Job& job) {
    if (Status s = start_worker(); !s) return s;
    Worker& worker = *workers_.front();
    while (!worker.ready) {
      Result<std::optional<Frame>> frame = wait_for_frame(worker);
      if (!frame) return frame.failure();
      if (!*frame) {
        return plugin_failure("start the run: a worker ended while loading the plugins (" + worker.process.wait() + ")");
      }
      if ((*frame)->type == FrameType::kRefused) return refusal((*frame)->payload);
      if (Status s = get_ready(worker, **frame, &job); !s) return s;
    }
    return Done{};
  }

  [[nodiscard]] const std::vector<std::size_t>& positions() const { return positions_; }

  Result<bool> run(Job& job, const std::vector<std::size_t>& positions, const std::atomic<bool>& stop) {
    for (const std::size_t position : positions) waiting_.push_back({position, kBothDirections, {}});
    log("pipeline")->debug("first call of {}", positions.size());
    auto next = positions.begin();
    while (next != positions.end()) {
      if (stop.load()) {
        stop_workers(false);
        return false;
      }
      if (Status s = fill_workers(job); !s) return s.failure();
      if (Status s = poll_workers(job); !s) return s.failure();
      // In dump order: what is finished early waits for what is before it.
      while (next != positions.end() && finished_.erase(*next) != 0) {
        if (Status s = job.pass_on(*next++); !s) return s.failure();
      }
    }
    return true;
  }

 private:
  Status start_worker() {
    std::vector<std::string> environment;
    if (options_.threads != 0) {
      environment.push_back("OMP_NUM_THREADS=" + std::to_string(options_.threads));
    } else if (options_.workers > 1) {
      const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
      environment.push_back("OMP_NUM_THREADS=" + std::to_string(std::max(1u, cores / options_.workers)));
    }
    Result<ChildProcess> child = ChildProcess::start(executable_path().string(), options_.arguments, environment);
    if (!child) return child.failure();
    workers_.push_back(std::make_unique<Worker>(std::move(*child)));
    workers_.back()->deadline = Clock::now() + kLoadTimeout;
    return Done{};
  }

  static Failure refusal(const std::string& payload) {
    const std::size_t colon = payload.find(':');
    Failure failure{FailureKind::kPlugin, payload.substr(colon + 1)};
    if (colon == 1 && payload[0] >= '0' && payload[0] <= '3') failure.kind = static_cast<FailureKind>(payload[0] - '0');
    return failure;
  }

  /// Everything that the worker has written so far goes into its buffer; false at the end of its pipe.
  static bool drain(Worker& worker) {
    char bytes[65536];
    while (true) {
      const ssize_t n = ::read(worker.process.from_child(), bytes, sizeof bytes);
      if (n > 0) {
        worker.buffer.append({bytes, static_cast<std::size_t>(n)});
      } else if (n < 0 && errno == EINTR) {
        continue;
      } else {
        return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
      }
    }
  }

  /// Blocks for one frame of a worker that is loading; nothing if it ended.
  Result<std::optional<Frame>> wait_for_frame(Worker& worker) {
    while (true) {
      Result<std::optional<Frame>> frame = worker.buffer.next();
      if (!frame || *frame) return frame;
      if (Clock::now() > worker.deadline) return plugin_failure("start the run: loading the plugins takes longer than 5 minutes");
      pollfd fd{worker.process.from_child(), POLLIN, 0};
      ::poll(&fd, 1, kPollMs);
      if (!drain(worker)) {
        frame = worker.buffer.next();
        if (!frame || *frame) return frame;
        return std::optional<Frame>();
      }
    }
  }

  /// job  of the first worker: learns what the run is; null for later ones
  Status get_ready(Worker& worker, const Frame& frame, Job* job) {
    if (frame.type != FrameType::kReady) return plugin_failure("understand a worker: it spoke before it was ready");
    worker.ready = true;
    if (job == nullptr) return Done{};
    Result<rapidjson::Document> message = parse_json(frame.payload, "worker");
    if (!message) return message.failure();
    for (const auto& position : (*message)["positions"].GetArray()) positions_.push_back(position.GetUint64());
    return job->describe((*message)["run"]);
  }

  Status fill_workers(const Job& job) {
    // The first worker is there; the others start when there is work for them.
    while (workers_.size() < options_.workers && workers_.size() < waiting_.size() + busy()) {
      if (Status s = start_worker(); !s) return s;
    }
    if (workers_.empty() && !waiting_.empty()) {
      if (Status s = start_worker(); !s) return s;
    }
    for (const auto& worker : workers_) {
      if (!worker->ready || worker->task || waiting_.empty()) continue;
      worker->task = std::move(waiting_.front());
      waiting_.pop_front();
      worker->forward_started = worker->backward_started = false;
      worker->stem.clear();
      worker->deadline = Clock::now() + options_.timeout;
      write_frame(worker->process.to_child(), FrameType::kEvaluate,
                  std::to_string(worker->task->position) + ":" + std::to_string(worker->task->directions) + ":" +
                      job.order(worker->task->position));
    }
    return Done{};
  }

  [[nodiscard]] std::size_t busy() const {
    return static_cast<std::size_t>(
        std::count_if(workers_.begin(), workers_.end(), [](const auto& w) { return w->task.has_value(); }));
  }

  Status poll_workers(Job& job) {
    std::vector<pollfd> fds;
    for (const auto& worker : workers_) fds.push_back({worker->process.from_child(), POLLIN, 0});
    ::poll(fds.data(), fds.size(), kPollMs);
    std::vector<std::unique_ptr<Worker>> alive;
    for (auto& worker : workers_) {
      const bool open = drain(*worker);
      Status served = serve(job, *worker);
      if (!served) {
        worker->process.stop(0);
        if (Status s = bury(job, *worker, reason::kWorkerDied, served.failure().message); !s) return s;
      } else if (!open) {
        if (Status s = bury(job, *worker, reason::kWorkerDied, "the worker ended with " + worker->process.wait()); !s) return s;
      } else if ((worker->task || !worker->ready) && Clock::now() > worker->deadline) {
        worker->process.stop(kGraceMs);
        const std::string limit = format_number(std::chrono::duration<double>(options_.timeout).count());
        if (Status s = bury(job, *worker, reason::kTimeout, "not finished after " + limit + " s"); !s) return s;
      } else {
        alive.push_back(std::move(worker));
      }
    }
    workers_ = std::move(alive);
    return Done{};
  }

  /// Handles the frames that have come. errors  kPlugin: the worker breaks the protocol
  Status serve(Job& job, Worker& worker) {
    while (true) {
      Result<std::optional<Frame>> frame = worker.buffer.next();
      if (!frame) return frame.failure();
      if (!*frame) return Done{};
      if ((*frame)->type == FrameType::kReady && !worker.ready) {
        if (Status s = get_ready(worker, **frame, nullptr); !s) return s;
      } else if ((*frame)->type == FrameType::kRefused && !worker.ready) {
        return refusal((*frame)->payload);
      } else if ((*frame)->type == FrameType::kStarted && worker.task) {
        const std::vector<std::string_view> parts = split((*frame)->payload, ':');
        if (parts.size() < 3) return plugin_failure("understand a worker: a broken message");
        (parts[1] == "forward" ? worker.forward_started : worker.backward_started) = true;
        worker.stem = std::string((*frame)->payload.substr(parts[0].size() + parts[1].size() + 2));
        worker.deadline = Clock::now() + options_.timeout;
      } else if ((*frame)->type == FrameType::kResult && worker.task) {
        const Task& task = *worker.task;
        if (Status s = job.keep({task.position, worker.stem, task.lost, std::move((*frame)->payload)}); !s) return s;
        finished_.insert(task.position);
        worker.task.reset();
      } else {
        return plugin_failure("understand a worker: a message out of place");
      }
    }
  }

  /// The direction that was being judged costs a row; what is left of the call goes to another worker.
  Status bury(Job& job, Worker& worker, const char* reason, const std::string& how) {
    if (!worker.task) {
      // A worker that dies without work would die again: the plugins can't be loaded any more.
      if (++idle_deaths_ > 3) return plugin_failure("go on: workers die while loading the plugins (" + how + ")");
      return Done{};
    }
    Task task = std::move(*worker.task);
    const bool in_backward = worker.backward_started;
    log("worker")->warn("{} {}: {}", worker.stem, in_backward ? "backward" : "forward", how);
    const std::string message = how + " while judging the " + (in_backward ? "backward" : "forward") + " call";
    const unsigned direction = in_backward ? kBackwardDirection : kForwardDirection;
    task.lost.push_back({direction, reason, message});
    task.directions &= ~direction;
    if (task.directions == 0 || worker.stem.empty()) {
      finished_.insert(task.position);
      return job.keep({task.position, worker.stem, std::move(task.lost), {}});
    }
    waiting_.push_front(std::move(task));
    return Done{};
  }

  void stop_workers(bool gently) {
    for (const auto& worker : workers_) worker->process.close_input();
    for (const auto& worker : workers_) {
      if (!gently || !worker->process.leave(kGraceMs)) worker->process.stop(0);
    }
    workers_.clear();
  }

  SupervisorOptions options_;
  std::vector<std::size_t> positions_;
  std::deque<Task> waiting_;
  std::set<std::size_t> finished_;
  std::vector<std::unique_ptr<Worker>> workers_;
  int idle_deaths_ = 0;
};

Supervisor::Supervisor(SupervisorOptions options) : body_(std::make_unique<Body>(std::move(options))) {}
Supervisor::~Supervisor() = default;
Status Supervisor::start(Job& job) { return body_->start(job); }
const std::vector<std::size_t>& Supervisor::positions() const { return body_->positions(); }
Result<bool> Supervisor::run(Job& job, const std::vector<std::size_t>& positions, const std::atomic<bool>& stop) {
  return body_->run(job, positions, stop);
}

}  // namespace assay
