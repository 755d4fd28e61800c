#include "validator/child.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace assay::validator {

namespace {

constexpr std::size_t kMaxMessage = 1 << 16;

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

Verdict run_here(const Check& check, const Subject& subject) {
  try {
    check.run(subject);
    return {Outcome::kPassed, ""};
  } catch (const Verdict& verdict) {
    return verdict;
  } catch (const std::exception& e) {
    return {Outcome::kFailed, std::string("an exception came through the boundary: ") + e.what()};
  } catch (...) {
    return {Outcome::kFailed, "an exception came through the boundary"};
  }
}

Child::Child(const Check& check, const Subject& subject) : started_(std::chrono::steady_clock::now()) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::fflush(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (pid_ == 0) {
    ::close(ends[0]);
    // A group of its own, so that processes which the plugin starts end with it.
    ::setpgid(0, 0);
    const Verdict verdict = run_here(check, subject);
    write_all(ends[1], std::to_string(static_cast<int>(verdict.outcome)) + verdict.message.substr(0, kMaxMessage));
    // Without exit handlers: they belong to the parent.
    ::_exit(0);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

Child::~Child() {
  if (pid_ > 0) {
    stop();
    ::waitpid(pid_, nullptr, 0);
  }
  if (pipe_ >= 0) ::close(pipe_);
}

bool Child::read_more() {
  char buffer[4096];
  const ssize_t n = ::read(pipe_, buffer, sizeof buffer);
  if (n < 0 && errno == EINTR) return false;
  if (n <= 0) return true;
  if (written_.size() < 2 * kMaxMessage) written_.append(buffer, static_cast<std::size_t>(n));
  return false;
}

void Child::stop() {
  stopped_ = true;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
}

Verdict Child::finish() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  // What the plugin started and left behind.
  ::kill(-pid_, SIGKILL);
  pid_ = -1;
  if (stopped_) return {Outcome::kCrashed, "still running at the time limit"};
  if (WIFSIGNALED(status)) return {Outcome::kCrashed, std::string("ended by signal ") + ::strsignal(WTERMSIG(status))};
  if (written_.empty()) {
    return {Outcome::kCrashed, "ended with exit code " + std::to_string(WEXITSTATUS(status)) + " before the check was through"};
  }
  return {static_cast<Outcome>(written_[0] - '0'), written_.substr(1)};
}

}  // namespace assay::validator
