// Preheating over a recording: which calls are asked in which step, and what their answers teach.
//
//   const auto steps = preheat_plan(options, apis);
//   PreheatAnswers answers;
//   for (call ...) for (int step : steps[call]) answers[{call, step}] = ask(call, step);
//   const Preheat preheat = preheat_from(options, apis, answers);
//
// The calls can be asked in any order and anywhere: what is learned depends on the answers only.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "perturb/preheat.hpp"

namespace assay {

struct PreheatAnswer {
  Preheat::Sample sample;
  assay_dtype dtype = kFloat32;  ///< of the call's first output
};

/// By call (an index into the APIs) and step.
using PreheatAnswers = std::map<std::pair<std::size_t, int>, PreheatAnswer>;

/// apis  of each call, in the order of the run
std::vector<std::vector<int>> preheat_plan(const PreheatOptions& options, const std::vector<std::string>& apis);

/// A call that gave no answer counts as consistent.
Preheat preheat_from(const PreheatOptions& options, const std::vector<std::string>& apis, const PreheatAnswers& answers);

}  // namespace assay
