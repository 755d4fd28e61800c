// What was measured of a row, in files that a later call takes up: OUT/rows/<number>.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::bench {

/// Steps of one kind, in turn with those of the other kinds.
struct Series {
  std::vector<double> milliseconds;
  std::uint64_t tensor_peak = 0;   ///< bytes, by LibTorch's allocator
  std::uint64_t process_peak = 0;  ///< bytes resident
  std::uint64_t operators = 0;     ///< checked, or run twice, in a step
};

struct Measurement {
  std::string failure;  ///< why there is nothing else; empty: it was measured
  std::string model, dtype;
  std::int64_t scale = 0, batch = 0, sequence = 0;
  int threads = 0;
  std::uint64_t findings = 0;
  Series plain, watched, twice;
  Series wide;  ///< run twice, widened; empty where no perturbation asks for it
};

/// The middle of paired ratios to the plain step, and the quarter and three quarters around it.
struct Ratio {
  double median = 0, low = 0, high = 0;
};
Ratio ratio_to_plain(const Series& series, const Series& plain);
double median_of(std::vector<double> values);

Status write_measurement(const std::filesystem::path& path, const Measurement& measurement);
/// errors  kInput: no such file, or not such a document
Result<Measurement> read_measurement(const std::filesystem::path& path);

}  // namespace assay::bench
