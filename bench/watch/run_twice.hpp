// The bound of the watch: every operator that it would check is run a second time, and nothing else.
//
//   run_twice({.forward = true, .scope = {"softmax"}});
//   step();
//   run_twice({});
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

namespace assay::bench {

struct Twice {
  bool forward = false;
  bool backward = false;
  std::vector<std::string> scope = {};  ///< names of operators, for backward those of the forward calls; empty: all
  /// Tensors of this type go in as the next wider one, and operators without any run once; undefined: all go in as they are.
  at::ScalarType widened = at::ScalarType::Undefined;
};

/// For the calling thread and its backward pass; neither forward nor backward: stops.
void run_twice(const Twice& twice);

/// Operators that were run twice since the last call.
std::uint64_t operators_run_twice();

}  // namespace assay::bench
