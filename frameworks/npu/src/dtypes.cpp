#include "dtypes.hpp"

#include <algorithm>
#include <string>

#include "assay/sdk/error.hpp"

namespace assay::npu {

namespace {

struct Pair {
  assay_dtype dtype;
  aclDataType acl;
};

constexpr Pair kPairs[] = {{kFloat32, ACL_FLOAT},
                           {kFloat16, ACL_FLOAT16},
                           {kBFloat16, ACL_BF16},
                           {kInt64, ACL_INT64},
                           {kInt32, ACL_INT32},
                           {kBool, ACL_BOOL},
                           {kFloat64, ACL_DOUBLE},
                           {kInt8, ACL_INT8},
                           {kUInt8, ACL_UINT8},
                           {kInt16, ACL_INT16},
                           {kUInt16, ACL_UINT16},
                           {kUInt32, ACL_UINT32},
                           {kUInt64, ACL_UINT64},
                           {kComplex32, ACL_COMPLEX32},
                           {kComplex64, ACL_COMPLEX64},
                           {kComplex128, ACL_COMPLEX128},
                           {kFloat8E5M2, ACL_FLOAT8_E5M2},
                           {kFloat8E4M3FN, ACL_FLOAT8_E4M3FN}};

}  // namespace

aclDataType acl_dtype(assay_dtype dtype) {
  for (const Pair& pair : kPairs) {
    if (pair.dtype == dtype) return pair.acl;
  }
  throw Error(ASSAY_UNSUPPORTED, "dtype " + std::string(dtype_name(dtype)) + " does not exist on the device");
}

Category category_of(assay_dtype dtype) {
  if (is_complex(dtype)) return Category::kComplex;
  if (is_floating(dtype)) return Category::kFloating;
  return dtype == kBool ? Category::kBool : Category::kInteger;
}

assay_dtype promote(assay_dtype left, assay_dtype right) {
  if (left == right) return left;
  const Category l = category_of(left);
  const Category r = category_of(right);
  if (l != r) {
    if (std::max(l, r) == Category::kComplex) {
      const assay_dtype& real = l < r ? left : right;
      const int bits = std::min(l, r) == Category::kFloating ? 2 * real.bits : 0;
      return make_dtype(ASSAY_DTYPE_COMPLEX, std::max(bits, static_cast<int>((l < r ? right : left).bits)));
    }
    return l < r ? right : left;
  }
  if (l == Category::kComplex) return left.bits > right.bits ? left : right;
  if (l == Category::kFloating) {
    if (left.bits == right.bits) return kFloat32;  // the two halves
    return left.bits > right.bits ? left : right;
  }
  if (left.code == right.code) return left.bits > right.bits ? left : right;
  const assay_dtype& is_signed = left.code == ASSAY_DTYPE_INT ? left : right;
  const assay_dtype& is_unsigned = left.code == ASSAY_DTYPE_INT ? right : left;
  if (is_signed.bits > is_unsigned.bits) return is_signed;
  return make_dtype(ASSAY_DTYPE_INT, std::min(64, 2 * is_unsigned.bits));
}

}  // namespace assay::npu
