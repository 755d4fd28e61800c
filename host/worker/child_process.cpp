#include "worker/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace assay {

namespace {

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::vector<std::string> out = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& each : added) replaced = replaced || each.rfind(name, 0) == 0;
    if (!replaced) out.push_back(text);
  }
  return out;
}

/// A pipe whose ends lie above the descriptors that the child's are moved to.
bool high_pipe(int ends[2]) {
  int low[2];
  if (::pipe2(low, O_CLOEXEC) != 0) return false;
  for (int i = 0; i < 2; ++i) {
    ends[i] = ::fcntl(low[i], F_DUPFD_CLOEXEC, 10);
    ::close(low[i]);
  }
  return ends[0] >= 0 && ends[1] >= 0;
}

}  // namespace

std::string Ending::text() const {
  if (signal != 0) return "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
  return "exit code " + std::to_string(exit_code);
}

Result<ChildProcess> ChildProcess::start(const std::string& program, const std::vector<std::string>& arguments,
                                         const std::vector<std::string>& environment) {
  int input[2] = {-1, -1};
  int output[2] = {-1, -1};
  int printed[2] = {-1, -1};
  if (!high_pipe(input) || !high_pipe(output) || !high_pipe(printed)) {
    return internal_failure("start a worker: " + std::string(std::strerror(errno)));
  }
  ChildProcess child;
  child.to_child_ = input[1];
  child.from_child_ = output[0];
  child.printed_ = printed[0];

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], kWorkerInput);
  posix_spawn_file_actions_adddup2(&actions, output[1], kWorkerOutput);
  posix_spawn_file_actions_adddup2(&actions, printed[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, printed[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> argv = {program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const std::vector<std::string> env = merged_environment(environment);
  const int error = ::posix_spawn(&child.pid_, program.c_str(), &actions, &attributes, pointers(argv).data(), pointers(env).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(input[0]);
  ::close(output[1]);
  ::close(printed[1]);
  if (error != 0) {
    child.pid_ = -1;
    return internal_failure("start a worker: " + std::string(std::strerror(error)));
  }
  ::fcntl(child.from_child_, F_SETFL, O_NONBLOCK);
  ::fcntl(child.printed_, F_SETFL, O_NONBLOCK);
  return child;
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(to_child_, other.to_child_);
  std::swap(from_child_, other.from_child_);
  std::swap(printed_, other.printed_);
  std::swap(ending_, other.ending_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (running()) end();
  close_pipes();
}

void ChildProcess::close_input() { close_fd(to_child_); }

void ChildProcess::close_pipes() {
  close_fd(to_child_);
  close_fd(from_child_);
  close_fd(printed_);
}

Ending ChildProcess::reap(int options) {
  if (!running()) return ending_;
  int status = 0;
  rusage usage{};
  pid_t reaped = 0;
  do {
    reaped = ::wait4(pid_, &status, options, &usage);
  } while (reaped < 0 && errno == EINTR);
  if (reaped != pid_) return ending_;
  // The group may hold children of the worker (an interpreter, say) that outlive it.
  ::kill(-pid_, SIGKILL);
  pid_ = -1;
  ending_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ending_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  ending_.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return ending_;
}

bool ChildProcess::leave(int ms) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (true) {
    reap(WNOHANG);
    if (!running()) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void ChildProcess::ask_to_stop() const {
  if (!running()) return;
  ::kill(-pid_, SIGTERM);
  ::kill(-pid_, SIGCONT);
}

Ending ChildProcess::end() {
  if (running()) ::kill(-pid_, SIGKILL);
  return reap(0);
}

Ending ChildProcess::wait(int grace_ms) {
  leave(grace_ms);
  return end();
}

}  // namespace assay
