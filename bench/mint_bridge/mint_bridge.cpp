// What the bridge adds to a call: calls through the adapter and direct calls in the same Python, in turn, in one run.
//
//   build/release/bin/mint_bridge .venvs/mindspore/bin/python
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <stdexcept>

#include "adapter_under_test.hpp"

namespace assay::bridge {
namespace {

using Times = std::vector<double>;

double quantile(Times times, double q) {
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
}

/// Median, quartiles and number of calls.
std::string spread(const Times& times) {
  char text[96];
  std::snprintf(text, sizeof text, "%.1f us (%.1f to %.1f, n = %zu)", 1e6 * quantile(times, 0.5), 1e6 * quantile(times, 0.25),
                1e6 * quantile(times, 0.75), times.size());
  return text;
}

/// The script that makes the direct calls, asked over pipes.
class DirectCalls {
 public:
  explicit DirectCalls(const char* python) {
    int to[2];
    int from[2];
    if (::pipe(to) != 0 || ::pipe(from) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      for (const int fd : {to[0], to[1], from[0], from[1]}) ::close(fd);
      ::execl(python, python, ASSAY_DIRECT_CALLS, nullptr);
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    requests_ = ::fdopen(to[1], "w");
    answers_ = ::fdopen(from[0], "r");
    while (line() != "ready") {
    }
  }
  ~DirectCalls() {
    std::fclose(requests_);
    std::fclose(answers_);
  }
  DirectCalls(const DirectCalls&) = delete;
  DirectCalls& operator=(const DirectCalls&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

  Times run(const std::string& function, std::int64_t elements, int calls, const char* way) {
    std::fprintf(requests_, "%s %lld %d %s\n", function.c_str(), static_cast<long long>(elements), calls, way);
    std::fflush(requests_);
    std::istringstream text(line());
    Times times;
    for (double t = 0; text >> t;) times.push_back(t);
    return times;
  }

 private:
  std::string line() {
    std::string out;
    int c = 0;
    while ((c = std::fgetc(answers_)) != '\n') {
      if (c == EOF) throw std::runtime_error("the direct side is gone");
      out.push_back(static_cast<char>(c));
    }
    return out;
  }

  pid_t pid_ = -1;
  std::FILE* requests_ = nullptr;
  std::FILE* answers_ = nullptr;
};

/// Processor time of a process so far, all its threads.
double processor_seconds(pid_t process) {
  clockid_t clock{};
  timespec now{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Times run_bridge(AdapterUnderTest& adapter, const CallSpec& spec, int calls) {
  Times times;
  for (int i = 0; i < calls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = adapter.invoke(spec);
    if (outcome.status != ASSAY_OK) throw std::runtime_error(outcome.message);
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return times;
}

void compare(AdapterUnderTest& adapter, pid_t server, DirectCalls& direct, const std::string& function, std::int64_t elements,
             int rounds, int calls) {
  const std::vector<float> values(static_cast<std::size_t>(elements), 0.5f);
  const CallSpec spec{"Mint." + function, {tensor<float>({elements}, values)}};
  for (const char* way : {"Tensor", "from_numpy", "paused"}) {
    run_bridge(adapter, spec, calls);
    direct.run(function, elements, calls, way);
    Times bridged;
    Times bare;
    Times ratios;
    Times bridge_work;
    Times direct_work;
    for (int i = 0; i < rounds; ++i) {
      const double own = processor_seconds(::getpid()) + processor_seconds(server);
      const Times b = run_bridge(adapter, spec, calls);
      bridge_work.push_back((processor_seconds(::getpid()) + processor_seconds(server) - own) / calls);
      const double bare_work = processor_seconds(direct.pid());
      const Times d = direct.run(function, elements, calls, way);
      direct_work.push_back((processor_seconds(direct.pid()) - bare_work) / calls);
      bridged.insert(bridged.end(), b.begin(), b.end());
      bare.insert(bare.end(), d.begin(), d.end());
      ratios.push_back(quantile(b, 0.5) / quantile(d, 0.5));
    }
    std::printf(
        "mint.%-5s %9lld elements: bridge %s, %s %s; adds %.1f us, ratio %.3f (median of %d rounds, quartiles %.3f to %.3f)\n",
        function.c_str(), static_cast<long long>(elements), spread(bridged).c_str(), way, spread(bare).c_str(),
        1e6 * (quantile(bridged, 0.5) - quantile(bare, 0.5)), quantile(ratios, 0.5), rounds, quantile(ratios, 0.25),
        quantile(ratios, 0.75));
    std::printf("    processor time of a call: bridge %.1f us, direct %.1f us\n", 1e6 * quantile(bridge_work, 0.5),
                1e6 * quantile(direct_work, 0.5));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace assay::bridge

int main(int argc, char** argv) {
  using namespace assay::bridge;
  if (argc != 2) {
    std::fprintf(stderr, "usage: mint_bridge PYTHON\n");
    return 2;
  }
  AdapterUnderTest adapter("assay.mint", std::string(R"({"python": ")") + argv[1] + R"("})");
  if (adapter.status() != ASSAY_OK) {
    std::fprintf(stderr, "%s\n", adapter.message().c_str());
    return 1;
  }
  const pid_t server = child_processes().at(0);
  DirectCalls direct(argv[1]);
  constexpr std::int64_t kLarge = std::int64_t{16} << 20;  // 64 MiB of float32
  for (const char* function : {"exp", "tanh"}) {
    compare(adapter, server, direct, function, 4, 15, 100);
    compare(adapter, server, direct, function, kLarge, 15, 3);
  }
  return 0;
}
