// For the metric tests: tensors of any dtype from numbers, the engine's answer by name, and an independent computation of every
// metric in long double, straight from the definitions in docs/metrics.md, without blocks, lanes or shared code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "assay/sdk/tensor.hpp"
#include "engine.hpp"

namespace assay::test {

/// Numbers by metric name; an unavailable metric has none.
using Numbers = std::map<std::string, std::vector<double>>;

/// Every metric there is.
engine::MetricSet all_metrics();

/// A compact tensor holding `values` rounded to the dtype; two values an element for complex types.
Tensor make_tensor(assay_dtype dtype, const std::vector<double>& values);
Tensor make_tensor(assay_dtype dtype, std::vector<std::int64_t> shape, const std::vector<double>& values);

/// The same elements in memory of another layout: rows that are padded and reversed, data at an odd address behind a byte offset.
Tensor make_strided(const Tensor& compact);

Numbers run_engine(const Tensor& actual, const Tensor& expected, const engine::EngineOptions& options = {all_metrics(), -1.0},
                   std::uint32_t max_threads = 1);

/// Element numbers as the dtype holds them, two for complex types.
std::vector<double> numbers_of(const Tensor& tensor);

/// Real and complex floating-point pairs and integers up to 32 bits; `atol` as in EngineOptions.
Numbers naive_metrics(const Tensor& actual, const Tensor& expected, double atol = -1.0);

/// By what the elements at these indices are ordered in worst_indices; -1 for index -1.
std::vector<double> worst_keys(const Tensor& actual, const Tensor& expected, const std::vector<double>& indices);

}  // namespace assay::test
