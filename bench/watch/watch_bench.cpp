// usage: bench_watch [--repetitions N] [--threads N] [llama|tiny|bfloat16|budget ...]
//
// Times a training step plainly, watched, and with every checked operator simply run twice (the bound); all in turn, medians of the
// repetitions, memory by the allocator.
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "assay/watch.h"
#include "counting_allocator.hpp"
#include "llama_layer.hpp"
#include "run_twice.hpp"

namespace assay::bench {

namespace {

struct Mode {
  std::string name;
  std::function<void()> begin;
  std::function<void()> end;
  std::vector<double> milliseconds;
  std::vector<double> cpu;
  std::size_t peak = 0;
  std::uint64_t operators = 0;
};

std::string scratch() {
  static const std::string folder = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "bench-watch-XXXXXX").string();
    return std::string(::mkdtemp(pattern.data()));
  }();
  return folder;
}

void start(const std::string& config) {
  char message[1024] = "";
  if (assay_watch_start(config.c_str(), scratch().c_str(), message, sizeof message) == ASSAY_WATCH_OK) return;
  std::fprintf(stderr, "bench_watch: %s\n", message);
  std::exit(1);
}

Mode watched(const std::string& name, const std::string& config) {
  return {name, [config] { start(config); }, [] { assay_watch_stop(); }, {}, {}, 0, 0};
}

Mode bound(const std::string& name, bool forward, bool backward) {
  return {name, [=] { run_twice({forward, backward}); }, [] { run_twice({}); }, {}, {}, 0, 0};
}

Mode plain() {
  return {"plain", [] {}, [] {}, {}, {}, 0, 0};
}

/// Of all threads of this process: what counts on a machine that others use too.
double cpu_milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void measure(LlamaStep& step, std::vector<Mode>& modes, int repetitions) {
  step.run();
  for (int i = 0; i < repetitions; ++i) {
    for (Mode& mode : modes) {
      mode.begin();
      take_tensor_peak();
      operators_run_twice();
      const double cpu_began = cpu_milliseconds();
      const auto began = std::chrono::steady_clock::now();
      step.run();
      mode.cpu.push_back(cpu_milliseconds() - cpu_began);
      mode.milliseconds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
      mode.peak = take_tensor_peak();
      assay_watch_numbers numbers{};
      numbers.struct_size = sizeof numbers;
      assay_watch_get_numbers(&numbers);
      mode.operators = std::max(operators_run_twice(), numbers.checked);
      mode.end();
    }
  }
  std::printf("%-34s %10s %8s %10s %8s %8s %8s\n", "", "ms", "x plain", "cpu ms", "x plain", "memory", "checked");
  for (const Mode& mode : modes) {
    const double ms = median(mode.milliseconds);
    const double cpu = median(mode.cpu);
    std::printf("%-34s %10.2f %8.3f %10.2f %8.3f %8.3f %8llu\n", mode.name.c_str(), ms, ms / median(modes.front().milliseconds),
                cpu, cpu / median(modes.front().cpu), static_cast<double>(mode.peak) / static_cast<double>(modes.front().peak),
                static_cast<unsigned long long>(mode.operators));
  }
}

std::string config_of(const std::string& perturbation, const std::string& stage) {
  return R"({"budget": "none", "perturbations": [{"component": ")" + perturbation + R"("}], "stage": ")" + stage + "\"}";
}

void llama(int repetitions) {
  LlamaStep step({}, at::kFloat);
  std::vector<Mode> modes = {plain(),
                             watched("intercept only", R"({"only": ["nothing"]})"),
                             bound("bound forward", true, false),
                             watched("add-noise forward", config_of("add-noise", "forward")),
                             watched("bit-noise forward", config_of("bit-noise", "forward")),
                             watched("change-value forward", config_of("change-value", "forward")),
                             watched("no-change forward", config_of("no-change", "forward")),
                             bound("bound forward and backward", true, true),
                             watched("add-noise forward and backward", config_of("add-noise", "both"))};
  measure(step, modes, repetitions);
}

void bfloat16(int repetitions) {
  // Half the sizes: without instructions for it, a processor takes seconds for a step.
  LlamaStep step({512, 8, 1376, 256, 1}, at::kBFloat16);
  std::vector<Mode> modes = {plain(), bound("bound forward", true, false),
                             watched("improve-precision forward", config_of("improve-precision", "forward"))};
  measure(step, modes, repetitions);
}

void tiny(int repetitions) {
  LlamaStep step({144, 4, 384, 16, 28}, at::kFloat);
  std::vector<Mode> modes = {plain(), watched("intercept only", R"({"only": ["nothing"]})"),
                             bound("bound forward and backward", true, true),
                             watched("add-noise forward and backward", config_of("add-noise", "both"))};
  measure(step, modes, repetitions);
  const Mode& check = modes[3];
  std::printf("processor time of a check over running the operator again: %.1f us\n",
              (median(check.cpu) - median(modes[2].cpu)) * 1000 / static_cast<double>(check.operators));
}

void budget() {
  LlamaStep step({}, at::kFloat);
  std::vector<double> plain_ms;
  std::vector<double> watched_ms;
  const auto timed = [&] {
    const auto began = std::chrono::steady_clock::now();
    step.run();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  };
  step.run();
  start(R"({"budget": "5%"})");
  assay_watch_numbers numbers{};
  numbers.struct_size = sizeof numbers;
  for (int i = 0; i < 60; ++i) {
    watched_ms.push_back(timed());
    assay_watch_step();
    assay_watch_pause(1);
    plain_ms.push_back(timed());
    assay_watch_pause(0);
  }
  assay_watch_get_numbers(&numbers);
  assay_watch_stop();
  double ratio = 0;
  for (std::size_t i = 0; i < plain_ms.size(); ++i) ratio += watched_ms[i] / plain_ms[i] / static_cast<double>(plain_ms.size());
  std::printf("budget 5%%: %.3fx (mean of %zu steps beside a plain one), everything checked after %lld steps, %llu of %llu kinds\n",
              ratio, plain_ms.size(), static_cast<long long>(numbers.covered_after),
              static_cast<unsigned long long>(numbers.kinds_checked), static_cast<unsigned long long>(numbers.kinds));
}

}  // namespace

}  // namespace assay::bench

int main(int argc, char** argv) {
  using namespace assay::bench;
  int repetitions = 7;
  std::vector<std::string> parts;
  at::set_num_threads(2);
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--repetitions") == 0 && i + 1 < argc) {
      repetitions = std::max(1, std::atoi(argv[++i]));
    } else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
      at::set_num_threads(std::max(1, std::atoi(argv[++i])));
    } else {
      parts.emplace_back(argv[i]);
    }
  }
  if (parts.empty()) parts = {"llama", "bfloat16", "tiny", "budget"};
  ::setenv("ASSAY_HOME", ASSAY_HOME_FOLDER, 0);
  // Each table is there as soon as it is complete, in a pipe too.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  count_tensor_memory();
  for (const std::string& part : parts) {
    std::printf("\n%s\n", part.c_str());
    if (part == "llama") llama(repetitions);
    if (part == "bfloat16") bfloat16(repetitions);
    if (part == "tiny") tiny(repetitions);
    if (part == "budget") budget();
  }
  std::filesystem::remove_all(scratch());
  return 0;
}
