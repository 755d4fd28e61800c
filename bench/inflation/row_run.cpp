#include "row_run.hpp"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "assay/watch.h"
#include "base/text.hpp"
#include "counting_allocator.hpp"
#include "run_twice.hpp"

namespace assay::bench {

namespace {

using Clock = std::chrono::steady_clock;

/// A kind of step: how it begins, what ends the part of it that is watched, and what comes after it.
struct Mode {
  Series* series;
  std::function<void()> begin;
  std::function<void()> before_optimiser;
  std::function<void()> end;
};

assay_watch_numbers watch_numbers() {
  assay_watch_numbers numbers{};
  numbers.struct_size = sizeof numbers;
  assay_watch_get_numbers(&numbers);
  return numbers;
}

/// The dispatcher's names of what a scope calls by the names of its own framework.
std::vector<std::string> operators_of(const PublishedRow& row) {
  std::vector<std::string> out;
  for (const std::string& api : row.apis) {
    if (api == "npu_fusion_attention") {
      out.insert(out.end(), {"_scaled_dot_product_attention", "scaled_dot_product_attention"});
    } else {
      out.push_back(api);
    }
  }
  return out;
}

std::string watch_config(const PublishedRow& row, at::ScalarType type) {
  std::string component = row.perturbation;
  std::replace(component.begin(), component.end(), '_', '-');
  // Float32 is precise enough where the step is in bfloat16, as it was where the published rows were measured.
  const bool low_only = row.perturbation == "improve_precision" && type == at::kBFloat16;
  std::vector<std::string> only;
  for (const std::string& op : operators_of(row)) only.push_back("\"*." + op + "\"");
  return R"({"budget": "none", "perturbations": [{"component": ")" + component + "\"" +
         (low_only ? R"(, "config": {"compat": "msprobe"})" : "") + R"(}], "stage": ")" + row.direction + R"(", "handler": ")" +
         row.mode + "\"" + (only.empty() ? "" : ", \"only\": [" + join(only, ", ") + "]") + "}";
}

/// Resident memory at its highest since the last call.
std::uint64_t take_process_peak() {
  std::uint64_t kib = 0;
  if (std::FILE* status = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr) {
      unsigned long long value = 0;
      if (std::sscanf(line, "VmHWM: %llu kB", &value) == 1) kib = value;
    }
    std::fclose(status);
  }
  if (std::FILE* refs = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", refs);
    std::fclose(refs);
  }
  return kib * 1024;
}

/// The results of the watch, which nobody reads, in a folder that goes.
class Watch {
 public:
  explicit Watch(const std::string& config) {
    std::string pattern = (std::filesystem::temp_directory_path() / "inflation-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    folder_ = pattern;
    char message[1024] = "";
    if (assay_watch_start(config.c_str(), pattern.c_str(), message, sizeof message) != ASSAY_WATCH_OK) {
      throw std::runtime_error(message);
    }
    assay_watch_thread(0);
  }
  ~Watch() {
    assay_watch_stop();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  std::filesystem::path folder_;
};

void timed_step(Training& training, const Mode& mode) {
  const auto began = Clock::now();
  mode.begin();
  training.run(mode.before_optimiser);
  mode.end();
  mode.series->milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - began).count());
}

void measure_memory(Training& training, const Mode& mode) {
  // What the allocator kept from other steps goes back to the system first.
  ::malloc_trim(0);
  take_tensor_peak();
  take_process_peak();
  mode.begin();
  training.run(mode.before_optimiser);
  mode.end();
  mode.series->tensor_peak = take_tensor_peak();
  mode.series->process_peak = take_process_peak();
}

std::vector<Mode> modes_of(const PublishedRow& row, at::ScalarType type, Measurement& out) {
  const auto nothing = [] {};
  std::vector<Mode> modes = {{&out.plain, nothing, nothing, nothing}};
  if (row.is_baseline()) return modes;
  modes.push_back({&out.watched, [] { assay_watch_thread(1); }, [] { assay_watch_thread(0); },
                   [&out, before = std::uint64_t{0}]() mutable {
                     assay_watch_step();
                     const std::uint64_t now = watch_numbers().checked;
                     out.watched.operators = now - before;
                     before = now;
                   }});
  const auto bound = [&](Series& series, at::ScalarType widened) {
    Twice twice{row.direction == "forward", row.direction == "backward", operators_of(row), widened};
    modes.push_back(
        {&series, [twice] { run_twice(twice); }, [] { run_twice({}); }, [&series] { series.operators = operators_run_twice(); }});
  };
  bound(out.twice, at::ScalarType::Undefined);
  // On a CPU tensor to_cpu means the kernel of the next wider type.
  if (row.perturbation == "improve_precision" || row.perturbation == "to_cpu") bound(out.wide, type);
  return modes;
}

}  // namespace

Measurement measure_row(const PublishedRow& row, const RunOptions& options) {
  ::setenv("ASSAY_HOME", ASSAY_HOME_FOLDER, 0);
  at::set_num_threads(options.threads);
  count_tensor_memory();
  const bool narrow =
      options.dtype.empty() ? row.is_baseline() || row.perturbation == "improve_precision" : options.dtype == "bfloat16";
  const at::ScalarType type = narrow ? at::kBFloat16 : at::kFloat;
  TrainingOptions sizes = options.training;
  if (narrow) sizes.scale = options.narrow_scale;
  const TrainingSetup setup = training_setup(row.model, sizes);
  Training training(setup, type);

  Measurement out;
  out.model = setup.model;
  out.dtype = narrow ? "bfloat16" : "float32";
  out.scale = setup.scale;
  out.batch = setup.sizes.batch;
  out.sequence = setup.sizes.sequence;
  out.threads = options.threads;
  std::optional<Watch> watch;
  if (!row.is_baseline()) watch.emplace(watch_config(row, type));
  const std::vector<Mode> modes = modes_of(row, type, out);

  // The optimiser's first step makes its state, the watch's first its plans.
  for (const Mode& mode : modes) timed_step(training, mode);
  for (const Mode& mode : modes) mode.series->milliseconds.clear();
  const auto began = Clock::now();
  for (int i = 0; i < options.repetitions; ++i) {
    if (i >= 3 && std::chrono::duration<double>(Clock::now() - began).count() > options.seconds) break;
    for (const Mode& mode : modes) timed_step(training, mode);
  }
  for (const Mode& mode : modes) measure_memory(training, mode);
  if (watch) out.findings = watch_numbers().findings;
  return out;
}

}  // namespace assay::bench
