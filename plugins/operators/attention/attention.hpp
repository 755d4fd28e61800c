// plugins/operators/attention/attention.hpp: softmax attention over every sequence and head of a problem.
//
//   scores  = scale (q k^T + pse), only those that the mask shows
//   out     = (keep * softmax(scores)) v
#pragma once

#include <optional>

#include "keep_mask.hpp"
#include "layout.hpp"
#include "score_mask.hpp"

namespace assay::operators {

struct AttentionProblem {
  Array query;
  Array key;
  Array value;
  std::optional<Array> pse;  ///< [1 or B, N, 1 or Sq, Skv]
  Layout query_layout;
  Layout key_layout;
  Layout value_layout;
  Shape output_shape;
  Layout output_layout;
  double scale;
  ScoreMask mask;
  KeepMask keep;
};

struct AttentionResult {
  Array out;
  /// For each query row in the order of `scores`: largest score and sum of exp(score - largest); -infinity and 0 for a row that
  /// sees no key, whose output is 0.
  std::vector<double> max;
  std::vector<double> sum;
  std::int64_t blind_rows = 0;  ///< rows that see no key
};

struct AttentionGradients {
  Array query;
  Array key;
  Array value;
  std::optional<Array> pse;
};

/// Scores of a problem, and rows of scores, both numbered by sequence, head, query (, key).
std::int64_t score_count(const Layout& query, const Layout& key);
std::int64_t row_count(const Layout& query);

AttentionResult attend(const AttentionProblem& problem);
AttentionGradients attend_backward(const AttentionProblem& problem, const Array& d_out);

}  // namespace assay::operators
