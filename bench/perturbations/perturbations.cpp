// Each perturbation plugin beside a plain copy of the same bytes.
//
//   bin/perturbations_bench --benchmark_repetitions=5 --benchmark_enable_random_interleaving=true
//
// `bytes_per_second` counts what is read and what is written; noise in proportion to the largest element has to read the tensor
// twice. 64 MiB of input: far beyond the caches. A row is good at 60% of the copy with as many threads.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

#include "assay/abi/perturbation.h"
#include "assay/sdk/parallel.hpp"
#include "assay/sdk/random.hpp"
#include "assay/sdk/tensor.hpp"
#include "base/locations.hpp"
#include "loader/registry.hpp"

namespace assay {
namespace {

constexpr std::int64_t kBytes = std::int64_t{64} << 20;

/// Numbers between 1 and 2 of either sign, one in 64 a zero; made once for each dtype.
const Tensor& input_of(assay_dtype dtype) {
  static std::map<std::string, Tensor> made;
  const auto found = made.find(std::string(dtype_name(dtype)));
  if (found != made.end()) return found->second;
  Tensor tensor = Tensor::allocate(dtype, {kBytes / static_cast<std::int64_t>(dtype_size(dtype))});
  const RandomStream stream(1);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const std::uint32_t word = stream.word(static_cast<std::uint64_t>(i));
    const double magnitude = word % 64 == 0 ? 0.0 : 1.0 + word * 0x1p-32;
    const double value = (word & 64u) != 0 ? -magnitude : magnitude;
    if (dtype == kFloat64) {
      tensor.data_as<double>()[i] = value;
    } else if (dtype == kFloat32) {
      tensor.data_as<float>()[i] = static_cast<float>(value);
    } else if (dtype == kFloat16) {
      tensor.data_as<std::uint16_t>()[i] = double_to_float16(value);
    } else if (dtype == kBFloat16) {
      tensor.data_as<std::uint16_t>()[i] = double_to_bfloat16(value);
    } else {
      tensor.data_as<std::uint8_t>()[i] = double_to_float8_e5m2(value);
    }
  }
  return made.emplace(dtype_name(dtype), tensor).first->second;
}

void copy(benchmark::State& state, std::uint32_t threads) {
  const Tensor input = input_of(kFloat32);
  Tensor output = Tensor::allocate(kFloat32, input.shape());
  char* const to = output.data_as<char>();
  const char* const from = input.view().data_as<char>();
  std::memset(to, 0, kBytes);
  for (auto _ : state) {
    parallel_ranges(kBytes, 1 << 20, threads,
                    [&](std::uint64_t first, std::uint64_t last) { std::memcpy(to + first, from + first, last - first); });
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * 2 * kBytes);
}

void perturb(benchmark::State& state, const std::string& id, const std::string& config, assay_dtype dtype, int reads,
             std::uint32_t threads) {
  Registry registry = Registry::discover({plugin_folder()});
  const Result<Instance> instance = registry.create(id, ASSAY_KIND_PERTURBATION, config);
  if (!instance) return state.SkipWithError(instance.failure().message.c_str());
  const auto* const table = instance->extension<assay_perturbation>(ASSAY_EXT_PERTURBATION);
  const Tensor& input = input_of(dtype);
  assay_perturbed_layout layout{};
  layout.struct_size = sizeof layout;
  if (table->plan(instance->get(), &input.abi(), &layout, nullptr) != ASSAY_OK) return state.SkipWithError("not eligible");
  Tensor output = Tensor::allocate(layout.dtype, input.shape());
  std::memset(output.abi().dl.data, 0, output.nbytes());
  std::uint64_t changed = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    if (table->apply(instance->get(), &input.abi(), ++seed, threads, &output.abi(), &changed, nullptr) != ASSAY_OK) {
      return state.SkipWithError("apply failed");
    }
    benchmark::DoNotOptimize(changed);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() *
                          (reads * static_cast<std::int64_t>(input.nbytes()) + static_cast<std::int64_t>(output.nbytes())));
}

void register_all() {
  struct Row {
    const char* id;
    const char* config;
    std::vector<assay_dtype> dtypes;
    int reads = 1;
  };
  const std::vector<assay_dtype> all = {kFloat16, kBFloat16, kFloat32, kFloat64, kFloat8E5M2};
  const std::vector<assay_dtype> peer = {kFloat16, kBFloat16, kFloat32, kFloat64};
  const std::vector<Row> rows = {{"assay.add-noise", "{}", all},
                                 {"assay.add-noise", R"({"scale":"tensor"})", {kFloat32}, 2},
                                 {"assay.add-noise", R"({"compat":"msprobe"})", peer},
                                 {"assay.bit-noise", "{}", all},
                                 {"assay.bit-noise", R"({"compat":"msprobe"})", peer},
                                 {"assay.change-value", "{}", {kFloat16, kFloat32}},
                                 {"assay.improve-precision", "{}", {kFloat16, kBFloat16, kFloat32, kFloat8E5M2}},
                                 {"assay.no-change", "{}", {kFloat16, kFloat32}},
                                 {"assay.to-cpu", "{}", {kFloat16, kFloat32}}};
  const std::uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
  for (const std::uint32_t threads : {1u, cores}) {
    const std::string suffix = "/threads:" + std::to_string(threads);
    // One thread is measured by its own CPU time, so that a busy machine doesn't count.
    const auto timed = [&](benchmark::internal::Benchmark* b) { threads == 1 ? b->MeasureProcessCPUTime() : b->UseRealTime(); };
    timed(benchmark::RegisterBenchmark(("copy" + suffix).c_str(), [=](benchmark::State& s) { copy(s, threads); }));
    for (const Row& row : rows) {
      for (const assay_dtype dtype : row.dtypes) {
        const std::string name = std::string(row.id) + row.config + "/" + std::string(dtype_name(dtype)) + suffix;
        timed(benchmark::RegisterBenchmark(
            name.c_str(), [=](benchmark::State& s) { perturb(s, row.id, row.config, dtype, row.reads, threads); }));
      }
    }
    if (cores == 1) break;
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  assay::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
