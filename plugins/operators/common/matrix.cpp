#include "matrix.hpp"

#include <algorithm>
#include <thread>

#include "assay/sdk/parallel.hpp"
#include "formulas.hpp"

namespace assay::operators {

namespace {

/// Multiplications below which a thread is not worth starting.
constexpr std::int64_t kWorkPerThread = 1 << 18;

}  // namespace

void multiply(const double* a, const double* b, double* out, std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  const std::int64_t grain = std::max<std::int64_t>(1, kWorkPerThread / std::max<std::int64_t>(1, inner * columns));
  parallel_ranges(static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(grain), max_threads(),
                  [&](std::uint64_t first, std::uint64_t last) {
                    for (auto i = static_cast<std::int64_t>(first); i < static_cast<std::int64_t>(last); ++i) {
                      double* row = out + i * columns;
                      std::fill(row, row + columns, 0.0);
                      for (std::int64_t k = 0; k < inner; ++k) add_scaled(row, a[i * inner + k], b + k * columns, columns);
                    }
                  });
}

std::vector<double> transpose(const double* a, std::int64_t rows, std::int64_t columns, std::int64_t row_stride) {
  std::vector<double> out(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) out[static_cast<std::size_t>(j * rows + i)] = a[i * row_stride + j];
  }
  return out;
}

std::uint32_t max_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace assay::operators
