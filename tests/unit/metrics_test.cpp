// Every metric of the engine against the independent computation of metrics_naive*.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "metrics_support.hpp"

namespace assay::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// How far apart engine and independent computation may be, relative. These means add quotients of float32.
double allowed(const std::string& name) {
  return name == "mean_rel_error" || name == "msprobe_mean_rel_error" || name == "msprobe_ulp_mean" ? 2e-7 : 1e-12;
}

void expect_close(double got, double want, double relative, const std::string& what) {
  if (std::isnan(want) || std::isinf(want)) {
    EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << what << " is " << got << ", not " << want;
  } else {
    EXPECT_NEAR(got, want, relative * std::fabs(want)) << what;
  }
}

/// Every metric that the engine gave is as in the independent computation.
void expect_naive(const Tensor& actual, const Tensor& expected, const Numbers& engine, const Numbers& naive,
                  const std::string& what) {
  for (const auto& [name, numbers] : engine) {
    std::vector<double> got = numbers;
    std::vector<double> want = naive.at(name);
    ASSERT_EQ(got.size(), want.size()) << what << ": " << name << " is available on one side only";
    double relative = allowed(name);
    if (name.rfind("worst_ind", 0) == 0) {
      // Elements whose keys differ by less than a rounding of float32 may come in another order.
      got = worst_keys(actual, expected, got);
      want = worst_keys(actual, expected, want);
      relative = 1e-6;
    }
    for (std::size_t i = 0; i < got.size(); ++i)
      expect_close(got[i], want[i], relative, what + ": " + name + " " + std::to_string(i));
  }
}

void expect_naive(const Tensor& actual, const Tensor& expected, const std::string& what) {
  const Numbers naive = naive_metrics(actual, expected);
  const engine::EngineOptions defaults;
  expect_naive(actual, expected, run_engine(actual, expected), naive, what);
  expect_naive(actual, expected, run_engine(actual, expected, defaults), naive, what + ", default metrics");
  expect_naive(actual, expected, run_engine(make_strided(actual), make_strided(expected), defaults), naive, what + ", strided");
}

struct Kind {
  const char* name;
  double special_share;  ///< of NaN, inf, -0, subnormals, zeros
  double noise;          ///< relative
};

constexpr Kind kKinds[] = {
    {"equal", 0, 0}, {"rounding", 0, 1e-7}, {"coarse", 0, 0.02}, {"special", 0.3, 1e-3}, {"rare special", 0.002, 1e-6}};

/// Pairs as tests need them: values over several binades, noise on actual, and specials on either or both sides.
std::pair<Tensor, Tensor> make_pair(assay_dtype actual, assay_dtype expected, std::int64_t n, const Kind& kind, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.0, 2.0);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const bool whole = !is_floating(actual) && !is_complex(actual);
  const bool is_unsigned = actual.code == ASSAY_DTYPE_UINT || actual == kBool;
  const double specials[] = {kNan, kInf, -kInf, 0.0, -0.0, 1e-40, -3e-320, 6e-5, 1e-6};
  const std::size_t parts = is_complex(actual) ? 2 : 1;
  std::vector<double> a;
  std::vector<double> e;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n) * parts; ++i) {
    double want = whole ? std::nearbyint(normal(random) * 20) : normal(random);
    if (is_unsigned) want = std::fabs(want);
    double got = whole ? want + std::nearbyint(kind.noise * normal(random) * 20) : want * (1 + kind.noise * normal(random));
    if (is_unsigned) got = std::fabs(got);
    if (!whole && uniform(random) < kind.special_share) {
      want = specials[random() % 9];
      got = uniform(random) < 0.5 ? want : specials[random() % 9];
    }
    a.push_back(got);
    e.push_back(want);
  }
  return {make_tensor(actual, {n}, a), make_tensor(expected, {n}, e)};
}

class EveryDType : public testing::TestWithParam<DTypeName> {};

TEST_P(EveryDType, AgreesWithTheIndependentComputation) {
  for (const Kind& kind : kKinds) {
    for (const std::int64_t n : {1, 2, 7, 8, 9, 31, 513, 2047, 2049, 20001}) {
      const auto [actual, expected] = make_pair(GetParam().dtype, GetParam().dtype, n, kind, static_cast<unsigned>(n));
      expect_naive(actual, expected, std::string(kind.name) + ", n = " + std::to_string(n));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, EveryDType, testing::ValuesIn(kDTypeNames),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace assay::test
