// How MindStudio Probe's free benchmark judges an original output against the one of the repeated call.
//
// Its plain defects are repaired: the largest ratio of all chunks counts, not that of the last; and, unless `letter` is set, the
// error balance has no sign, and an element that isn't finite hides no other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/sdk/value.hpp"

namespace assay {

struct PeerRule {
  bool mindspore = false;
  bool backward = false;
  bool on_cpu = false;              ///< the repeated call ran as a reference: absolute and relative limits instead of ratios
  bool no_change = false;           ///< nothing may differ
  bool letter = false;              ///< also what the peer does wrong, chunks aside
  std::optional<double> threshold;  ///< learned while preheating; absent: the fixed one of the dtype
};

/// The verdict on one output.
struct PeerVerdict {
  bool consistent = true;
  bool sign_flipped = false;
  std::optional<double> ratio;  ///< absent for reference comparisons and integers
  /// The cell of the table: ratio - 1, "symbol_flipping", or empty.
  [[nodiscard]] std::string cell(bool mindspore) const;
};

PeerVerdict peer_compare(const Value& original, const Value& perturbed, const PeerRule& rule);

/// The fixed largest ratio of a dtype that counts as consistent.
double peer_threshold(assay_dtype original);

/// One inconsistent output, as a row of the table shows it.
struct PeerDifference {
  std::optional<std::size_t> index;  ///< absent: the call has a single output
  std::string cell;
  std::string dtype;
  std::string shape;
};

struct PeerComparison {
  std::vector<PeerDifference> differences;
  bool compared = false;  ///< false: no floating-point result, so the peer compares nothing
  double largest_ratio = 0;
};

/// Forward outputs: a single one, or each of several.
PeerComparison peer_compare_outputs(const std::vector<Value>& original, const std::vector<Value>& perturbed, const PeerRule& rule);

/// Gradients: at the first that is inconsistent all are compared once more, with their index, and the rest is left.
PeerComparison peer_compare_gradients(const std::vector<Value>& original, const std::vector<Value>& perturbed,
                                      const PeerRule& rule);

}  // namespace assay
