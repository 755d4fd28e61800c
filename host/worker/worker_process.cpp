#include "worker/worker_process.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <thread>

#include "base/log.hpp"
#include "base/text.hpp"
#include "pipeline/evaluator.hpp"

namespace assay {

namespace {

/// Tensors up to this size fit into the timeout; larger ones get more.
constexpr std::uint64_t kBytesInTimeout = std::uint64_t{256} << 20;
/// Of a call whose dump names sizes that no machine has, in timeouts.
constexpr std::uint64_t kLongestTimeout = 1000;
/// What a call may print; a framework that prints without end must not fill a disk.
constexpr std::size_t kMaxPrinted = std::size_t{4} << 20;

/// Reads what is there; false at the end of the pipe. `use` takes each piece.
template <class Use>
bool read_available(int fd, const Use& use) {
  char bytes[65536];
  // A flood must not keep the supervisor from its other workers.
  for (int piece = 0; piece < 64; ++piece) {
    const ssize_t n = ::read(fd, bytes, sizeof bytes);
    if (n > 0) {
      use(std::string_view(bytes, static_cast<std::size_t>(n)));
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }
  }
  return true;
}

void write_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

std::vector<std::string> worker_environment(const SupervisorOptions& options, unsigned slot) {
  std::vector<std::string> variables;
  if (options.threads != 0) {
    variables.push_back("OMP_NUM_THREADS=" + std::to_string(options.threads));
  } else if (options.workers > 1) {
    unsigned threads = std::max(1u, std::thread::hardware_concurrency() / options.workers);
    if (const char* set = std::getenv("OMP_NUM_THREADS"); set != nullptr && std::atoi(set) > 0) {
      threads = std::min(threads, static_cast<unsigned>(std::atoi(set)));
    }
    variables.push_back("OMP_NUM_THREADS=" + std::to_string(threads));
  }
  if (!options.devices.empty()) {
    const std::string& device = options.devices[slot % options.devices.size()];
    for (const char* name : {"CUDA_VISIBLE_DEVICES=", "ASCEND_RT_VISIBLE_DEVICES=", "HIP_VISIBLE_DEVICES="}) {
      variables.push_back(name + device);
    }
  }
  return variables;
}

bool WorkerProcess::drain() {
  read_available(process_.printed(), [&](std::string_view text) {
    const std::size_t before = printed_bytes_;
    printed_bytes_ += text.size();
    if (before >= kMaxPrinted) return;
    write_to_stderr(text);
    if (printed_bytes_ >= kMaxPrinted) log("worker")->warn("{} prints more than {} bytes; the rest is dropped", stem_, kMaxPrinted);
  });
  return read_available(process_.from_child(), [&](std::string_view bytes) { buffer_.append(bytes); });
}

void WorkerProcess::hand_out(Task task, const std::string& order, std::chrono::milliseconds timeout) {
  timeout_ = limit_ = timeout;
  deadline_ = Clock::now() + limit_;
  direction_ = 0;
  stem_.clear();
  printed_bytes_ = 0;
  send(FrameType::kEvaluate, std::to_string(task.position) + ":" + std::to_string(task.directions) + ":" + order);
  task_ = std::move(task);
}

Status WorkerProcess::note_start(const std::string& payload) {
  const std::vector<std::string_view> parts = split(payload, ':');
  std::uint64_t cost = 0;
  const bool whole = task_ && parts.size() >= 4 && parts[0] == std::to_string(task_->position) &&
                     std::from_chars(parts[2].begin(), parts[2].end(), cost).ec == std::errc();
  if (!whole) {
    return plugin_failure("understand a worker: a broken message");
  }
  direction_ = parts[1] == "forward" ? kForwardDirection : kBackwardDirection;
  stem_ = payload.substr(parts[0].size() + parts[1].size() + parts[2].size() + 3);
  limit_ = timeout_ * static_cast<std::int64_t>(std::min(1 + cost / kBytesInTimeout, kLongestTimeout));
  deadline_ = Clock::now() + limit_;
  return Done{};
}

Status WorkerProcess::note_part(const std::string& payload) {
  const unsigned left = payload.size() > 2 && payload[1] == ':' && payload[0] >= '1' && payload[0] <= '3'
                            ? static_cast<unsigned>(payload[0] - '0')
                            : 0;
  if (left == 0 || (left & task_->directions) != left) return plugin_failure("understand a worker: a broken message");
  task_->directions = left;
  task_->results.push_back(payload.substr(2));
  direction_ = 0;
  return Done{};
}

CallOutcome WorkerProcess::outcome(std::string result) const {
  CallOutcome outcome{task_->position, stem_, task_->lost, task_->deaths, task_->results};
  outcome.survived.insert(outcome.survived.end(), task_->breakdowns.begin(), task_->breakdowns.end());
  outcome.results.push_back(std::move(result));
  return outcome;
}

Task WorkerProcess::take_task() {
  Task task = std::move(*task_);
  task_.reset();
  return task;
}

void WorkerProcess::stop(Clock::time_point deadline) {
  process_.ask_to_stop();
  state_ = State::kStopping;
  deadline_ = deadline;
}

}  // namespace assay
