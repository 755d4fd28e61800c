// Kernels that work along axes: the tensor as rows of what is reduced, for one axis or for several.
//
//   const Reduction r(args.tensor("self"), args.ints("dim"));
//   for each row: r.row(values, i) ...     // the elements that become element i of the result
#pragma once

#include "kernels/access.hpp"

namespace assay::emulator {

class Reduction {
 public:
  /// No axes: all of them. Refuses axes that don't exist or come twice.
  Reduction(const View& view, const Shape& axes);

  Shape result_shape(bool keep) const;
  std::int64_t rows() const { return rows_; }
  std::int64_t length() const { return length_; }
  /// The tensor with the reduced axes last, so that reading it gives one row after the other.
  const View& rows_view() const { return view_; }

 private:
  View view_;
  Shape kept_;
  Shape with_ones_;
  std::int64_t rows_ = 1;
  std::int64_t length_ = 1;
};

/// The tensor with `axis` last: rows along it. A scalar is one row of one.
View axis_last(const View& view, std::size_t axis);
/// The length of the axis, and how many rows there are.
struct Rows {
  std::int64_t count;
  std::int64_t length;
};
Rows rows_along(const View& view, std::size_t axis);

}  // namespace assay::emulator
