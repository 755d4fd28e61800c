#include "perturb/preheat_pass.hpp"

namespace assay {

namespace {

/// Goes through the steps as a running program would, and tells `asked` of each call that is a sample.
template <class Asked>
void walk(Preheat& preheat, const PreheatOptions& options, const std::vector<std::string>& apis, const Asked& asked) {
  for (int step = 0; step < options.steps; ++step) {
    preheat.begin_step(step);
    for (std::size_t call = 0; call < apis.size(); ++call) {
      const std::size_t number = preheat.count_call(apis[call]);
      if (step > 0 && preheat.wants_sample(apis[call], number)) asked(call, step);
    }
  }
}

}  // namespace

std::vector<std::vector<int>> preheat_plan(const PreheatOptions& options, const std::vector<std::string>& apis) {
  std::vector<std::vector<int>> steps(apis.size());
  Preheat preheat(options);
  walk(preheat, options, apis, [&](std::size_t call, int step) { steps[call].push_back(step); });
  return steps;
}

Preheat preheat_from(const PreheatOptions& options, const std::vector<std::string>& apis, const PreheatAnswers& answers) {
  Preheat preheat(options);
  walk(preheat, options, apis, [&](std::size_t call, int step) {
    const auto found = answers.find({call, step});
    const PreheatAnswer answer = found == answers.end() ? PreheatAnswer{} : found->second;
    preheat.record(apis[call], answer.dtype, answer.sample);
  });
  return preheat;
}

}  // namespace assay
