#include <gtest/gtest.h>

#include "support/perturbation_under_test.hpp"

namespace assay::testing {
namespace {

TEST(NoChange, CopiesEveryDtypeBitForBit) {
  for (const char* config : {"{}", R"({"compat": "msprobe"})"}) {
    PerturbationUnderTest control("assay.no-change", config);
    for (const DTypeName& entry : kDTypeNames) {
      SCOPED_TRACE(entry.name);
      Tensor input = Tensor::allocate(entry.dtype, {3, 5});
      for (std::size_t i = 0; i < input.nbytes(); ++i) input.data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(255 - 7 * i);
      const Perturbed result = control.apply(input);
      EXPECT_EQ(result.changed, 0u);
      EXPECT_EQ(dtype_name(result.output.dtype()), entry.name);
      EXPECT_EQ(elements_of<std::uint8_t>(result.output), elements_of<std::uint8_t>(input));
    }
  }
}

TEST(NoChange, SaysThatItIsAControlForAllInputs) {
  const PerturbationUnderTest control("assay.no-change");
  EXPECT_EQ(control.flags(), std::uint32_t{ASSAY_PERTURBATION_IDENTITY | ASSAY_PERTURBATION_ALL_INPUTS});
}

}  // namespace
}  // namespace assay::testing
