#include "pipeline/results.hpp"

#include <algorithm>

namespace assay {

void VerdictCounts::add(const ApiResult& result) {
  ++apis;
  for (const DirectionResult* direction : {&result.forward, &result.backward}) {
    switch (direction->verdict) {
      case Verdict::kNone: break;
      case Verdict::kPass: ++pass; break;
      case Verdict::kWarning: ++warning; break;
      case Verdict::kError: ++error; break;
      case Verdict::kSkip: ++skip; break;
    }
    if (direction->damaged) ++damaged;
  }
}

void VerdictCounts::add(const VerdictCounts& other) {
  apis += other.apis;
  pass += other.pass;
  warning += other.warning;
  error += other.error;
  skip += other.skip;
  damaged += other.damaged;
}

Verdict worse(Verdict left, Verdict right) { return std::max(left, right); }

}  // namespace assay
