// A tensor of the boundary is DLPack's, field for field: the layout is compared with the distribution's own dlpack.h.
#include <dlpack/dlpack.h>
#include <gtest/gtest.h>

#include "assay/abi/tensor.h"

namespace assay {
namespace {

template <class Ours, class Theirs>
constexpr bool same(std::size_t our_offset, std::size_t their_offset) {
  return our_offset == their_offset && sizeof(Ours) == sizeof(Theirs);
}
#define EXPECT_SAME_FIELD(OurType, our_field, TheirType, their_field)                                                   \
  EXPECT_TRUE((same<decltype(OurType::our_field), decltype(TheirType::their_field)>(offsetof(OurType, our_field),       \
                                                                                    offsetof(TheirType, their_field)))) \
      << #our_field

TEST(DLPack, HasTheLayoutOfOurTensor) {
  EXPECT_EQ(sizeof(assay_dltensor), sizeof(DLTensor));
  EXPECT_SAME_FIELD(assay_dltensor, data, DLTensor, data);
  EXPECT_SAME_FIELD(assay_dltensor, device, DLTensor, device);
  EXPECT_SAME_FIELD(assay_dltensor, ndim, DLTensor, ndim);
  EXPECT_SAME_FIELD(assay_dltensor, dtype, DLTensor, dtype);
  EXPECT_SAME_FIELD(assay_dltensor, shape, DLTensor, shape);
  EXPECT_SAME_FIELD(assay_dltensor, strides, DLTensor, strides);
  EXPECT_SAME_FIELD(assay_dltensor, byte_offset, DLTensor, byte_offset);
  EXPECT_SAME_FIELD(assay_dtype, code, DLDataType, code);
  EXPECT_SAME_FIELD(assay_dtype, bits, DLDataType, bits);
  EXPECT_SAME_FIELD(assay_dtype, lanes, DLDataType, lanes);
  EXPECT_SAME_FIELD(assay_device, type, DLDevice, device_type);
  EXPECT_SAME_FIELD(assay_device, id, DLDevice, device_id);
}

TEST(DLPack, HasOurCodes) {
  EXPECT_EQ(int{ASSAY_DTYPE_INT}, int{kDLInt});
  EXPECT_EQ(int{ASSAY_DTYPE_UINT}, int{kDLUInt});
  EXPECT_EQ(int{ASSAY_DTYPE_FLOAT}, int{kDLFloat});
  EXPECT_EQ(int{ASSAY_DTYPE_BFLOAT}, int{kDLBfloat});
  EXPECT_EQ(int{ASSAY_DTYPE_COMPLEX}, int{kDLComplex});
  EXPECT_EQ(int{ASSAY_DEVICE_CPU}, int{kDLCPU});
  EXPECT_EQ(int{ASSAY_DEVICE_CUDA}, int{kDLCUDA});
  EXPECT_EQ(int{ASSAY_DEVICE_EXTENSION}, int{kDLExtDev});
}

}  // namespace
}  // namespace assay
