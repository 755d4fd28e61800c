// A side of an operator that may be a tensor or a host scalar.
#pragma once

#include "kernels/access.hpp"

namespace assay::emulator {

class Operand {
 public:
  Operand(const Args& args, std::size_t index);

  bool is_tensor() const { return is_tensor_; }
  aclDataType dtype() const { return is_tensor_ ? item_->view.dtype : item_->scalar.dtype; }
  const Shape& shape() const { return item_->view.shape; }  // empty for a scalar
  /// A scalar is rounded to `dtype` first, as its conversion on the way to the device does.
  Reals reals(const Shape& shape, aclDataType dtype) const;
  Integers integers(const Shape& shape) const;
  Complexes complexes(const Shape& shape) const;

 private:
  const Item* item_;
  bool is_tensor_;
};

/// The dtype two operands are computed in; refuses those that don't go together.
aclDataType common_dtype(const Operand& a, const Operand& b);

}  // namespace assay::emulator
