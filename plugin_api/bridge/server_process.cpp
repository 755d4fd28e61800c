#include "bridge/server_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <future>

#include "assay/sdk/error.hpp"

namespace assay::bridge {
namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr unsigned kFirstInherited = static_cast<unsigned>(kServerSocket) + 1;

std::pair<FileDescriptor, FileDescriptor> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(ASSAY_INTERNAL, std::string("can't make a pipe: ") + std::strerror(errno));
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Moves a descriptor out of the range that the child rearranges.
int lift(int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, 10); }

struct ChildSetup {
  char* const* argv;
  pid_t parent;
  int null_read, log_write, socket, error_write;  // all above kServerSocket
};

/// Between fork and exec: async-signal-safe calls only.
[[noreturn]] void become_server(const ChildSetup& setup) {
  ::setpgid(0, 0);
  // The kernel ends the server when the thread that forked it ends, whatever way our process dies.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  bool ok = ::getppid() == setup.parent;
  ok = ok && ::dup2(setup.null_read, 0) >= 0 && ::dup2(setup.log_write, 1) >= 0 && ::dup2(setup.log_write, 2) >= 0 &&
       ::dup2(setup.socket, kServerSocket) >= 0;
  // Only the pipe that reports a failing exec stays open beside 0..3, and exec closes it.
  if (ok && setup.error_write > kServerSocket + 1)
    ::syscall(SYS_close_range, kFirstInherited, static_cast<unsigned>(setup.error_write) - 1, 0u);
  ::syscall(SYS_close_range, static_cast<unsigned>(setup.error_write) + 1, ~0u, 0u);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  if (ok) ::execv(setup.argv[0], setup.argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(setup.error_write, &error, sizeof error);
  ::_exit(127);
}

/// Gives the process, or -1 after writing why to `error_write`.
pid_t fork_server(std::vector<std::string>& command, int socket, int log_write, int error_write) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const FileDescriptor null_read(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const FileDescriptor high_null(lift(null_read.get()));
  const FileDescriptor high_log(lift(log_write));
  const FileDescriptor high_socket(lift(socket));
  const FileDescriptor high_error(lift(error_write));
  const ChildSetup setup{argv.data(), ::getpid(), high_null.get(), high_log.get(), high_socket.get(), high_error.get()};
  const pid_t child = ::fork();
  if (child == 0) become_server(setup);
  if (child < 0) {
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(error_write, &error, sizeof error);
    return -1;
  }
  ::setpgid(child, child);
  return child;
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return "was killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  }
  return "exited with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ServerProcess::ServerProcess(std::vector<std::string> command, LineSink on_line) {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    throw Error(ASSAY_INTERNAL, std::string("can't make a socketpair: ") + std::strerror(errno));
  channel_ = std::make_unique<Channel>(FileDescriptor(sockets[0]));
  FileDescriptor server_socket(sockets[1]);
  auto [log_read, log_write] = make_pipe();
  auto [error_read, error_write] = make_pipe();
  log_read_ = std::move(log_read);
  stop_pump_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC));

  const std::string program = command.front();
  std::promise<pid_t> forked;
  std::future<pid_t> child = forked.get_future();
  // The thread forks and then lives as long as the server: PR_SET_PDEATHSIG watches a thread, not a process.
  keeper_ = std::thread([this, command = std::move(command), sink = std::move(on_line), socket = std::move(server_socket),
                         log = std::move(log_write), error = std::move(error_write), promise = std::move(forked)]() mutable {
    const pid_t pid = fork_server(command, socket.get(), log.get(), error.get());
    socket.reset();
    log.reset();
    error.reset();
    promise.set_value(pid);
    if (pid > 0) pump_lines(sink);
  });
  pid_ = child.get();
  int exec_error = 0;
  ssize_t n = 0;
  do {
    n = ::read(error_read.get(), &exec_error, sizeof exec_error);
  } while (n < 0 && errno == EINTR);
  if (n != 0 || pid_ < 0) {
    stop(std::chrono::milliseconds(0));
    throw Error(ASSAY_UNSUPPORTED, "can't start '" + program + "': " + std::strerror(exec_error));
  }
}

ServerProcess::~ServerProcess() { stop(std::chrono::milliseconds(2000)); }

void ServerProcess::pump_lines(const LineSink& on_line) const {
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) on_line(line);
    line.clear();
  };
  std::array<char, 4096> buffer{};
  for (;;) {
    std::array<pollfd, 2> p{pollfd{log_read_.get(), POLLIN, 0}, pollfd{stop_pump_.get(), POLLIN, 0}};
    if (::poll(p.data(), p.size(), -1) < 0 && errno != EINTR) break;
    if ((p[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      const ssize_t n = ::read(log_read_.get(), buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n > 0) {
        for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(n))) {
          if (c == '\n' || line.size() >= kLongestLine) flush();
          if (c != '\n') line.push_back(c);
        }
        continue;
      }
      // The server closed its output but may still live: stay for it.
      flush();
      pollfd stop{stop_pump_.get(), POLLIN, 0};
      while (::poll(&stop, 1, -1) < 0 && errno == EINTR) {
      }
      break;
    }
    if ((p[1].revents & POLLIN) != 0) break;
  }
  flush();
}

bool ServerProcess::ended_within(std::chrono::milliseconds grace) const {
  const auto end = std::chrono::steady_clock::now() + grace;
  for (;;) {
    siginfo_t info{};
    // Not reaped yet: as long as the process is a zombie, nobody else can get the number of its group.
    const int got = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if ((got == 0 && info.si_pid == pid_) || (got != 0 && errno == ECHILD)) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

std::string ServerProcess::stop(std::chrono::milliseconds grace) {
  channel_->close();
  if (pid_ > 0 && !reaped_) {
    (void)ended_within(grace);
    ::kill(-pid_, SIGKILL);  // the group: helpers that the framework may have started, too
    while (::waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
  }
  if (keeper_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(stop_pump_.get(), &one, sizeof one);
    keeper_.join();
  }
  return end_of(wait_status_);
}

}  // namespace assay::bridge
