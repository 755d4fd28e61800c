// plugins/operators/common/matrix.hpp: products of row-major matrices.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::operators {

/// out (rows x columns) = a (rows x inner) times b (inner x columns). The sum of each element runs in order of the inner index,
/// whatever the number of threads.
void multiply(const double* a, const double* b, double* out, std::int64_t rows, std::int64_t inner, std::int64_t columns);

/// The columns x rows transpose of a rows x columns matrix whose rows are `row_stride` elements apart.
std::vector<double> transpose(const double* a, std::int64_t rows, std::int64_t columns, std::int64_t row_stride);

/// How many threads a large computation may use.
std::uint32_t max_threads();

}  // namespace assay::operators
