// Every operator but attention against a formula in extended precision, written another way than the plugin's, and its derivative.
#include <algorithm>

#include "operator_under_test.hpp"

namespace assay::testing {
namespace {

const OperatorUnderTest& activations() {
  static const OperatorUnderTest op("assay.fused-activations");
  return op;
}
const OperatorUnderTest& norms() {
  static const OperatorUnderTest op("assay.fused-norms");
  return op;
}
const OperatorUnderTest& transforms() {
  static const OperatorUnderTest op("assay.fused-transforms");
  return op;
}
const OperatorUnderTest& softmaxes() {
  static const OperatorUnderTest op("assay.fused-softmax");
  return op;
}
const OperatorUnderTest& optimizers() {
  static const OperatorUnderTest op("assay.fused-optimizers");
  return op;
}

Reals each(const Reals& x, Real (*f)(Real)) {
  Reals out;
  for (const Real element : x) out.push_back(f(element));
  return out;
}

Real fast_gelu(Real x) { return x * std::exp(0.851L * (x - std::fabs(x))) / (1 + std::exp(-1.702L * std::fabs(x))); }

Real mish(Real x) {
  if (x > 40) return x;
  const Real e = std::exp(x);
  return x * (e * e + 2 * e) / (e * e + 2 * e + 2);
}

Real silu(Real x) { return x / (1 + std::exp(-x)); }

TEST(FusedActivations, FastGeluIsItsOlderForm) {
  const Formula formula = [](const Inputs& in) { return each(in[0], fast_gelu); };
  expect_formula(activations(), {"NPU.npu_fast_gelu", {drawn({3, 4}, 1, -6, 6)}, {}}, formula);
  expect_formula(activations(), {"NPU.npu_fast_gelu", {doubles({6}, {0, -0.0, 1e-300, 700, -700, 1e30})}, {}}, formula, false);
  expect_formula(activations(), {"NPU.npu_fast_gelu", {drawn({0, 4}, 1)}, {}}, formula);
}

TEST(FusedActivations, MishIsItsRationalForm) {
  const Formula formula = [](const Inputs& in) { return each(in[0], mish); };
  expect_formula(activations(), {"NPU.npu_mish", {drawn({13}, 2, -9, 9)}, {}}, formula);
  expect_formula(activations(), {"NPU.npu_mish", {doubles({6}, {0, 1e-300, 900, -900, 1e30, 40.5})}, {}}, formula, false);
  expect_formula(activations(), {"NPU.npu_mish", {drawn({0}, 1)}, {}}, formula);
}

TEST(FusedActivations, GradientsAtExtremesAreFinite) {
  for (const char* api : {"NPU.npu_mish", "NPU.npu_fast_gelu"}) {
    const Answer answer =
        activations().backward({api, {doubles({4}, {1e4, -1e4, 1e300, -1e300})}, {}}, {doubles({4}, {1, 1, 1, 1})});
    ASSERT_EQ(answer.status, ASSAY_OK) << answer.message;
    expect_close(answer.gradients.at(0).second.values, {1, 0, 1, 0}, api);
  }
}

TEST(FusedActivations, SwigluHalvesAnyDimension) {
  for (const std::int64_t dim : {-1, 1, -3}) {
    SCOPED_TRACE(dim);
    const std::vector<std::int64_t> shape = {2, 4, 6};
    const std::size_t d = static_cast<std::size_t>(dim < 0 ? dim + 3 : dim);
    expect_formula(activations(), {"NPU.npu_swiglu", {drawn(shape, 3, -4, 4), dim}, {}}, [&](const Inputs& in) {
      Reals out;
      std::vector<std::int64_t> half = shape;
      half[d] /= 2;
      for (std::int64_t i = 0; i < half[0]; ++i) {
        for (std::int64_t j = 0; j < half[1]; ++j) {
          for (std::int64_t k = 0; k < half[2]; ++k) {
            std::int64_t at[] = {i, j, k};
            const auto element = [&] { return in[0][static_cast<std::size_t>((at[0] * 4 + at[1]) * 6 + at[2])]; };
            const Real a = element();
            at[d] += half[d];
            out.push_back(silu(a) * element());
          }
        }
      }
      return out;
    });
  }
  EXPECT_EQ(activations().forward({"NPU.npu_swiglu", {drawn({3, 5}, 3)}, {}}).status, ASSAY_INVALID_ARGUMENT);
}

/// mean and 1 / sqrt(variance + epsilon) by moments.
std::pair<Real, Real> moments(const Reals& x, std::size_t first, std::size_t size, Real epsilon) {
  Real sum = 0;
  Real squares = 0;
  for (std::size_t i = first; i < first + size; ++i) {
    sum += x[i];
    squares += x[i] * x[i];
  }
  const Real n = static_cast<Real>(size);
  return {sum / n, 1 / std::sqrt(squares / n - sum / n * (sum / n) + epsilon)};
}

Reals rms_norm(const Reals& x, const Reals& gamma, Real epsilon) {
  Reals out(x.size());
  for (std::size_t row = 0; row < x.size(); row += gamma.size()) {
    Real squares = 0;
    for (std::size_t i = 0; i < gamma.size(); ++i) squares += x[row + i] * x[row + i];
    const Real root = std::sqrt(squares / static_cast<Real>(gamma.size()) + epsilon);
    for (std::size_t i = 0; i < gamma.size(); ++i) out[row + i] = x[row + i] / root * gamma[i];
  }
  return out;
}

TEST(FusedNorms, RmsNormDividesByTheRootOfTheMeanSquare) {
  const Formula formula = [](const Inputs& in) { return rms_norm(in[0], in[1], 1e-3L); };
  expect_formula(norms(), {"NPU.npu_rms_norm", {drawn({3, 7}, 4), drawn({7}, 5)}, {{"epsilon", 1e-3}}}, formula);
  expect_formula(norms(), {"NPU.npu_rms_norm", {drawn({2, 3, 4}, 4), drawn({3, 4}, 5), 1e-3}, {}}, formula);
  expect_formula(norms(), {"NPU.npu_rms_norm", {drawn({0, 7}, 4), drawn({7}, 5), 1e-3}, {}}, formula);
  expect_formula(norms(), {"NPU.npu_rms_norm", {doubles({1, 3}, {1e200, -2e200, 1e-200}), drawn({3}, 5), 1e-3}, {}}, formula,
                 false);
  expect_formula(norms(), {"NPU.npu_rms_norm", {doubles({1, 3}, {1, NAN, 2}), drawn({3}, 5), 1e-3}, {}}, formula, false);
  const Answer answer = norms().forward({"NPU.npu_rms_norm", {drawn({2, 3, 4}, 4), drawn({4}, 5)}, {}});
  EXPECT_EQ(answer.outputs.at(1).shape, (std::vector<std::int64_t>{2, 3, 1}));
  EXPECT_EQ(norms().forward({"NPU.npu_rms_norm", {drawn({2, 3}, 4), drawn({2}, 5)}, {}}).status, ASSAY_INVALID_ARGUMENT);
}

TEST(FusedNorms, LayerNormEvalHasMeanZeroAndVarianceOneBeforeWeightAndBias) {
  const Formula formula = [](const Inputs& in) {
    Reals out(in[0].size());
    for (std::size_t row = 0; row < out.size(); row += 6) {
      const auto [mean, rstd] = moments(in[0], row, 6, 1e-5L);
      for (std::size_t i = 0; i < 6; ++i) {
        out[row + i] = (in[0][row + i] - mean) * rstd * (in.size() > 1 ? in[1][i] : 1) + (in.size() > 2 ? in[2][i] : 0);
      }
    }
    return out;
  };
  const Value shape(integers({2, 3}));
  expect_formula(norms(), {"NPU.npu_layer_norm_eval", {drawn({4, 2, 3}, 6), shape, drawn({2, 3}, 7), drawn({2, 3}, 8)}, {}},
                 formula);
  expect_formula(norms(), {"NPU.npu_layer_norm_eval", {drawn({2, 2, 3}, 6), shape}, {}}, formula);
  expect_formula(norms(), {"NPU.npu_layer_norm_eval", {drawn({0, 2, 3}, 6), shape, drawn({2, 3}, 7)}, {}}, formula);
  EXPECT_EQ(norms().forward({"NPU.npu_layer_norm_eval", {drawn({2, 3}, 6), integers({2})}, {}}).status, ASSAY_INVALID_ARGUMENT);
}

TEST(FusedNorms, GroupNormSiluTakesChannelsInGroups) {
  const Formula formula = [](const Inputs& in) {
    Reals out(in[0].size());
    for (std::size_t block = 0; block < out.size(); block += 2 * 3) {
      const auto [mean, rstd] = moments(in[0], block, 6, 1e-5L);
      for (std::size_t i = 0; i < 6; ++i) {
        const std::size_t channel = (block + i) / 3 % 4;
        const Real z =
            (in[0][block + i] - mean) * rstd * (in.size() > 1 ? in[1][channel] : 1) + (in.size() > 2 ? in[2][channel] : 0);
        out[block + i] = silu(z);
      }
    }
    return out;
  };
  Call call{"NPU.npu_group_norm_silu", {drawn({2, 4, 3}, 9), drawn({4}, 10), drawn({4}, 11), std::int64_t{2}}, {}};
  expect_formula(norms(), call, formula);
  expect_formula(norms(), {"NPU.npu_group_norm_silu", {drawn({2, 4, 3}, 9), None{}, None{}, std::int64_t{2}}, {}}, formula);
  const Answer answer = norms().forward(call);
  const auto [mean, rstd] = moments(inputs_of(call)[0], 6, 6, 1e-5L);
  EXPECT_EQ(answer.outputs.at(1).shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_NEAR(answer.outputs[1].values[1], static_cast<double>(mean), 1e-12);
  EXPECT_NEAR(answer.outputs.at(2).values[1], static_cast<double>(rstd), 1e-12);
  call.args[3] = std::int64_t{3};
  EXPECT_EQ(norms().forward(call).status, ASSAY_INVALID_ARGUMENT);
}

TEST(FusedTransforms, LinearIsTheSumOverInputs) {
  const Formula formula = [](const Inputs& in) {
    Reals out;
    for (std::size_t row = 0; row < in[0].size() / 3; ++row) {
      for (std::size_t o = 0; o < 5; ++o) {
        Real sum = in.size() > 2 ? in[2][o] : 0;
        for (std::size_t i = 0; i < 3; ++i) sum += in[0][row * 3 + i] * in[1][o * 3 + i];
        out.push_back(sum);
      }
    }
    return out;
  };
  expect_formula(transforms(), {"NPU.npu_linear", {drawn({4, 3}, 12), drawn({5, 3}, 13), drawn({5}, 14)}, {}}, formula);
  expect_formula(transforms(), {"NPU.npu_linear", {drawn({2, 2, 3}, 12), drawn({5, 3}, 13)}, {}}, formula);
  expect_formula(transforms(), {"NPU.npu_linear", {drawn({0, 3}, 12), drawn({5, 3}, 13)}, {}}, formula);
  EXPECT_EQ(transforms().forward({"NPU.npu_linear", {drawn({4, 2}, 12), drawn({5, 3}, 13)}, {}}).status, ASSAY_INVALID_ARGUMENT);
}

TEST(FusedTransforms, LinearOfManyRowsIsTheSameOnSeveralThreads) {
  const Tensor x = drawn({600, 40}, 1);
  const Tensor weight = drawn({50, 40}, 2);
  const Answer answer = transforms().forward({"NPU.npu_linear", {x, weight}, {}});
  Reals expected;
  for (std::int64_t row = 0; row < 600; ++row) {
    for (std::int64_t o = 0; o < 50; ++o) {
      Real sum = 0;
      for (std::int64_t i = 0; i < 40; ++i)
        sum += static_cast<Real>(x.view().number_at(row * 40 + i)) * weight.view().number_at(o * 40 + i);
      expected.push_back(sum);
    }
  }
  expect_close(answer.outputs.at(0).values, expected, "npu_linear");
}

TEST(FusedTransforms, RotaryMulTurnsPairs) {
  for (const char* mode : {"half", "interleave"}) {
    SCOPED_TRACE(mode);
    // [2, 3, 2, 4] times [1, 3, 1, 4]
    const Formula formula = [&](const Inputs& in) {
      Reals out;
      for (std::size_t i = 0; i < in[0].size(); ++i) {
        const std::size_t column = i % 4;
        const std::size_t factor = i / 8 % 3 * 4 + column;
        const bool half = std::string(mode) == "half";
        const std::size_t other = i - column + (half ? (column + 2) % 4 : column ^ 1u);
        const bool first = half ? column < 2 : column % 2 == 0;
        out.push_back(in[1][factor] * in[0][i] + in[2][factor] * (first ? -in[0][other] : in[0][other]));
      }
      return out;
    };
    expect_formula(transforms(),
                   {"NPU.npu_rotary_mul",
                    {drawn({2, 3, 2, 4}, 15), drawn({1, 3, 1, 4}, 16), drawn({1, 3, 1, 4}, 17)},
                    {{"rotary_mode", std::string(mode)}}},
                   formula);
  }
  const Call odd{"NPU.npu_rotary_mul", {drawn({2, 3}, 15), drawn({2, 3}, 16), drawn({2, 3}, 17)}, {}};
  EXPECT_EQ(transforms().forward(odd).status, ASSAY_INVALID_ARGUMENT);
}

TEST(FusedTransforms, ConfusionTransposeReshapesBeforeOrAfter) {
  const auto at = [](const Reals& x, std::size_t i, std::size_t j, std::size_t k) { return x[(i * 3 + j) * 4 + k]; };
  expect_formula(transforms(),
                 {"NPU.npu_confusion_transpose", {drawn({2, 3, 4}, 18), integers({2, 0, 1}), integers({4, -1}), true}, {}},
                 [&](const Inputs& in) {
                   Reals out;
                   for (std::size_t k = 0; k < 4; ++k) {
                     for (std::size_t i = 0; i < 2; ++i) {
                       for (std::size_t j = 0; j < 3; ++j) out.push_back(at(in[0], i, j, k));
                     }
                   }
                   return out;
                 });
  expect_formula(transforms(),
                 {"NPU.npu_confusion_transpose", {drawn({24}, 18), integers({0, 2, 1}), integers({2, 3, 4}), false}, {}},
                 [&](const Inputs& in) {
                   Reals out;
                   for (std::size_t i = 0; i < 2; ++i) {
                     for (std::size_t k = 0; k < 4; ++k) {
                       for (std::size_t j = 0; j < 3; ++j) out.push_back(at(in[0], i, j, k));
                     }
                   }
                   return out;
                 });
  Call call{"NPU.npu_confusion_transpose", {bytes({2, 2}, {1, 2, 3, 4}, kUInt8), integers({1, 0}), integers({4}), true}, {}};
  const Answer answer = transforms().forward(call);
  EXPECT_TRUE(answer.outputs.at(0).dtype == kUInt8);
  EXPECT_EQ(answer.outputs[0].values, (std::vector<double>{1, 3, 2, 4}));
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{5}, {-1, -1}, {4611686018427387904, 4}, {0, -1}, {-4}}) {
    call.args[2] = integers(shape);
    EXPECT_EQ(transforms().forward(call).status, ASSAY_INVALID_ARGUMENT);
  }
  call.args[2] = integers({4});
  call.args[1] = integers({0, 0});
  EXPECT_EQ(transforms().forward(call).status, ASSAY_INVALID_ARGUMENT);
}

TEST(FusedTransforms, SortV2PutsEachLineInOrder) {
  for (const bool descending : {false, true}) {
    // Each element goes where its rank is: counted, not sorted.
    expect_formula(transforms(), {"NPU.npu_sort_v2", {drawn({5, 3}, 19), std::int64_t{0}, descending}, {}}, [&](const Inputs& in) {
      Reals out(15);
      for (std::size_t i = 0; i < 15; ++i) {
        std::size_t rank = 0;
        for (std::size_t k = i % 3; k < 15; k += 3) rank += descending ? in[0][k] > in[0][i] : in[0][k] < in[0][i];
        out[rank * 3 + i % 3] = in[0][i];
      }
      return out;
    });
  }
  const Answer answer = transforms().forward({"NPU.npu_sort_v2", {doubles({4}, {NAN, INFINITY, -1, -INFINITY})}, {}});
  expect_close(answer.outputs.at(0).values, {-INFINITY, -1, INFINITY, NAN}, "npu_sort_v2");
}

TEST(FusedSoftmax, ScaledMaskedSoftmaxFillsWhatIsMasked) {
  const std::vector<int> mask = {0, 1, 0, 0, 1, 1, 0, 0, 0};
  for (const bool triangle : {false, true}) {
    const Formula formula = [&](const Inputs& in) {
      Reals out;
      for (std::size_t row = 0; row < in[0].size() / 3; ++row) {
        Real sum = 0;
        Reals line;
        for (std::size_t k = 0; k < 3; ++k) {
          const bool masked = triangle ? k > row % 3 : mask[row % 3 * 3 + k] != 0;
          line.push_back(masked ? 0 : std::exp(0.7L * in[0][row * 3 + k]));
          sum += line.back();
        }
        for (const Real e : line) out.push_back(e / sum);
      }
      return out;
    };
    expect_formula(softmaxes(),
                   {"NPU.npu_scaled_masked_softmax", {drawn({2, 3, 3}, 20), bytes({1, 3, 3}, mask), 0.7, triangle}, {}}, formula);
  }
}

TEST(FusedSoftmax, ARowThatIsMaskedThroughoutIsUniformAndHasNoGradient) {
  const Call call{"NPU.npu_scaled_masked_softmax", {drawn({1, 4}, 20), bytes({1, 4}, {1, 1, 1, 1}), 2.0}, {}};
  expect_close(softmaxes().forward(call).outputs.at(0).values, {0.25L, 0.25L, 0.25L, 0.25L}, call.api);
  expect_close(softmaxes().backward(call, {drawn({1, 4}, 1)}).gradients.at(0).second.values, {0, 0, 0, 0}, call.api);
  const Call large{"NPU.npu_scaled_masked_softmax", {doubles({1, 2}, {1e300, -1e300}), bytes({1, 2}, {0, 0}), 1.0}, {}};
  expect_close(softmaxes().forward(large).outputs.at(0).values, {1, 0}, large.api);
}

TEST(FusedSoftmax, MoeGatingGivesTheLargestProbabilities) {
  Call call{"NPU.npu_moe_gating_top_k_softmax", {drawn({4, 6}, 21)}, {{"k", std::int64_t{2}}}};
  expect_formula(softmaxes(), call, [](const Inputs& in) {
    Reals out;
    for (std::size_t row = 0; row < 4; ++row) {
      Reals line;
      Real sum = 0;
      for (std::size_t e = 0; e < 6; ++e) {
        line.push_back(std::exp(in[0][row * 6 + e]));
        sum += line.back();
      }
      std::sort(line.rbegin(), line.rend());
      out.push_back(line[0] / sum);
      out.push_back(line[1] / sum);
    }
    return out;
  });
  call.args.emplace_back(bytes({4}, {0, 1, 0, 0}));
  const Answer answer = softmaxes().forward(call);
  EXPECT_TRUE(answer.outputs.at(1).dtype == kInt32);
  EXPECT_EQ(answer.outputs[1].values[2], 6);
  EXPECT_EQ(answer.outputs[1].values[3], 6);
  EXPECT_EQ(answer.outputs.at(2).values, (std::vector<double>{0, 4, 1, 5, 2, 6, 3, 7}));
  const std::vector<double> x = draw(24, 21);
  const auto largest = std::max_element(x.begin(), x.begin() + 6) - x.begin();
  EXPECT_EQ(answer.outputs[1].values[0], static_cast<double>(largest));
  call.kwargs[0].second = std::int64_t{7};
  EXPECT_EQ(softmaxes().forward(call).status, ASSAY_INVALID_ARGUMENT);
}

List state(std::uint64_t seed) { return List{{drawn({5}, seed), drawn({5}, seed + 1), drawn({5}, seed + 2, 0.1, 2)}}; }

TEST(FusedOptimizers, ApplyAdamTakesOneStep) {
  for (const bool nesterov : {false, true}) {
    const Tensor grad = drawn({5}, 22);
    const Call call{"NPU.npu_apply_adam", {0.9, 0.99, 0.01, 0.8, 0.95, 1e-6, grad, false, nesterov}, {{"out", state(30)}}};
    const Answer answer = optimizers().forward(call);
    ASSERT_EQ(answer.status, ASSAY_OK) << answer.message;
    const std::vector<double> var = draw(5, 30), m = draw(5, 31), v = draw(5, 32, 0.1, 2);
    Reals expected;
    for (std::int64_t i = 0; i < 5; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Real g = grad.view().number_at(i);
      const Real moment = m[k] + (g - m[k]) * (1 - static_cast<Real>(0.8));
      const Real square = v[k] + (g * g - v[k]) * (1 - static_cast<Real>(0.95));
      const Real used = nesterov ? static_cast<Real>(0.8) * moment + (1 - static_cast<Real>(0.8)) * g : moment;
      const Real rate = static_cast<Real>(0.01) * std::sqrt(1 - static_cast<Real>(0.99)) / (1 - static_cast<Real>(0.9));
      expected.push_back(var[k] - rate * used / (std::sqrt(square) + static_cast<Real>(1e-6)));
    }
    expect_close(answer.outputs.at(0).values, expected, call.api);
    EXPECT_EQ(answer.mutated, (std::vector<std::string>{"out.0", "out.1", "out.2"}));
    EXPECT_EQ(optimizers().backward(call, {grad}).status, ASSAY_UNSUPPORTED);
  }
}

TEST(FusedOptimizers, ApplyAdamWDecaysTheWeightsApart) {
  for (const int variant : {0, 1, 2, 3}) {
    SCOPED_TRACE(variant);
    const bool amsgrad = variant % 2 == 1;
    const bool maximize = variant / 2 == 1;
    const Tensor grad = drawn({5}, 22);
    const Call call{"NPU.npu_apply_adam_w",
                    {0.9, 0.99, 0.01, 0.1, 0.8, 0.95, 1e-6, grad, drawn({5}, 23, 0, 3), amsgrad, maximize},
                    {{"out", state(30)}}};
    const Answer answer = optimizers().forward(call);
    ASSERT_EQ(answer.status, ASSAY_OK) << answer.message;
    const std::vector<double> var = draw(5, 30), m = draw(5, 31), v = draw(5, 32, 0.1, 2), norm = draw(5, 23, 0, 3);
    const Real beta1 = 0.8, beta2 = 0.95, power1 = 0.9, power2 = 0.99, lr = 0.01, decay = 0.1, epsilon = 1e-6;
    Reals expected;
    for (std::int64_t i = 0; i < 5; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Real g = maximize ? -grad.view().number_at(i) : grad.view().number_at(i);
      const Real moment = m[k] + (g - m[k]) * (1 - beta1);
      Real square = v[k] + (g * g - v[k]) * (1 - beta2);
      if (amsgrad) square = std::max<Real>(square, norm[k]);
      const Real bias1 = 1 - power1 * beta1;
      const Real bias2 = 1 - power2 * beta2;
      expected.push_back(var[k] - lr * decay * var[k] - lr * moment / (bias1 * (std::sqrt(square) / std::sqrt(bias2) + epsilon)));
    }
    expect_close(answer.outputs.at(0).values, expected, call.api);
  }
  const Call none{
      "NPU.npu_apply_adam_w", {0.9, 0.99, 0.01, 0.1, 0.8, 0.95, 1e-6, drawn({5}, 22), None{}, true, false}, {{"out", state(30)}}};
  EXPECT_EQ(optimizers().forward(none).status, ASSAY_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace assay::testing
