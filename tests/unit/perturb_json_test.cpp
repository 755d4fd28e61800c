// What perturbing workers send comes back as it was, and nothing else is taken for it.
#include "perturb/perturb_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

PerturbReport full_report() {
  PerturbRow row;
  row.name = "Torch.log.0.forward";
  row.api = "Torch.log";
  row.direction = "forward";
  row.perturbation = "add-noise";
  row.input = "0";
  row.dtype = "float32";
  row.finding = Finding::kUnstable;
  row.verdict = Verdict::kError;
  row.reason = "ASSAY-PRT-001";
  row.message = "quote \" and \xc3\xa9";
  row.seeds = 8;
  row.changed = 31;
  row.elements = 32;
  row.input_change = 1.25e-7;
  row.output_change = std::numeric_limits<double>::infinity();
  row.output = "1.0";
  row.amplification = Spread{1e6, std::numeric_limits<double>::quiet_NaN(), 2e6};
  row.bits_lost = 20.5;
  row.expected = "other";
  row.limit = 64;
  row.worst = WorstElement{{3, 1}, "nan", "0.5", std::nullopt};
  row.plain_ms = 0.5;
  row.perturbed_ms = 0.25;
  row.overhead_ms = 0.125;
  row.damaged = true;
  return {
      "Torch.log.0", {row, PerturbRow{}}, {{"add_noise", "forward", "Torch.log.0.forward", {7, "0.5", "torch.float32", "[2]"}}}};
}

TEST(PerturbJson, BringsAReportBack) {
  const PerturbReport sent = full_report();
  const Result<PerturbReport> got = report_from_json(report_to_json(sent));
  ASSERT_TRUE(got) << got.failure().message;
  // The text names every field: what reads back to the same text is the same report.
  EXPECT_EQ(report_to_json(*got), report_to_json(sent));
  EXPECT_EQ(got->rows[0].finding, Finding::kUnstable);
  EXPECT_TRUE(std::isinf(got->rows[0].output_change));
  EXPECT_TRUE(std::isnan(got->rows[0].amplification->deviation));
  EXPECT_EQ(got->rows[0].worst->index, (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(got->peer_rows[0].difference.index, 7u);
}

TEST(PerturbJson, BringsARunBack) {
  PerturbInfo info;
  info.command = "assay perturb x";
  info.dump_path = "/x/dump.json";
  info.header.framework = Framework::kPyTorch;
  info.call_count = 2;
  info.apis = {"Torch.log", "Torch.exp"};
  info.engine = {"assay.torch", "LibTorch", "1.13", "as-recorded", ""};
  info.perturbations = {"add-noise"};
  info.seeds = 3;
  info.config_json = "{\"a\": 1}";
  info.rank = "3";
  rapidjson::Document document;
  document.Parse(info_to_json(info).c_str());
  const Result<PerturbInfo> got = info_from_json(document);
  ASSERT_TRUE(got) << got.failure().message;
  EXPECT_EQ(info_to_json(*got), info_to_json(info));
  EXPECT_EQ(got->apis, info.apis);
  EXPECT_EQ(got->config_json, info.config_json);
}

TEST(PerturbJson, BringsAnswersAndThresholdsBack) {
  const std::vector<PreheatAnswer> answers = {{{1.5, false}, kBFloat16}, {{0, true}, kFloat32}};
  const auto got = answers_from_json(answers_to_json(answers));
  ASSERT_TRUE(got) << got.failure().message;
  EXPECT_EQ(answers_to_json(*got), answers_to_json(answers));
  const Preheat::Thresholds thresholds = {{"float32", 1.0000003}, {"bfloat16", 1.004}};
  const auto limits = thresholds_from_json(thresholds_to_json(thresholds));
  ASSERT_TRUE(limits) << limits.failure().message;
  EXPECT_EQ(*limits, thresholds);
}

TEST(PerturbJson, RefusesWhatIsNoReport) {
  const std::string good = report_to_json(full_report());
  for (std::size_t length = 0; length < good.size(); length += 7) EXPECT_FALSE(report_from_json(good.substr(0, length))) << length;
  for (const char* text : {"[]", "{}", R"({"rows": 1, "peer_rows": []})", R"({"rows": [{}], "peer_rows": []})",
                           R"({"rows": [], "peer_rows": [1]})", R"({"rows": [], "peer_rows": [{"index": -1}]})"}) {
    EXPECT_FALSE(report_from_json(text)) << text;
  }
  EXPECT_FALSE(answers_from_json(R"([{"ratio": 1, "consistent": true, "dtype": "float9"}])"));
  EXPECT_FALSE(thresholds_from_json(R"({"float32": "x"})"));
}

}  // namespace
}  // namespace assay
