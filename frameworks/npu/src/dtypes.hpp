// Element types here and there: assay_dtype and aclDataType; and which type two of them meet in, by PyTorch's rules.
#pragma once

#include "acl/base.h"
#include "assay/sdk/dtype.hpp"

namespace assay::npu {

/// Throws Error(ASSAY_UNSUPPORTED) where the vendor has no such type.
aclDataType acl_dtype(assay_dtype dtype);

/// Kinds in the order in which they win over each other.
enum class Category { kBool, kInteger, kFloating, kComplex };
Category category_of(assay_dtype dtype);

/// The type in which two tensors' elements meet: bfloat16 and float16 in float32, integers and float16 in float16.
assay_dtype promote(assay_dtype left, assay_dtype right);

}  // namespace assay::npu
