// What a call has done to the process that evaluated it.
#pragma once

#include <string>

namespace assay {

struct Breakdown {
  bool unsound = false;    ///< an adapter broke down or memory ran out: this process is not to evaluate anything more
  unsigned direction = 0;  ///< kForwardDirection or kBackwardDirection: where an adapter broke down; 0: memory ran out
  std::string message;     ///< the adapter's
  unsigned left = 0;       ///< directions of the call that were not tried any more
};

}  // namespace assay
