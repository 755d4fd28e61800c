#include "worker/crash_report.hpp"

#include <cxxabi.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/locations.hpp"
#include "base/text.hpp"
#include "worker/frames.hpp"

namespace assay {

namespace {

constexpr int kMaxFrames = 64;
/// The handler's own and the one that the kernel makes for it.
constexpr int kHandlerFrames = 2;
constexpr std::size_t kShownFrames = 8;
constexpr std::size_t kAlternateStack = 64 * 1024;

int g_report = -1;
/// A file in memory that backtrace_symbols_fd, which allocates nothing, can write to.
int g_scratch = -1;
char g_frame[32768];

void send(void* const* frames, int count) {
  ::backtrace_symbols_fd(frames, count, g_scratch);
  const ssize_t size = ::pread(g_scratch, g_frame + kFrameHeaderSize, sizeof g_frame - kFrameHeaderSize, 0);
  if (size <= 0) return;
  const std::uint32_t length = static_cast<std::uint32_t>(size);
  g_frame[0] = static_cast<char>(FrameType::kBacktrace);
  std::memcpy(g_frame + 1, &length, sizeof length);
  if (::write(g_report, g_frame, kFrameHeaderSize + length) < 0) return;
}

extern "C" void on_crash(int signal) {
  // A crash in here ends the process at once.
  for (const int each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(each, SIG_DFL);
  void* frames[kMaxFrames];
  const int count = ::backtrace(frames, kMaxFrames);
  if (count > kHandlerFrames) send(frames + kHandlerFrames, count - kHandlerFrames);
  ::raise(signal);
}

/// "/lib/a.so(_ZN1a1bEv+0x12) [0x7f...]" -> "a.so(a::b())"; without a symbol the offset stays.
std::string frame_text(std::string_view line) {
  line = line.substr(0, line.find(" ["));
  const std::size_t open = line.find('(');
  std::string_view file = line.substr(0, open);
  file = file.substr(file.rfind('/') + 1);
  if (open == std::string_view::npos) return std::string(file);
  std::string_view place = line.substr(open + 1, line.find(')', open) - open - 1);
  const std::size_t plus = place.find('+');
  if (plus == 0 || plus == std::string_view::npos) return std::string(file) + "(" + std::string(place) + ")";
  const std::string symbol(place.substr(0, plus));
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return std::string(file) + "(" + (status == 0 && name ? name.get() : symbol) + ")";
}

}  // namespace

void report_crashes_to(int fd) {
  g_report = fd;
  g_scratch = ::memfd_create("assay-backtrace", MFD_CLOEXEC);
  if (g_scratch < 0) return;
  // The first call loads the unwinder, which a signal handler must not do.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
  static char stack[kAlternateStack];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
}

std::string backtrace_text(std::string_view frames) {
  const std::string own = executable_path().filename().string();
  std::vector<std::string> shown;
  for (const std::string_view line : split(frames, '\n')) {
    if (line.empty()) continue;
    std::string text = frame_text(line);
    if (text.rfind(own + "(", 0) == 0 || shown.size() == kShownFrames) break;
    if (shown.empty() || shown.back() != text) shown.push_back(std::move(text));
  }
  return escape_control(join(shown, " < "));
}

}  // namespace assay
