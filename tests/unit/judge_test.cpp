#include "judge/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/sdk/comparison.hpp"

namespace assay {
namespace {

const std::filesystem::path kStandards = std::filesystem::path(ASSAY_SOURCE_DIR) / "configs" / "standards";

/// A comparison with the few metrics that the standards judge by.
class FewMetrics final : public Comparison {
 public:
  [[nodiscard]] const std::vector<const assay_metric_info*>& metrics() const override {
    static const assay_metric_info infos[] = {info("max_scaled_error"),
                                              info("max_abs_error"),
                                              info("class_mismatch_count"),
                                              info("mismatch_count"),
                                              info("max_ulp"),
                                              info("msprobe_mint_cosine"),
                                              info("numel"),
                                              info("msprobe_mint_max_abs_error")};
    static const std::vector<const assay_metric_info*> all = [] {
      std::vector<const assay_metric_info*> out;
      for (const auto& i : infos) out.push_back(&i);
      return out;
    }();
    return all;
  }

  void compare(const assay_pair& pair, double* values, std::uint8_t* available) const override {
    const TensorView actual(*pair.actual);
    const TensorView expected(*pair.expected);
    double square = 0, scaled = 0, abs = 0, classes = 0, differing = 0, dot = 0, aa = 0, ulp = 0;
    const std::int64_t n = actual.numel();
    for (std::int64_t i = 0; i < n; ++i) square += std::pow(expected.number_at(i), 2);
    const double rms = std::sqrt(square / static_cast<double>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      const double a = actual.number_at(i), e = expected.number_at(i);
      if (std::isnan(a) != std::isnan(e) || std::isinf(a) != std::isinf(e)) ++classes;
      if (!(a == e || (std::isnan(a) && std::isnan(e)))) ++differing;
      dot += a * e;
      aa += a * a;
      if (!std::isfinite(a) || !std::isfinite(e)) continue;
      abs = std::max(abs, std::fabs(a - e));
      scaled = std::max(scaled, a == e ? 0 : std::fabs(a - e) / std::max(std::fabs(e), rms));
      ulp = std::max(ulp, std::fabs(a - e) / 1e-30);
    }
    const double out[] = {
        scaled, abs, classes, differing, ulp, (1e-8 + dot) / (1e-8 + std::sqrt(square * aa)), static_cast<double>(n), abs};
    std::copy(std::begin(out), std::end(out), values);
    std::fill(available, available + std::size(out), std::uint8_t{1});
  }

 private:
  static assay_metric_info info(const char* name) {
    return {sizeof(assay_metric_info), ASSAY_METRIC_SCALAR, ASSAY_BETTER_LOWER, 1, name, "1", ""};
  }
};

Value floats(std::vector<float> values) {
  Tensor t = Tensor::allocate(kFloat32, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.data_as<float>());
  return t;
}

Value doubles(std::vector<double> values) {
  Tensor t = Tensor::allocate(kFloat64, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.data_as<double>());
  return t;
}

Judge judge_by(const char* standard) {
  auto loaded = Standard::load(kStandards / standard);
  if (!loaded) throw std::runtime_error(loaded.failure().message);
  static FewMetrics comparison;
  static assay_instance instance{sizeof(assay_instance), 0, static_cast<Comparison*>(&comparison), nullptr, nullptr};
  auto judge = Judge::create(
      *loaded, {{"few", static_cast<const assay_comparison*>(Comparison::extension(ASSAY_EXT_COMPARISON)), &instance}});
  if (!judge) throw std::runtime_error(judge.failure().message);
  return *judge;
}

OutputVerdict one(const Judge& judge, const char* api, const Value& actual, const Value& expected) {
  Judgement j;
  j.api = api;
  j.direction = "forward";
  j.actual = {&actual};
  j.expected = {&expected};
  return judge.judge(j).at(0).verdict;
}

TEST(Judge, RoundsTheReferenceBeforeComparing) {
  const Judge judge = judge_by("assay.json");
  const OutputVerdict v = one(judge, "Torch.sqrt", floats({1.0f / 3.0f}), doubles({1.0 / 3.0}));
  EXPECT_EQ(v.verdict, Verdict::kPass) << v.message;
}

TEST(Judge, FailsWrongSignsOfTinyValues) {
  const Judge judge = judge_by("assay.json");
  const OutputVerdict v = one(judge, "Torch.tanh", floats({-1e-6f, -1e-6f}), doubles({1e-6, 1e-6}));
  EXPECT_EQ(v.verdict, Verdict::kError) << v.message;
  EXPECT_EQ(v.reason, "ASSAY-CMP-025") << v.message;
}

TEST(Judge, FollowsTheMintCheckerToTheLetter) {
  const Judge judge = judge_by("msprobe-mint.json");
  EXPECT_EQ(one(judge, "Mint.tanh", floats({-1e-6f, -1e-6f}), doubles({1e-6, 1e-6})).verdict, Verdict::kPass);
  EXPECT_EQ(one(judge, "Mint.add", floats({1.0f, 2.002f}), doubles({1.0, 2.0})).verdict, Verdict::kError);
  EXPECT_EQ(one(judge, "Mint.sqrt", floats({NAN, 2.0f}), doubles({NAN, 2.0})).verdict, Verdict::kError);
  EXPECT_EQ(one(judge, "Tensor.numel", Value(std::int64_t{3}), Value(std::int64_t{3})).verdict, Verdict::kError);
}

}  // namespace
}  // namespace assay
