#include "pipeline/nudge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

TEST(Nudge, MovesFiniteNonZeroElementsToANeighbour) {
  const std::vector<float> values = {1.0f,
                                     -2.5f,
                                     0.0f,
                                     std::numeric_limits<float>::infinity(),
                                     std::numeric_limits<float>::quiet_NaN(),
                                     std::numeric_limits<float>::max(),
                                     1e-45f};
  Tensor tensor = Tensor::allocate(kFloat32, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.data_as<float>());
  CallInputs inputs;
  inputs.args = {tensor, List{{tensor}}};
  const CallInputs moved = nudge(inputs, 3);
  const float* out = moved.args[0].as<Tensor>().view().data_as<float>();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
    EXPECT_NE(out[i], values[i]);
    EXPECT_TRUE(out[i] == std::nextafter(values[i], INFINITY) || out[i] == std::nextafter(values[i], -INFINITY)) << i;
    EXPECT_TRUE(std::isfinite(out[i]));
  }
  EXPECT_EQ(out[2], 0.0f);
  EXPECT_EQ(out[3], values[3]);
  EXPECT_TRUE(std::isnan(out[4]));
  EXPECT_EQ(tensor.view().data_as<float>()[0], 1.0f);
  const CallInputs again = nudge(inputs, 3);
  EXPECT_EQ(again.args[0].as<Tensor>().view().data_as<float>()[1], out[1]);
}

TEST(Nudge, LeavesIntegersAlone) {
  Tensor tensor = Tensor::allocate(kInt64, {2});
  tensor.data_as<std::int64_t>()[0] = 5;
  tensor.data_as<std::int64_t>()[1] = -7;
  CallInputs inputs;
  inputs.kwargs = {{"index", tensor}};
  const CallInputs moved = nudge(inputs, 1);
  EXPECT_EQ(moved.kwargs[0].second.as<Tensor>().view().data_as<std::int64_t>()[1], -7);
}

}  // namespace
}  // namespace assay
