#include "watch/watch_config.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "watch/api_names.hpp"

namespace assay {
namespace {

class WatchConfiguration : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("ASSAY_HOME", ASSAY_BINARY_DIR, 1); }

  static WatchConfig load(const char* text) {
    Result<WatchConfig> config = WatchConfig::load(text, "test.json");
    EXPECT_TRUE(config) << (config ? "" : config.failure().message);
    return config ? std::move(*config) : WatchConfig();
  }
  static std::string problem(const char* text) {
    const Result<WatchConfig> config = WatchConfig::load(text, "test.json");
    return config ? "" : config.failure().message;
  }
};

TEST_F(WatchConfiguration, IsWhatIsShippedWhenNothingIsSaid) {
  const WatchConfig config = load("");
  ASSERT_TRUE(config.budget);
  EXPECT_DOUBLE_EQ(*config.budget, 0.1);
  EXPECT_TRUE(config.forward && config.backward);
  ASSERT_EQ(config.stages.size(), 1u);
  EXPECT_EQ(config.stages[0].chain[0].component, "assay.add-noise");
  EXPECT_TRUE(config.steps.holds(12345));
}

TEST_F(WatchConfiguration, SelectsByNameNumberOperatorAndPart) {
  const WatchConfig only = load(R"({"only": ["Functional.linear.3", "aten::mm"], "skip": ["*.backward"]})");
  EXPECT_TRUE(only.selects("Functional.linear.3", "Functional.linear", "aten::linear", "Functional.linear.3.forward"));
  EXPECT_FALSE(only.selects("Functional.linear.4", "Functional.linear", "aten::linear", "Functional.linear.4.forward"));
  EXPECT_TRUE(only.selects("", "", "aten::mm", ""));
  EXPECT_FALSE(only.selects("Functional.linear.4", "Functional.linear", "aten::mm", "Functional.linear.4.backward"));
  const WatchConfig part = load(R"({"contains": ["line"]})");
  EXPECT_TRUE(part.selects("Functional.linear.0", "Functional.linear", "aten::linear", "Functional.linear.0.forward"));
  EXPECT_FALSE(part.selects("Torch.mul.0", "Torch.mul", "aten::mul", "Torch.mul.0.forward"));
}

TEST_F(WatchConfiguration, RangesHoldTheirNumbers) {
  const WatchConfig config = load(R"({"steps": [1, "3-5"]})");
  for (const int step : {1, 3, 4, 5}) EXPECT_TRUE(config.steps.holds(step)) << step;
  for (const int step : {0, 2, 6}) EXPECT_FALSE(config.steps.holds(step)) << step;
  EXPECT_NE(problem(R"({"steps": ["5-3"]})").find("/steps"), std::string::npos);
  EXPECT_NE(problem(R"({"steps": ["-3"]})").find("/steps"), std::string::npos);
}

TEST_F(WatchConfiguration, BudgetsAreSharesOrNone) {
  EXPECT_DOUBLE_EQ(*load(R"({"budget": "2.5%"})").budget, 0.025);
  EXPECT_FALSE(load(R"({"budget": "none"})").budget);
  for (const char* wrong : {R"({"budget": "5"})", R"({"budget": "-1%"})", R"({"budget": "%"})", R"({"budget": "5%%"})"}) {
    EXPECT_NE(problem(wrong).find("/budget"), std::string::npos) << wrong;
  }
}

TEST_F(WatchConfiguration, FixIsForOnePreciseForwardReplacement) {
  EXPECT_NE(problem(R"({"handler": "fix"})").find("/stage"), std::string::npos);
  EXPECT_NE(problem(R"({"handler": "fix", "stage": "forward"})").find("/perturbations"), std::string::npos);
  EXPECT_EQ(problem(R"({"handler": "fix", "stage": "forward", "perturbations": [{"component": "improve-precision"}]})"), "");
}

TEST_F(WatchConfiguration, ThePeersSectionIsTranslated) {
  const WatchConfig config = load(
      R"({"task": "free_benchmark", "dump_path": "/d", "step": ["2-4"], "rank": [1], "level": "L1",
          "free_benchmark": {"list": ["conv"], "pert_mode": "bit_noise", "fuzz_stage": "backward", "if_preheat": true, "preheat_step": 7}})");
  EXPECT_TRUE(config.compat);
  EXPECT_TRUE(config.msprobe_file);
  EXPECT_FALSE(config.budget);
  EXPECT_EQ(config.handler, PerturbHandler::kPreheat);
  EXPECT_EQ(config.preheat_steps, 7);
  EXPECT_EQ(config.stages[0].chain[0].component, "assay.bit-noise");
  EXPECT_EQ(config.stages[0].chain[0].config_json, R"({"compat": "msprobe"})");
  EXPECT_TRUE(config.backward && !config.forward);
  EXPECT_EQ(config.contains, std::vector<std::string>{"conv"});
  EXPECT_TRUE(config.steps.holds(3) && !config.steps.holds(5));
  EXPECT_TRUE(config.ranks.holds(1) && !config.ranks.holds(0));
  EXPECT_EQ(config.dump_path, "/d");
}

TEST_F(WatchConfiguration, WhatThePeerRefusesIsNamed) {
  const auto expect_problem = [&](const char* section, const char* key) {
    const std::string message = problem((std::string(R"({"free_benchmark": )") + section + "}").c_str());
    EXPECT_NE(message.find(std::string("/free_benchmark/") + key), std::string::npos) << section << ": " << message;
  };
  expect_problem(R"({"fuzz_stage": "backward"})", "list");
  expect_problem(R"({"pert_mode": "to_cpu", "fuzz_device": "npu"})", "fuzz_device");
  expect_problem(R"({"pert_mode": "louder"})", "pert_mode");
  expect_problem(R"({"if_preheat": "yes"})", "if_preheat");
  expect_problem(R"({"preheat_step": 0})", "preheat_step");
  expect_problem(R"({"scope": ["a"], "list": ["b"]})", "scope");
  expect_problem(R"({"handler_type": "fix", "if_preheat": true})", "handler_type");
}

TEST_F(WatchConfiguration, OperatorsHaveTheNamesOfTheirApis) {
  Result<ApiNames> names = ApiNames::load();
  ASSERT_TRUE(names);
  EXPECT_EQ(names->api_of("aten::linear"), "Functional.linear");
  EXPECT_EQ(names->api_of("aten::cross_entropy_loss"), "Functional.cross_entropy");
  EXPECT_EQ(names->api_of("aten::add"), "Torch.add");
  EXPECT_EQ(names->api_of("aten::add_"), "Tensor.add_");
  EXPECT_EQ(names->api_of("aten::relu_"), "Functional.relu_");
  EXPECT_EQ(names->api_of("mine::f"), "mine.f");
}

}  // namespace
}  // namespace assay
