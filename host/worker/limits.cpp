#include "worker/limits.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "worker/child_process.hpp"
#include "worker/crash_report.hpp"

namespace assay {

namespace {

/// Stack and allocator arena of a thread that a framework starts later.
constexpr std::uint64_t kRoomPerThread = std::uint64_t{16} << 20;

/// Private writable memory of this process, which RLIMIT_DATA counts.
std::uint64_t own_memory() {
  std::ifstream file("/proc/self/status");
  std::string name;
  std::uint64_t kilobytes = 0;
  while (file >> name) {
    if (name == "VmData:" && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

void yield_memory_first() { std::ofstream("/proc/self/oom_score_adj") << 900; }

void enter_worker() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  yield_memory_first();
  report_crashes_to(kWorkerOutput);
}

Status limit_memory(std::uint64_t bytes) {
  const std::uint64_t threads = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t limit = own_memory() + bytes + threads * kRoomPerThread;
  rlimit both{limit, limit};
  if (::setrlimit(RLIMIT_DATA, &both) != 0) return internal_failure("limit memory: " + std::string(std::strerror(errno)));
  return Done{};
}

Result<std::uint64_t> parse_size(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit(end);
  for (const char* suffix : {"iB", "B"}) {
    if (unit.size() > std::strlen(suffix) - 1 && unit.ends_with(suffix)) {
      unit.resize(unit.size() - std::strlen(suffix));
      break;
    }
  }
  const std::string units = "KMGT";
  const std::size_t power = unit.empty() ? 0 : unit.size() == 1 ? units.find(unit[0]) + 1 : 0;
  const double bytes = number * std::pow(1024.0, static_cast<double>(power));
  if (end == text.c_str() || (!unit.empty() && power == 0) || !(bytes >= 1 && bytes < 9e18)) {
    return input_failure("use '" + text + "' as a size: expected a number of bytes such as 512M or 4G");
  }
  return static_cast<std::uint64_t>(bytes);
}

std::uint64_t memory_available() {
  auto available = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    std::uint64_t limit = 0;
    if (file >> limit) available = std::min(available, limit);
  }
  return available;
}

}  // namespace assay
