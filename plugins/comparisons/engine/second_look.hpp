// plugins/comparisons/engine/second_look.hpp: what needs a value of the whole pair first: worst elements, scaled error, positions.
//
// The walk leaves each chunk's maxima. They bound what the chunk can hold, so that only the few chunks that can hold a winner are
// read again, best bound first.
#pragma once

#include <array>

#include "walk.hpp"

namespace assay::engine {

struct SecondLook {
  std::int64_t first_mismatch = -1;
  std::int64_t first_class_mismatch = -1;
  std::array<std::int64_t, kWorstCount> worst;  ///< -1: no further element differs
  double max_scaled = 0;
};

SecondLook look_again(const PairReader& reader, const Plan& plan, const Walk& walk);

}  // namespace assay::engine
