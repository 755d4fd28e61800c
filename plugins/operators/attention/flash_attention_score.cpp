// mindspore.ops.flash_attention_score(query, key, value, head_num, real_shift=None, drop_mask=None, padding_mask=None,
// attn_mask=None,
//                                     prefix=None, actual_seq_qlen=None, actual_seq_kvlen=None, keep_prob=1.0, scalar_value=1.0,
//                                     pre_tokens=2147483647, next_tokens=2147483647, inner_precise=0, input_layout='BSH',
//                                     sparse_mode=0) -> Tensor
//
//   out = keep(softmax(where(masked, -inf, scalar_value (q k^T + real_shift)))) v
//   drop_mask: 1 bit a score, 1 = kept
//
// source  MindSpore's page of the function (signature, drop_mask); CANN's page of aclnnFlashAttentionScore, the kernel behind it,
// for the
//         place of real_shift inside the scaling, where MindSpore's page adds it after
#include "functions.hpp"
#include "problem.hpp"
#include "results.hpp"

namespace assay::operators {

namespace {

constexpr const char* kDefaultLayout = "BSH";

Arguments bind(const assay_call& call) {
  return Arguments(call, {"query", "key", "value", "head_num", "pse|real_shift", "drop_mask", "padding_mask",
                          "atten_mask|attn_mask", "prefix", "actual_seq_qlen", "actual_seq_kvlen", "keep_prob",
                          "scale|scalar_value", "pre_tokens", "next_tokens", "inner_precise", "input_layout", "sparse_mode"});
}

}  // namespace

Results flash_attention_score_forward(const assay_call& call) {
  const Arguments args = bind(call);
  const AttentionResult result = attend(attention_problem(args, kDefaultLayout));
  Results results = outputs({result.out});
  note_blind_rows(result, results);
  return results;
}

Results flash_attention_score_backward(const assay_call& call) {
  const Arguments args = bind(call);
  return attention_gradients(args, attention_problem(args, kDefaultLayout));
}

}  // namespace assay::operators
