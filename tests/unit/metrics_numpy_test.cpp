// The engine's metrics against those that NumPy computed in long double: tests/data/metrics/pairs.json, from make_pairs.py beside
// it.
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/istreamwrapper.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <set>

#include "metrics_support.hpp"

namespace assay::test {
namespace {

/// Means of quotients in float32, and the quotients themselves.
double allowed(const std::string& name) {
  static const std::set<std::string> singles = {"mean_rel_error",         "msprobe_max_rel_error", "msprobe_mean_rel_error",
                                                "msprobe_ulp_max",        "msprobe_ulp_mean",      "msprobe_rmse",
                                                "significant_bits_median"};
  return singles.count(name) != 0 ? 3e-7 : 1e-12;
}

unsigned digit(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); }

Tensor tensor_of(assay_dtype dtype, const std::string& hex) {
  const std::size_t size = hex.size() / 2;
  Tensor out = Tensor::allocate(dtype, {static_cast<std::int64_t>(size / dtype_size(dtype))});
  auto* to = static_cast<unsigned char*>(out.abi().dl.data);
  for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<unsigned char>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return out;
}

void expect_number(double got, double want, double relative, const std::string& what) {
  if (std::isnan(want) || std::isinf(want)) {
    EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << what << " is " << got << ", not " << want;
  } else {
    EXPECT_NEAR(got, want, relative * std::max(std::fabs(want), 1e-300)) << what;
  }
}

void expect_metrics(const Numbers& engine, const rapidjson::Value& wanted, const std::string& what) {
  for (const auto& entry : wanted.GetObject()) {
    const std::string name = entry.name.GetString();
    const std::vector<double>& got = engine.at(name);
    if (entry.value.IsNull()) {
      EXPECT_TRUE(got.empty()) << what << ": " << name << " is " << (got.empty() ? 0 : got[0]) << ", not unavailable";
    } else if (entry.value.IsArray()) {
      ASSERT_EQ(got.size(), entry.value.Size()) << what << ": " << name;
      for (rapidjson::SizeType i = 0; i < entry.value.Size(); ++i) {
        EXPECT_EQ(got[i], entry.value[i].GetDouble()) << what << ": " << name << " " << i;
      }
    } else {
      ASSERT_EQ(got.size(), 1u) << what << ": " << name << " is unavailable, not " << entry.value.GetDouble();
      expect_number(got[0], entry.value.GetDouble(), allowed(name), what + ": " + name);
    }
  }
}

TEST(MetricsOfNumpy, AgreeForEveryDTypeAndMetric) {
  std::ifstream file(ASSAY_SOURCE_DIR "/tests/data/metrics/pairs.json");
  rapidjson::IStreamWrapper stream(file);
  rapidjson::Document document;
  document.ParseStream<rapidjson::kParseNanAndInfFlag>(stream);
  ASSERT_TRUE(document.IsArray());
  std::set<std::string> dtypes;
  std::set<std::string> metrics;
  for (const rapidjson::Value& pair : document.GetArray()) {
    const std::string name = pair["dtype"].GetString();
    const auto dtype = dtype_from_name(name);
    ASSERT_TRUE(dtype) << name;
    const Tensor actual = tensor_of(*dtype, pair["actual"].GetString());
    const Tensor expected = tensor_of(*dtype, pair["expected"].GetString());
    const std::string what = name + "[" + std::to_string(actual.numel()) + "]";
    expect_metrics(run_engine(actual, expected), pair["metrics"], what);
    expect_metrics(run_engine(make_strided(actual), make_strided(expected)), pair["metrics"], what + ", strided");
    dtypes.insert(name);
    for (const auto& entry : pair["metrics"].GetObject()) metrics.insert(entry.name.GetString());
  }
  EXPECT_EQ(dtypes.size(), 17u);
  // All but the places of the worst elements, whose order among equals is the engine's own.
  EXPECT_EQ(metrics.size(), engine::kMetricCount - 2);
}

}  // namespace
}  // namespace assay::test
