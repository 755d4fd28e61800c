// npu_fusion_attention(query, key, value, head_num, input_layout, pse=None, padding_mask=None, atten_mask=None, scale=1.0,
// keep_prob=1.0,
//                      pre_tockens=2147483647, next_tockens=2147483647, inner_precise=0, prefix=None, actual_seq_qlen=None,
//                      actual_seq_kvlen=None, sparse_mode=0, gen_mask_parallel=True, sync=False, softmax_layout='')
//   -> (Tensor out, Tensor softmax_max, Tensor softmax_sum, Tensor reserved, int seed, int offset, int numels)
//
//   out = keep(softmax(where(masked, -inf, scale (q k^T + pse)))) v
//   softmax_max, softmax_sum: for each row of scores, 8 times; [B, N, Sq, 8], with layout TND [T, N, 8]
//   seed and offset are the state of the device's generator and are not given
//
// source  torch_npu's page of the operator (signature, sparse modes), CANN's page of aclnnFlashAttentionScore (formula)
#include "functions.hpp"
#include "problem.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

constexpr std::int64_t kRepeat = 8;

Arguments bind(const assay_call& call) {
  return Arguments(call, {"query",
                          "key",
                          "value",
                          "head_num",
                          "input_layout",
                          "pse",
                          "padding_mask",
                          "atten_mask",
                          "scale",
                          "keep_prob",
                          "pre_tokens|pre_tockens",
                          "next_tokens|next_tockens",
                          "inner_precise",
                          "prefix",
                          "actual_seq_qlen",
                          "actual_seq_kvlen",
                          "sparse_mode",
                          "gen_mask_parallel",
                          "sync",
                          "softmax_layout",
                          "drop_mask|dropout_mask"});
}

/// One number for each row of scores, in the order of the output.
Array statistic(const AttentionProblem& p, const std::vector<double>& rows, bool varlen) {
  const std::int64_t heads = p.query_layout.heads();
  if (!varlen) {
    const std::int64_t queries = p.query_layout.sequences() > 0 ? p.query_layout.length(0) : 0;
    Array out = Array::zeros({p.query_layout.sequences(), heads, queries, kRepeat});
    for (std::int64_t i = 0; i < out.numel(); ++i) *out.at(i) = rows[static_cast<std::size_t>(i / kRepeat)];
    return out;
  }
  Array out = Array::zeros({p.query.shape[0], heads, kRepeat});
  std::size_t row = 0;
  for (std::int64_t s = 0; s < p.query_layout.sequences(); ++s) {
    for (std::int64_t n = 0; n < heads; ++n) {
      for (std::int64_t q = 0; q < p.query_layout.length(s); ++q, ++row) {
        double* const target = out.at(((p.query_layout.start(s) + q) * heads + n) * kRepeat);
        std::fill(target, target + kRepeat, rows[row]);
      }
    }
  }
  return out;
}

}  // namespace

Results fusion_attention_forward(const assay_call& call) {
  const Arguments args = bind(call);
  const AttentionProblem problem = attention_problem(args, "");
  const AttentionResult result = attend(problem);
  const bool varlen = args.string("input_layout", "") == "TND";
  Results results =
      outputs({result.out, statistic(problem, result.max, varlen), statistic(problem, result.sum, varlen), Array::zeros({0})});
  results.outputs.resize(6);
  results.outputs.emplace_back(score_count(problem.query_layout, problem.key_layout));
  note_blind_rows(result, results);
  return results;
}

Results fusion_attention_backward(const assay_call& call) {
  const Arguments args = bind(call);
  return attention_gradients(args, attention_problem(args, ""));
}

}  // namespace assay::operators
