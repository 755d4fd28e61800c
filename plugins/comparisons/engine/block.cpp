#include "block.hpp"

#include <algorithm>
#include <cstring>

#include "float_kernel.hpp"
#include "general_block.hpp"

namespace assay::engine {
namespace {

/// Elements from which on a tensor's differences are added in runs of float32 first. There their rounding averages out; it would
/// show in a small tensor.
constexpr std::int64_t kSumsInRunsFrom = 1 << 18;

bool is_short_float(assay_dtype dtype) { return dtype == kFloat32 || dtype == kFloat16 || dtype == kBFloat16; }

/// Memory of one side of a block: a padded copy where the tensor's own memory can't be used, and widened 16-bit elements.
struct Side {
  alignas(64) std::byte copy[kBlockSize * sizeof(float)];
  alignas(64) float wide[kBlockSize];
};

/// The block's elements in a row, with zeros up to the padded size; elements are aligned.
const std::byte* padded_run(const Source& source, std::int64_t begin, int n, int padded, std::byte* copy) {
  const std::size_t size = source.element_size();
  const std::byte* run = source.read(begin, n, copy);
  const bool aligned = reinterpret_cast<std::uintptr_t>(run) % size == 0;
  if (run != copy) {
    if (n == padded && aligned) return run;
    std::memcpy(copy, run, static_cast<std::size_t>(n) * size);
  }
  std::memset(copy + static_cast<std::size_t>(n) * size, 0, static_cast<std::size_t>(padded - n) * size);
  return copy;
}

}  // namespace

BlockGatherer::BlockGatherer(const PairReader& reader, const Plan& plan)
    : reader_(reader),
      plan_(plan),
      has_vector_code_(reader.actual().dtype() == reader.expected().dtype() && is_short_float(reader.actual().dtype())) {}

void BlockGatherer::gather(std::int64_t begin, int n, Totals& totals, Histograms& histograms) const {
  if (has_vector_code_ && gather_floats(begin, n, totals, histograms)) return;
  gather_general_block(reader_, plan_, begin, n, totals, histograms);
}

bool BlockGatherer::gather_floats(std::int64_t begin, int n, Totals& totals, Histograms& histograms) const {
  Side actual;
  Side expected;
  const Source& actual_source = reader_.actual();
  const Source& expected_source = reader_.expected();
  const int padded = (n + kVectorPadding - 1) / kVectorPadding * kVectorPadding;
  const std::byte* actual_run = padded_run(actual_source, begin, n, padded, actual.copy);
  const std::byte* expected_run = padded_run(expected_source, begin, n, padded, expected.copy);

  FloatBlock block;
  block.n = padded;
  block.padding = padded - n;
  block.element_size = actual_source.element_size();
  if (n == kBlockSize && actual_source.numel() - begin >= 2 * kBlockSize && actual_source.is_contiguous() &&
      expected_source.is_contiguous()) {
    const std::size_t bytes = static_cast<std::size_t>(n) * block.element_size;
    block.next_actual = actual_run + bytes;
    block.next_expected = expected_run + bytes;
  }
  block.sums_in_runs = actual_source.numel() >= kSumsInRunsFrom && (plan_.relative || plan_.error_bins);
  if (actual_source.dtype() == kFloat32) {
    block.actual = reinterpret_cast<const float*>(actual_run);
    block.expected = reinterpret_cast<const float*>(expected_run);
    if (block.sums_in_runs && gather_float_block(plan_, block, totals, histograms)) return true;
    block.sums_in_runs = false;
    return gather_float_block(plan_, block, totals, histograms);
  }
  block.actual_bits = reinterpret_cast<const std::uint16_t*>(actual_run);
  block.expected_bits = reinterpret_cast<const std::uint16_t*>(expected_run);
  block.is_half = actual_source.dtype() == kFloat16;
  if (block.sums_in_runs && gather_float_block(plan_, block, totals, histograms)) return true;
  block.sums_in_runs = false;
  const auto widen = block.is_half ? widen_float16 : widen_bfloat16;
  widen(block.actual_bits, padded, actual.wide);
  widen(block.expected_bits, padded, expected.wide);
  block.actual = actual.wide;
  block.expected = expected.wide;
  return gather_float_block(plan_, block, totals, histograms);
}

}  // namespace assay::engine
