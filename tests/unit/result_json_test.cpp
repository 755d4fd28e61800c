#include "pipeline/result_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

ApiResult sample() {
  ApiResult result;
  result.position = 7;
  result.stem = "Tensor.add.3";
  result.api = "Tensor.add";
  result.forward.verdict = Verdict::kError;
  result.forward.message = "output.0: \"far\" off\n";
  result.forward.notes = {"computed in float32"};
  result.forward.target_ms = 0.1;
  result.forward.reference_bytes = 4096;
  OutputRow row;
  row.name = "Tensor.add.3.forward.output.0";
  row.verdict = Verdict::kError;
  row.reason = "ASSAY-CMP-021";
  row.decision = Decision{"max_ulp", 4096, 2};
  row.actual.dtype = "float32";
  row.actual.is_tensor = true;
  row.actual.shape = {2, 0, 3};
  row.expected = row.actual;
  row.metrics = {0.1, std::nullopt, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(), 5e-324};
  row.ulp_histogram = {{0, 12}, {17, 3}};
  row.worst = WorstElement{{1, 0, 2}, "1.5", "nan", 3.0};
  row.next_worst = {{{0, 0, 1}, "2.5", "2.25", 1.0}, {{1, 0, 0}, "inf", "0.5", std::nullopt}};
  result.forward.outputs.push_back(row);
  return result;
}

TEST(ResultJson, SurvivesTheRoundTrip) {
  const std::string line = result_to_json(sample());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Result<ApiResult> back = result_from_json(line);
  ASSERT_TRUE(back) << back.failure().message;
  EXPECT_EQ(result_to_json(*back), line);
  const OutputRow& row = back->forward.outputs.at(0);
  EXPECT_EQ(row.metrics.at(0), 0.1);
  EXPECT_FALSE(row.metrics.at(1));
  EXPECT_TRUE(std::isnan(*row.metrics.at(2)));
  EXPECT_EQ(*row.metrics.at(3), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(*row.metrics.at(4), 5e-324);
  EXPECT_EQ(row.ulp_histogram.at(1), (std::pair<std::uint32_t, double>(17, 3)));
  ASSERT_EQ(row.next_worst.size(), 2u);
  EXPECT_EQ(row.next_worst.at(1).index, (std::vector<std::int64_t>{1, 0, 0}));
  EXPECT_EQ(row.next_worst.at(0).ulp, 1.0);
  EXPECT_FALSE(row.next_worst.at(1).ulp);
  EXPECT_EQ(row.actual.shape, (std::vector<std::int64_t>{2, 0, 3}));
  EXPECT_EQ(back->forward.reference_bytes, 4096u);
  EXPECT_EQ(back->forward.target_bytes, 0u);
  EXPECT_EQ(back->backward.verdict, Verdict::kNone);
}

TEST(ResultJson, NamesWhatIsWrong) {
  const std::string line = result_to_json(sample());
  EXPECT_NE(result_from_json(line.substr(0, line.size() / 2)).failure().message.find("not JSON at byte"), std::string::npos);
  EXPECT_EQ(result_from_json("[]").failure().message, "read a result: field 'result' is not an object");
  EXPECT_EQ(result_from_json("{\"position\": -1}").failure().message, "read a result: field 'position' is not a whole number");
  EXPECT_EQ(result_from_json("{\"position\": 1, \"forward\": {\"verdict\": \"fine\"}}").failure().message,
            "read a result: unknown verdict 'fine'");
}

}  // namespace
}  // namespace assay
