// plugins/operators/optimizers/state.hpp: what an optimiser step reads and replaces.
#pragma once

#include "results.hpp"

namespace assay::operators {

/// The tensors of `out=(var, m, v)`, all of the gradient's shape.
struct OptimizerState {
  Array var;
  Array m;
  Array v;

  OptimizerState(const Arguments& args, const Shape& shape);
  /// As outputs and as the new contents of `out`.
  [[nodiscard]] Results results(const Arguments& args) const;
};

}  // namespace assay::operators
