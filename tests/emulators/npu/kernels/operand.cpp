#include "kernels/operand.hpp"

namespace assay::emulator {

Operand::Operand(const Args& args, std::size_t index)
    : item_(&args.items()[index]), is_tensor_(args.op().kernel_parameters[index].type == Type::kTensor) {}

Reals Operand::reals(const Shape& shape, aclDataType dtype) const {
  if (is_tensor_) {
    return read_real(item_->view, shape);
  }
  // 16-bit operators compute in float, with the scalar as a float.
  const double value = dtype == ACL_DOUBLE ? item_->scalar.real : rounded_to(item_->scalar.real, ACL_FLOAT);
  return Reals(static_cast<std::size_t>(count_of(shape)), value);
}

Integers Operand::integers(const Shape& shape) const {
  return is_tensor_ ? read_integer(item_->view, shape) : Integers(static_cast<std::size_t>(count_of(shape)), item_->scalar.integer);
}

Complexes Operand::complexes(const Shape& shape) const {
  return is_tensor_ ? read_complex(item_->view, shape)
                    : Complexes(static_cast<std::size_t>(count_of(shape)), item_->scalar.complex);
}

aclDataType common_dtype(const Operand& a, const Operand& b) {
  aclDataType dtype = ACL_DT_UNDEFINED;
  if (a.is_tensor() && b.is_tensor()) {
    dtype = promoted(a.dtype(), b.dtype());
  } else {
    dtype = a.is_tensor() ? promoted_with_scalar(a.dtype(), b.dtype()) : promoted_with_scalar(b.dtype(), a.dtype());
  }
  if (dtype == ACL_DT_UNDEFINED) {
    refuse(std::string("dtypes ") + name_of(a.dtype()) + " and " + name_of(b.dtype()) + " can't be promoted to one");
  }
  return dtype;
}

}  // namespace assay::emulator
