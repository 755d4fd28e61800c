// The verdict on one pair of tensors.
#pragma once

#include <string>

#include "judge/call_shape.hpp"
#include "judge/metric_set.hpp"
#include "judge/plan.hpp"
#include "judge/rules.hpp"
#include "judge/selection.hpp"

namespace assay {

/// Everything that the outputs of one judgement share; borrowed.
struct JudgeContext {
  const Standard::Body& standard;
  const MetricSet& metrics;
  const Plan& plan;
  const Judgement& judgement;
  const CallShape& shape;
};

/// position  of the output among the flattened outputs
OutputVerdict judge_tensors(const JudgeContext& context, std::size_t position, const Tensor& actual, const Tensor& expected);

/// The rules alone, on tensors of one shape and type: metrics, verdict, message.
OutputVerdict judge_values(const JudgeContext& context, const Selection& selection);

}  // namespace assay
