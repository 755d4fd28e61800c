// How far one value is from another: the two ends of every amplification.
//
//   const Change in = change_of(input, perturbed_input);
//   const Change out = change_of(output, perturbed_output);
//   const double amplification = out.relative / in.relative;
#pragma once

#include <cstdint>

#include "assay/sdk/value.hpp"

namespace assay {

struct Change {
  std::int64_t count = 0;          ///< elements
  std::int64_t changed = 0;        ///< elements of another value
  std::int64_t became_nan = 0;     ///< finite before, NaN after
  std::int64_t overflowed = 0;     ///< finite before, infinite after
  std::int64_t became_finite = 0;  ///< NaN or infinite before, finite after
  std::int64_t not_finite = 0;     ///< numbers that are NaN or infinite on some side
  /// |after - before| / |before|, both L2 norms over the elements (a complex number's two parts) that are finite on both sides. For
  /// integers and bools: changed / count.
  double relative = 0;
  /// The same with |before| over the changed elements only: what was done to an input of which most elements stay.
  double relative_of_changed = 0;
  bool discrete = false;
  /// Row-major index of the element with the largest |after - before| / max(|before|, root mean square / 1024), the floor keeping
  /// numbers that cancelled to almost nothing from always being the worst; one that is no longer finite is worse than all. -1:
  /// none.
  std::int64_t worst = -1;
  double worst_relative = 0;

  [[nodiscard]] bool left_domain() const { return became_nan + overflowed + became_finite > 0; }
};

/// The tensors have one shape; their dtypes may differ. `worst` takes one more pass and can be left out. The numbers don't depend
/// on the number of threads.
Change change_of(const TensorView& before, const TensorView& after, bool with_worst = true, std::uint32_t max_threads = 1);

/// Change::relative_of_changed where most elements changed in the same way, from every sixteenth block of a large tensor.
double usual_change(const TensorView& before, const TensorView& after);

/// How many leading binary digits of a number survive a relative change: -log2(change), between 0 and 1074.
double significant_bits(double relative_change);

/// Half the distance from 1 to the next number of a floating type (of a complex type's parts): 2^-24 for float32; 0 for other
/// types.
double unit_roundoff(assay_dtype dtype);

}  // namespace assay
