// plugins/operators/common/results.hpp: from arrays to the results of a call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "assay/sdk/value.hpp"

namespace assay::operators {

Results outputs(const std::vector<Array>& arrays);

struct Gradient {
  const char* parameter;
  std::optional<Array> value;  ///< absent where the parameter was not given
};

/// The results of a backward call. `gradients` in the order in which the framework's own backward step returns them; tensors that
/// are not among them get none. A gradient that arrives at an output after the first is left out: the frameworks take those outputs
/// as not differentiable; a note says so.
Results gradients(const Arguments& args, const std::vector<Gradient>& gradients);

}  // namespace assay::operators
