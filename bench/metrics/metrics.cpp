// Speed of the metrics through the plugin interface, against the speed at which this machine can read memory at all.
//
//   build/release/bin/bench_metrics [--mib 64] [--repeat 9] [--python /path/to/python-with-numpy]
//
// Every line is a pair of tensors of that many MiB each: time, bytes read a second, and the share of a plain sum's bytes a second
// over the same memory with the same number of threads, measured in turns with it. Times and shares are of the fastest of the runs:
// other programs only ever add time. For the same reason one thread is timed by its own clock, which stands still while others have
// the core. The spread is the middle half.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "assay/abi/comparison.h"
#include "assay/sdk/tensor.hpp"
#include "loader/registry.hpp"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(const std::function<void()>& body) {
  const auto start = Clock::now();
  body();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double thread_clock() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Of the calling thread alone.
double thread_seconds(const std::function<void()>& body) {
  const double start = thread_clock();
  body();
  return thread_clock() - start;
}

struct Times {
  std::vector<double> sorted;
  explicit Times(std::vector<double> times) : sorted(std::move(times)) { std::sort(sorted.begin(), sorted.end()); }
  [[nodiscard]] double best() const { return sorted.front(); }
  [[nodiscard]] double at(double quantile) const {
    return sorted[static_cast<std::size_t>(quantile * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
};

/// Four independent float sums of eight, which a compiler turns into vector code: as fast as memory can be read by one thread.
double sum_floats(const float* data, std::size_t n) {
  float lanes[64] = {};
  for (std::size_t i = 0; i + 64 <= n; i += 64) {
    for (std::size_t k = 0; k < 64; ++k) lanes[k] += data[i + k];
  }
  return std::accumulate(lanes, lanes + 64, 0.0);
}

volatile double g_sink;

void sum_memory(const Tensor& tensor, unsigned threads) {
  const auto* data = static_cast<const float*>(tensor.view().data());
  const std::size_t n = tensor.nbytes() / sizeof(float);
  std::vector<std::thread> helpers;
  for (unsigned t = 1; t < threads; ++t) {
    helpers.emplace_back([=] { g_sink = sum_floats(data + n * t / threads, n / threads); });
  }
  g_sink = sum_floats(data, n / threads);
  for (std::thread& helper : helpers) helper.join();
}

/// Normal numbers, and the same with noise of a few roundings, as another kernel would give.
std::pair<Tensor, Tensor> make_pair(assay_dtype dtype, std::size_t bytes) {
  const auto n = static_cast<std::int64_t>(bytes / dtype_size(dtype));
  Tensor actual = Tensor::allocate(dtype, {n});
  Tensor expected = Tensor::allocate(dtype, {n});
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const double epsilon = dtype == kFloat32 ? 0x1p-23 : (dtype == kFloat16 ? 0x1p-10 : 0x1p-7);
  for (std::int64_t i = 0; i < n; ++i) {
    const double value = static_cast<double>(normal(random));
    // An absolute part, as long sums leave it, and a relative part.
    const double other =
        value + epsilon * (0.5 * static_cast<double>(normal(random)) + value * static_cast<double>(normal(random)));
    if (dtype == kFloat32) {
      expected.data_as<float>()[i] = static_cast<float>(value);
      actual.data_as<float>()[i] = static_cast<float>(other);
    } else {
      const auto narrow = dtype == kFloat16 ? double_to_float16 : double_to_bfloat16;
      expected.data_as<std::uint16_t>()[i] = narrow(value);
      actual.data_as<std::uint16_t>()[i] = narrow(other);
    }
  }
  return {std::move(actual), std::move(expected)};
}

class Comparer {
 public:
  Comparer(Registry& registry, const std::string& config) {
    Result<Instance> created = registry.create("assay.elementwise", ASSAY_KIND_COMPARISON, config);
    if (!created) {
      std::fprintf(stderr, "cannot create the comparison: %s\n", created.failure().message.c_str());
      std::exit(1);
    }
    instance_ = std::make_unique<Instance>(std::move(*created));
    table_ = instance_->extension<assay_comparison>(ASSAY_EXT_COMPARISON);
    std::uint64_t count = 0;
    const auto* const* infos = table_->metrics(instance_->get(), &count);
    std::size_t length = 0;
    for (std::uint64_t i = 0; i < count; ++i) length += infos[i]->length;
    values_.resize(length);
    available_.resize(count);
  }

  void run(const Tensor& actual, const Tensor& expected, unsigned threads) {
    const assay_pair pair{sizeof(assay_pair), threads, &actual.abi(), &expected.abi(), "Torch.add"};
    if (table_->compare(instance_->get(), &pair, values_.data(), available_.data(), nullptr) != ASSAY_OK) std::exit(1);
  }

 private:
  std::unique_ptr<Instance> instance_;
  const assay_comparison* table_ = nullptr;
  std::vector<double> values_;
  std::vector<std::uint8_t> available_;
};

struct Options {
  std::size_t mib = 64;
  int repeat = 9;
  std::string python;
};

double large_pair(Comparer& comparer, const char* metrics, assay_dtype dtype, const Tensor& actual, const Tensor& expected,
                  unsigned threads, int repeat) {
  std::vector<double> sum_times;
  std::vector<double> metric_times;
  const auto timed = threads == 1 ? thread_seconds : seconds;
  for (int r = 0; r < repeat; ++r) {
    sum_times.push_back(timed([&] {
      sum_memory(actual, threads);
      sum_memory(expected, threads);
    }));
    metric_times.push_back(timed([&] { comparer.run(actual, expected, threads); }));
  }
  const Times sum(sum_times);
  const Times metric(metric_times);
  const double bytes = 2 * static_cast<double>(actual.nbytes());
  std::printf("%-9s %-26s %2u  %8.2f ms (%.2f-%.2f)  %6.2f GB/s   sum %6.2f GB/s   %5.1f %%\n",
              std::string(dtype_name(dtype)).c_str(), metrics, threads, metric.best() * 1e3, metric.at(0.25) * 1e3,
              metric.at(0.75) * 1e3, bytes / metric.best() / 1e9, bytes / sum.best() / 1e9, 100 * sum.best() / metric.best());
  std::fflush(stdout);
  return metric.best();
}

void small_pair(Comparer& comparer, const char* metrics) {
  const auto [actual, expected] = make_pair(kFloat32, 64 * sizeof(float));
  std::vector<double> times;
  constexpr int kCalls = 2000;
  for (int r = 0; r < 25; ++r) {
    times.push_back(thread_seconds([&, &a = actual, &e = expected] {
                      for (int i = 0; i < kCalls; ++i) comparer.run(a, e, 1);
                    }) /
                    kCalls);
  }
  const Times sorted(times);
  std::printf("64 float32 elements, %s: %.2f us a pair (%.2f-%.2f)\n", metrics, sorted.best() * 1e6, sorted.at(0.25) * 1e6,
              sorted.at(0.75) * 1e6);
}

int run(const Options& options) {
  Registry registry = Registry::discover(default_search_path({}));
  Comparer defaults(registry, "{}");
  Comparer all(registry, R"({"metrics": ["assay", "msprobe-mint", "msprobe-torch"]})");
  Comparer mint(registry, R"({"metrics": ["msprobe-mint"]})");
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::printf("pairs of %zu MiB each, best of %d, %u hardware threads\n", options.mib, options.repeat, threads);
  double all_seconds = 0;
  for (const assay_dtype dtype : {kFloat32, kFloat16, kBFloat16}) {
    const auto [actual, expected] = make_pair(dtype, options.mib << 20);
    large_pair(defaults, "assay + msprobe-mint", dtype, actual, expected, 1, options.repeat);
    const double one_thread = large_pair(all, "all", dtype, actual, expected, 1, options.repeat);
    if (dtype == kFloat32) all_seconds = one_thread;
    large_pair(mint, "msprobe-mint", dtype, actual, expected, 1, options.repeat);
    if (threads == 1) continue;
    large_pair(defaults, "assay + msprobe-mint", dtype, actual, expected, threads, options.repeat);
    large_pair(all, "all", dtype, actual, expected, threads, options.repeat);
  }
  small_pair(defaults, "assay + msprobe-mint");
  small_pair(all, "all");
  if (options.python.empty()) return 0;

  const std::string script = ASSAY_SOURCE_DIR "/bench/metrics/metrics_numpy.py";
  const std::string command = "'" + options.python + "' '" + script + "' " + std::to_string(options.mib);
  std::FILE* output = popen(command.c_str(), "r");
  double numpy_seconds = 0;
  const bool read = output != nullptr && std::fscanf(output, "%lf", &numpy_seconds) == 1;
  if (output != nullptr) pclose(output);
  if (!read) {
    std::fprintf(stderr, "cannot run '%s'\n", command.c_str());
    return 1;
  }
  std::printf("NumPy, the peer's formulas on float32: %.0f ms; all metrics here are %.0f times as fast\n", numpy_seconds * 1e3,
              numpy_seconds / all_seconds);
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--mib") options.mib = std::strtoul(argv[i + 1], nullptr, 10);
    if (name == "--repeat") options.repeat = std::max(1, std::atoi(argv[i + 1]));
    if (name == "--python") options.python = argv[i + 1];
  }
  return assay::run(options);
}
