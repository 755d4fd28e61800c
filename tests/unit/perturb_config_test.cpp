#include <gtest/gtest.h>

#include "dump_fixture.hpp"
#include "perturb/perturb_config.hpp"
#include "perturb/stability.hpp"

namespace assay {
namespace {

std::string refusal(const std::string& json, const PerturbFlags& flags = {}) {
  ScratchFolder scratch;
  const auto file = json.empty() ? std::filesystem::path() : scratch.write("my.json", json);
  const Result<PerturbConfig> config = PerturbConfig::load(file, flags);
  return config ? "" : config.failure().message;
}

PerturbConfig loaded(const std::string& json, const PerturbFlags& flags = {}) {
  ScratchFolder scratch;
  const Result<PerturbConfig> config = PerturbConfig::load(json.empty() ? std::filesystem::path() : scratch.write("my.json", json), flags);
  EXPECT_TRUE(config) << (config ? "" : config.failure().message);
  return config ? *config : PerturbConfig{};
}

TEST(PerturbConfig, ShippedOneRunsAllSixBothWays) {
  const PerturbConfig config = loaded("");
  std::vector<std::string> names;
  for (const PerturbationStage& stage : config.stages) names.push_back(stage.name);
  EXPECT_EQ(names, (std::vector<std::string>{"add-noise", "add-noise-tensor", "bit-noise", "change-value", "improve-precision",
                                             "to-cpu"}));
  EXPECT_TRUE(config.forward && config.backward);
  EXPECT_EQ(config.inputs, InputChoice::kEach);
}

TEST(PerturbConfig, FlagsWinOverTheFile) {
  PerturbFlags flags;
  flags.seeds = 8;
  flags.inputs = "first";
  flags.perturbations = {"bit-noise"};
  const PerturbConfig config = loaded(R"({"seeds": 2, "inputs": "all", "threads": 3})", flags);
  EXPECT_EQ(config.seeds, 8u);
  EXPECT_EQ(config.inputs, InputChoice::kFirst);
  EXPECT_EQ(config.threads, 3u);
  ASSERT_EQ(config.stages.size(), 1u);
  EXPECT_EQ(config.stages[0].chain[0].component, "assay.bit-noise");
}

TEST(PerturbConfig, ReadsChains) {
  const PerturbConfig config = loaded(R"({"perturbations": [
      {"chain": [{"component": "add-noise", "config": {"ulp": 4}}, {"component": "com.example.other"}]}]})");
  ASSERT_EQ(config.stages.size(), 1u);
  EXPECT_EQ(config.stages[0].name, "add-noise+com.example.other");
  EXPECT_EQ(config.stages[0].chain[0].config_json, R"({"ulp":4})");
  EXPECT_EQ(config.stages[0].chain[1].component, "com.example.other");
}

TEST(PerturbConfig, PeersModeTakesItsOwnChoices) {
  const PerturbConfig config = loaded(R"({"compat": "msprobe"})");
  EXPECT_EQ(config.inputs, InputChoice::kPeer);
  EXPECT_TRUE(config.forward);
  EXPECT_FALSE(config.backward);
  EXPECT_EQ(config.stages.size(), 5u) << "each component once";
  for (const PerturbationStage& stage : config.stages) EXPECT_EQ(stage.chain[0].config_json, R"({"compat": "msprobe"})");
}

// W09
TEST(PerturbConfig, BackwardOfAWholeNetworkNeedsNamesInThePeersMode) {
  const std::string message = refusal(R"({"compat": "msprobe", "stage": "backward"})");
  EXPECT_NE(message.find("/only"), std::string::npos) << message;
  EXPECT_NE(message.find("my.json"), std::string::npos) << message;
  EXPECT_NE(refusal(R"({"compat": "msprobe", "stage": "backward", "only": []})"), "");
  EXPECT_EQ(refusal(R"({"compat": "msprobe", "stage": "backward", "only": ["Functional.softmax"]})"), "");
}

TEST(PerturbConfig, FixReplacesForwardResultsOfQuietPerturbationsOnly) {
  EXPECT_NE(refusal(R"({"handler": "fix", "perturbations": [{"component": "to-cpu"}]})").find("/stage"), std::string::npos);
  EXPECT_NE(refusal(R"({"handler": "fix", "stage": "forward", "perturbations": [{"component": "add-noise"}]})").find("add-noise"),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"handler": "fix", "stage": "forward", "perturbations": [{"component": "to-cpu"}]})"), "");
}

TEST(PerturbConfig, NamesEveryProblemOfAFile) {
  const std::string message = refusal(R"({"seeds": 0, "inputs": "some", "extra": 1})");
  for (const char* part : {"/seeds", "/inputs", "extra"}) EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_NE(refusal(R"({"perturbations": [{"name": "nothing"}]})"), "");
  EXPECT_NE(refusal(R"({"perturbations": [{"component": "add-noise", "chain": [{"component": "bit-noise"}]}]})"), "");
  EXPECT_NE(refusal(R"({"compat": "msprobe", "perturbations": [{"component": "add-noise", "config": {"ulp": 1}}]})"), "");
}

TEST(Stability, KnowsOperatorsByTheirPlainName) {
  EXPECT_EQ(operator_name("Functional.layer_norm"), "layer_norm");
  EXPECT_EQ(operator_name("Tensor.add_"), "add");
  EXPECT_EQ(operator_name("Tensor.__mul__"), "mul");
  EXPECT_EQ(operator_name("Torch.fft.rfft"), "rfft");
}

TEST(Stability, ShippedTableHasALimitForEveryOperator) {
  const auto standard = StabilityStandard::load(std::filesystem::path(ASSAY_SOURCE_DIR) / "configs/standards/stability.json");
  ASSERT_TRUE(standard) << standard.failure().message;
  EXPECT_EQ(standard->limit_for("Functional.relu", kFloat32).expected, "copying");
  EXPECT_EQ(standard->limit_for("Tensor.__truediv__", kFloat32).expected, "division");
  EXPECT_EQ(standard->limit_for("Torch.something_new", kFloat32).expected, "other");
  EXPECT_GT(standard->limit_for("Torch.exp", kFloat32).amplification, standard->limit_for("Torch.exp", kBFloat16).amplification);
}

TEST(Stability, NamesWhatIsWrongInATable) {
  ScratchFolder scratch;
  const auto message = [&](const std::string& json) {
    const auto standard = StabilityStandard::load(scratch.write("stability.json", json));
    return standard ? std::string() : standard.failure().message;
  };
  EXPECT_NE(message(R"({"classes": [{"name": "a", "apis": ["x"], "amplification": {"default": 1}}]})").find("\"*\""),
            std::string::npos);
  EXPECT_NE(message(R"({"classes": [{"name": "a", "apis": ["*"], "amplification": {"float32": 0}}]})").find("float32"),
            std::string::npos);
  EXPECT_NE(message(R"({"classes": [{"apis": ["*"]}], "more": 1})"), "");
}

}  // namespace
}  // namespace assay
