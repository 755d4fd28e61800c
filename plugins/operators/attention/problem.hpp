// plugins/operators/attention/problem.hpp: from the arguments of either API to an attention problem.
#pragma once

#include "arguments.hpp"
#include "assay/sdk/value.hpp"
#include "attention.hpp"

namespace assay::operators {

/// The two signatures under one set of names: query, key, value, head_num, input_layout, pse, drop_mask, padding_mask, atten_mask,
/// prefix, actual_seq_qlen, actual_seq_kvlen, scale, keep_prob, pre_tokens, next_tokens, sparse_mode.
/// Throws Error(ASSAY_INVALID_ARGUMENT, ASSAY_UNSUPPORTED).
AttentionProblem attention_problem(const Arguments& args, const char* default_layout);

/// Gradients of query, key, value and pse.
Results attention_gradients(const Arguments& args, const AttentionProblem& problem);

/// A note where rows see no key: their value differs between implementations.
void note_blind_rows(const AttentionResult& result, Results& results);

}  // namespace assay::operators
