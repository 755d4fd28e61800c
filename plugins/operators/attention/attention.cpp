#include "attention.hpp"

#include <atomic>
#include <limits>

#include "assay/sdk/parallel.hpp"
#include "formulas.hpp"
#include "matrix.hpp"

namespace assay::operators {

namespace {

/// One head of one sequence: where its numbers lie.
struct Head {
  std::int64_t sequence;
  std::int64_t head;
  std::int64_t queries;
  std::int64_t keys;
  const double* query;
  const double* key;
  const double* value;
  std::int64_t first_row;    ///< among all rows of scores
  std::int64_t first_score;  ///< among all scores
};

std::vector<Head> heads_of(const AttentionProblem& p) {
  std::vector<Head> out;
  std::int64_t row = 0;
  std::int64_t score = 0;
  const std::int64_t shared = p.query_layout.heads() / std::max<std::int64_t>(1, p.key_layout.heads());
  for (std::int64_t s = 0; s < p.query_layout.sequences(); ++s) {
    for (std::int64_t n = 0; n < p.query_layout.heads(); ++n) {
      const std::int64_t queries = p.query_layout.length(s);
      const std::int64_t keys = p.key_layout.length(s);
      out.push_back({s, n, queries, keys, p.query.at(p.query_layout.offset(s, n)), p.key.at(p.key_layout.offset(s, n / shared)),
                     p.value.at(p.value_layout.offset(s, n / shared)), row, score});
      row += queries;
      score += queries * keys;
    }
  }
  return out;
}

/// The offset of the pse numbers of a row of scores.
std::int64_t pse_offset(const Array& pse, const Head& h, std::int64_t query) {
  const std::int64_t s = pse.shape[0] == 1 ? 0 : h.sequence;
  const std::int64_t q = pse.shape[2] == 1 ? 0 : query;
  return ((s * pse.shape[1] + h.head) * pse.shape[2] + q) * pse.shape[3];
}

/// Probabilities of one head, row by row.
class Probabilities {
 public:
  Probabilities(const AttentionProblem& problem, const Head& head)
      : p_(problem),
        head_(head),
        size_(problem.query_layout.head_size()),
        keys_by_dimension_(transpose(head.key, head.keys, size_, problem.key_layout.row_stride())) {}

  /// Fills `row` with the softmax of the scores of a query.
  SoftmaxRow row(std::int64_t query, double* row) const {
    std::fill(row, row + head_.keys, 0.0);
    const double* q = head_.query + query * p_.query_layout.row_stride();
    for (std::int64_t d = 0; d < size_; ++d) {
      add_scaled(row, q[d], keys_by_dimension_.data() + d * head_.keys, head_.keys);
    }
    const double* pse = p_.pse ? p_.pse->at(pse_offset(*p_.pse, head_, query)) : nullptr;
    const ScoreMask::Row seen = p_.mask.row(head_.sequence, head_.head, query, head_.queries, head_.keys);
    for (std::int64_t k = 0; k < head_.keys; ++k) {
      const bool visible = k >= seen.first && k < seen.last && (seen.masked == nullptr || seen.masked[k] == 0);
      row[k] = visible ? p_.scale * (row[k] + (pse != nullptr ? pse[k] : 0.0)) : -std::numeric_limits<double>::infinity();
    }
    return softmax(row, head_.keys);
  }

 private:
  const AttentionProblem& p_;
  const Head& head_;
  std::int64_t size_;
  std::vector<double> keys_by_dimension_;
};

}  // namespace

std::int64_t score_count(const Layout& query, const Layout& key) {
  std::int64_t n = 0;
  for (std::int64_t s = 0; s < query.sequences(); ++s) n += query.heads() * query.length(s) * key.length(s);
  return n;
}

std::int64_t row_count(const Layout& query) {
  std::int64_t n = 0;
  for (std::int64_t s = 0; s < query.sequences(); ++s) n += query.heads() * query.length(s);
  return n;
}

AttentionResult attend(const AttentionProblem& p) {
  AttentionResult result;
  result.out = Array::zeros(p.output_shape);
  result.max.resize(static_cast<std::size_t>(row_count(p.query_layout)));
  result.sum.resize(result.max.size());
  std::atomic<std::int64_t> blind{0};
  const std::vector<Head> heads = heads_of(p);
  const std::int64_t size = p.value_layout.head_size();
  parallel_ranges(heads.size(), 1, max_threads(), [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t index = first; index < last; ++index) {
      const Head& h = heads[index];
      const Probabilities probabilities(p, h);
      std::vector<double> row(static_cast<std::size_t>(h.keys));
      for (std::int64_t q = 0; q < h.queries; ++q) {
        const SoftmaxRow statistics = probabilities.row(q, row.data());
        const auto position = static_cast<std::size_t>(h.first_row + q);
        result.max[position] = statistics.max;
        result.sum[position] = statistics.sum;
        if (statistics.sum == 0) ++blind;
        double* out = result.out.at(p.output_layout.offset(h.sequence, h.head) + q * p.output_layout.row_stride());
        for (std::int64_t k = 0; k < h.keys; ++k) {
          const double weight = row[static_cast<std::size_t>(k)] * p.keep.factor(h.first_score + q * h.keys + k);
          add_scaled(out, weight, h.value + k * p.value_layout.row_stride(), size);
        }
      }
    }
  });
  result.blind_rows = blind;
  return result;
}

AttentionGradients attend_backward(const AttentionProblem& p, const Array& d_out) {
  AttentionGradients g{Array::zeros(p.query.shape), Array::zeros(p.key.shape), Array::zeros(p.value.shape), std::nullopt};
  const std::vector<Head> heads = heads_of(p);
  const std::int64_t size = p.query_layout.head_size();
  const std::int64_t value_size = p.value_layout.head_size();
  const std::int64_t shared = p.query_layout.heads() / std::max<std::int64_t>(1, p.key_layout.heads());
  // Every score has its own place, so that heads can be worked on at once; what broadcasting shares is added up at the end.
  std::optional<Array> d_pse;
  if (p.pse)
    d_pse = Array::zeros({p.query_layout.sequences(), p.query_layout.heads(), heads.empty() ? 0 : heads.front().queries,
                          heads.empty() ? 0 : heads.front().keys});
  // Query heads that share a key head add to the same gradient: one thread takes them all.
  parallel_ranges(heads.size(), static_cast<std::uint64_t>(std::max<std::int64_t>(1, shared)), max_threads(),
                  [&](std::uint64_t first, std::uint64_t last) {
                    for (std::uint64_t index = first; index < last; ++index) {
                      const Head& h = heads[index];
                      const Probabilities probabilities(p, h);
                      const std::vector<double> values = transpose(h.value, h.keys, value_size, p.value_layout.row_stride());
                      double* const dk = g.key.at(p.key_layout.offset(h.sequence, h.head / shared));
                      double* const dv = g.value.at(p.value_layout.offset(h.sequence, h.head / shared));
                      std::vector<double> row(static_cast<std::size_t>(h.keys));
                      std::vector<double> d_row(row.size());
                      for (std::int64_t q = 0; q < h.queries; ++q) {
                        probabilities.row(q, row.data());
                        const double* d = d_out.at(p.output_layout.offset(h.sequence, h.head) + q * p.output_layout.row_stride());
                        const double* query = h.query + q * p.query_layout.row_stride();
                        double* const dq = g.query.at(p.query_layout.offset(h.sequence, h.head) + q * p.query_layout.row_stride());
                        std::fill(d_row.begin(), d_row.end(), 0.0);
                        for (std::int64_t e = 0; e < value_size; ++e)
                          add_scaled(d_row.data(), d[e], values.data() + e * h.keys, h.keys);
                        for (std::int64_t k = 0; k < h.keys; ++k) {
                          const auto at = static_cast<std::size_t>(k);
                          const double factor = p.keep.factor(h.first_score + q * h.keys + k);
                          add_scaled(dv + k * p.value_layout.row_stride(), row[at] * factor, d, value_size);
                          d_row[at] *= factor;
                        }
                        const double along = dot(row.data(), d_row.data(), h.keys);
                        for (std::int64_t k = 0; k < h.keys; ++k) {
                          const auto at = static_cast<std::size_t>(k);
                          const double d_score = p.scale * row[at] * (d_row[at] - along);
                          if (d_pse) *d_pse->at(h.first_score + q * h.keys + k) = d_score;
                          add_scaled(dq, d_score, h.key + k * p.key_layout.row_stride(), size);
                          add_scaled(dk + k * p.key_layout.row_stride(), d_score, query, size);
                        }
                      }
                    }
                  });
  if (d_pse) g.pse = sum_to(*d_pse, p.pse->shape);
  return g;
}

}  // namespace assay::operators
