// How far a repeated output is from the original one, in one walk over borrowed memory: the change that `assay perturb` measures,
// and the counts of the plugin assay.elementwise.
//
//   Result<PairMeter> meter = PairMeter::create(registry);
//   const PairChange change = meter->measure(repeated, original, 2);
#pragma once

#include <cstdint>

#include "assay/abi/comparison.h"
#include "loader/registry.hpp"

namespace assay {

struct PairChange {
  bool measured = false;       ///< false: the plugin refused the pair (dtype)
  double relative = 0;         ///< L2 of the difference over L2 of the expected, finite pairs
  std::uint64_t classes = 0;   ///< elements that are finite on one side only, or NaN here and infinite there
  std::uint64_t nan = 0;       ///< elements of the expected tensor that are NaN
  std::uint64_t infinite = 0;  ///< and infinite
};

class PairMeter {
 public:
  static Result<PairMeter> create(Registry& registry);

  /// Same shapes; the wider type may be on the expected side only.
  [[nodiscard]] PairChange measure(const assay_tensor& actual, const assay_tensor& expected, std::uint32_t max_threads) const;
  /// How many elements have another value; nothing differs between NaNs. -1: refused
  [[nodiscard]] std::int64_t differing(const assay_tensor& actual, const assay_tensor& expected, std::uint32_t max_threads) const;

 private:
  struct Metrics {
    Instance instance;
    const assay_comparison* table = nullptr;
    std::uint64_t count = 0;
  };
  static Result<Metrics> open(Registry& registry, const char* config);
  PairMeter(Metrics changes, Metrics counts) : changes_(std::move(changes)), counts_(std::move(counts)) {}

  Metrics changes_;
  Metrics counts_;
};

}  // namespace assay
