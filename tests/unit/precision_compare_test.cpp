// The rules of comparing two runs of the PyTorch checker, one by one.
#include <cmath>

#include "compare/precision_judge.hpp"
#include "compare_fixture.hpp"

namespace assay {
namespace {

const std::filesystem::path kStandards = std::filesystem::path(ASSAY_SOURCE_DIR) / "configs" / "standards" / "compare";

class PrecisionCompare : public ::testing::Test {
 protected:
  PrecisionRow judge(const std::string& standard, const std::string& api, const std::string& dtype, const Cells& tested,
                     const Cells& baseline) {
    const std::string name = api + ".0.forward.output.0";
    return judge_rows(standard, {details_row(name, dtype, tested)}, {details_row(name, dtype, baseline)}).at(0);
  }

  std::vector<PrecisionRow> judge_rows(const std::string& standard, const std::vector<Cells>& tested,
                                       const std::vector<Cells>& baseline) {
    Result<PrecisionStandard> loaded = PrecisionStandard::load(kStandards / ("msprobe-2026-" + standard + ".json"));
    if (!loaded) throw std::runtime_error(loaded.failure().message);
    const Result<Table> left = Table::read(folder_.write("tested.csv", TableText().of(tested)));
    const Result<Table> right = Table::read(folder_.write("baseline.csv", TableText().of(baseline)));
    if (!left || !right) throw std::runtime_error(left ? right.failure().message : left.failure().message);
    const PrecisionJudge judge(*loaded);
    std::vector<PrecisionRow> rows = judge.rows(*left, *right);
    results_ = judge.results(rows);
    return rows;
  }

  ScratchFolder folder_;
  std::vector<PrecisionResult> results_;
};

const Cells kCalm = {{"小值域错误占比", "0.0"},
                     {"均方根误差", "0.001"},
                     {"相对误差最大值", "0.001"},
                     {"相对误差平均值", "0.001"},
                     {"误差均衡性", "0.001"}};

Cells with(Cells cells, const std::string& column, const std::string& value) {
  cells[column] = value;
  return cells;
}

TEST_F(PrecisionCompare, RatiosUseTheSmallestDenominator) {
  EXPECT_EQ(error_ratio(0, 0, std::exp2(-14)).value, 0);
  EXPECT_EQ(error_ratio(std::exp2(-14), 0, std::exp2(-14)).value, 1);
  EXPECT_EQ(error_ratio(-0.5, -0.25, std::exp2(-14)).value, 2);
  const auto rmse_ratio = [&](const char* dtype) {
    return *judge("04", "Torch.acos", dtype, with(kCalm, "均方根误差", "0.00390625"), with(kCalm, "均方根误差", "0"))
                .figures[kRmseRatio]
                .value;
  };
  EXPECT_EQ(rmse_ratio("float32"), 64);
  EXPECT_EQ(rmse_ratio("float16"), 8);
  EXPECT_EQ(rmse_ratio("bfloat16"), 1);
}

TEST_F(PrecisionCompare, ComparesNonFiniteNumbersByClass) {
  const double inf = INFINITY;
  const double nan = NAN;
  for (const auto& [tested, baseline, consistent] :
       {std::tuple(nan, nan, true), std::tuple(inf, inf, true), std::tuple(-inf, -inf, true), std::tuple(inf, -inf, false),
        std::tuple(inf, 1.0, false), std::tuple(1.0, inf, false), std::tuple(nan, 1.0, false), std::tuple(nan, inf, false),
        std::tuple(0.0, nan, false)}) {
    const ErrorRatio ratio = error_ratio(tested, baseline, 1);
    EXPECT_FALSE(ratio.finite);
    EXPECT_TRUE(std::isnan(ratio.value));
    EXPECT_EQ(ratio.consistent, consistent) << tested << " " << baseline;
  }
  const PrecisionRow same =
      judge("08", "Torch.acos", "float32", with(kCalm, "均方根误差", "nan"), with(kCalm, "均方根误差", "NaN"));
  EXPECT_EQ(same.verdict, Verdict::kPass);
  EXPECT_EQ(same.figures[kRmseRatio].status, Verdict::kPass);
  const PrecisionRow other = judge("08", "Torch.acos", "float32", with(kCalm, "均方根误差", "inf"), kCalm);
  EXPECT_EQ(other.verdict, Verdict::kError);
  EXPECT_NE(other.message.find("RMSE inf against 0.001"), std::string::npos) << other.message;
}

struct LimitCase {
  const char* standard;
  const char* api;
  const char* column;
  double limit;
};

class BenchmarkLimit : public PrecisionCompare, public ::testing::WithParamInterface<LimitCase> {};

TEST_P(BenchmarkLimit, IsInclusive) {
  const LimitCase& c = GetParam();
  const Cells baseline = with(kCalm, c.column, "0.5");
  const auto at = [&](double ratio) {
    return judge(c.standard, c.api, "float32", with(kCalm, c.column, std::to_string(ratio * 0.5)), baseline).verdict;
  };
  EXPECT_EQ(at(c.limit), Verdict::kPass);
  EXPECT_EQ(at(c.limit + 0.01), Verdict::kError);
}

INSTANTIATE_TEST_SUITE_P(
    PrecisionCompare, BenchmarkLimit,
    ::testing::Values(LimitCase{"04", "Torch.acos", "小值域错误占比", 2}, LimitCase{"04", "Torch.acos", "均方根误差", 2},
                      LimitCase{"04", "Torch.acos", "相对误差最大值", 10}, LimitCase{"04", "Torch.acos", "相对误差平均值", 2},
                      LimitCase{"08", "Torch.acos", "相对误差最大值", 10}, LimitCase{"08", "Torch.acos", "均方根误差", 2},
                      LimitCase{"08", "Functional.embedding", "小值域错误占比", 2},
                      LimitCase{"08", "Functional.embedding", "均方根误差", 1.5},
                      LimitCase{"08", "Functional.embedding", "相对误差最大值", 5},
                      LimitCase{"08", "NPU.npu_fusion_attention", "相对误差平均值", 1.5},
                      LimitCase{"08", "Torch.matmul", "小值域错误占比", 2}, LimitCase{"08", "Torch.matmul", "均方根误差", 1.2},
                      LimitCase{"08", "Torch.matmul", "相对误差最大值", 2},
                      LimitCase{"08", "Functional.layer_norm", "相对误差平均值", 1.2},
                      LimitCase{"04", "Functional.layer_norm", "相对误差平均值", 2}));

TEST_F(PrecisionCompare, ErrorBalanceHasAStatusThatDoesNotCount) {
  const PrecisionRow row = judge("04", "Torch.acos", "float32", with(kCalm, "误差均衡性", "0.9"), with(kCalm, "误差均衡性", "0.1"));
  EXPECT_EQ(row.figures[kBalanceFigure].status, Verdict::kError);
  EXPECT_EQ(row.verdict, Verdict::kPass);
}

TEST_F(PrecisionCompare, T11BlankIsNotAvailableAndNeverAPerfectZero) {
  const Cells blank = with(kCalm, "均方根误差", " ");
  for (const char* standard : {"04", "08"}) {
    const PrecisionRow both = judge(standard, "Torch.acos", "float32", blank, blank);
    EXPECT_EQ(both.verdict, Verdict::kPass);
    EXPECT_FALSE(both.figures[kRmseRatio].value);
    EXPECT_EQ(both.message, "RMSE not available");
    const PrecisionRow failing = judge(standard, "Torch.acos", "float32", with(blank, "相对误差平均值", "1"), blank);
    EXPECT_EQ(failing.verdict, Verdict::kError);
    const PrecisionRow one = judge(standard, "Torch.acos", "float32", blank, kCalm);
    EXPECT_EQ(one.verdict, Verdict::kWarning);
    EXPECT_EQ(one.message, "RMSE not available in the tested table");
    const PrecisionRow other = judge(standard, "Torch.acos", "float32", kCalm, blank);
    EXPECT_EQ(other.verdict, Verdict::kWarning);
    EXPECT_EQ(other.message, "RMSE not available in the baseline");
    EXPECT_EQ(judge(standard, "Torch.acos", "float32", {}, {}).verdict, Verdict::kSkip);
    EXPECT_EQ(judge(standard, "Torch.fft.rfft", "int64", {}, {}).verdict, Verdict::kSkip);
  }
}

TEST_F(PrecisionCompare, ATableOfTheOtherVersionIsSkippedNotPassed) {
  const Cells ulp = {{"ULP误差最大值", "900"}, {"ULP误差平均值", "100"}, {"ULP误差大于阈值占比", "0.9"}};
  EXPECT_EQ(judge("04", "Torch.matmul", "float32", ulp, {{"ULP误差大于阈值占比", "0.1"}}).verdict, Verdict::kError);
  const PrecisionRow row = judge("08", "Torch.matmul", "float32", ulp, ulp);
  EXPECT_EQ(row.verdict, Verdict::kSkip);
  EXPECT_EQ(
      row.message,
      "nothing to judge by: small-value error share not available; RMSE not available; max relative error not available; mean "
      "relative error not available; the table may come from another version of the checker, see --standard");
}

TEST_F(PrecisionCompare, BinaryWantsNoDifference) {
  EXPECT_EQ(judge("04", "Torch.abs", "float32", {{"二进制一致错误率", "0"}}, {}).verdict, Verdict::kPass);
  const PrecisionRow row = judge("04", "Torch.abs", "float32", {{"二进制一致错误率", "1e-9"}}, {{"二进制一致错误率", "1"}});
  EXPECT_EQ(row.verdict, Verdict::kError);
  EXPECT_EQ(*row.algorithm, Algorithm::kBinary);
  EXPECT_EQ(judge("08", "Torch.acos", "int64", {{"二进制一致错误率", "0.5"}}, {}).verdict, Verdict::kError);
  EXPECT_EQ(judge("08", "Torch.acos", "bool", {{"二进制一致错误率", "nan"}}, {}).verdict, Verdict::kError);
}

TEST_F(PrecisionCompare, AbsoluteThresholdWantsThreeZeros) {
  const Cells zeros = {{"inf/nan错误率", "0.0"}, {"相对误差错误率", "0"}, {"绝对误差错误率", "0.00000000000000"}};
  EXPECT_EQ(judge("04", "Tensor.__add__", "float16", zeros, {}).verdict, Verdict::kPass);
  for (const auto& [column, ignored] : zeros) {
    EXPECT_EQ(judge("04", "Tensor.__add__", "float16", with(zeros, column, "1e-12"), {}).verdict, Verdict::kError) << column;
  }
  const PrecisionRow partly = judge("04", "Tensor.__add__", "float16", with(zeros, "inf/nan错误率", ""), {});
  EXPECT_EQ(partly.verdict, Verdict::kPass);
  EXPECT_EQ(partly.message, "inf/nan error rate not available");
}

TEST_F(PrecisionCompare, AccumulativeAlsoLimitsTheBalance) {
  const auto at = [&](const char* dtype, double balance) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", balance);
    // The rate of relative errors stays blank: it would say that an input was float8.
    return judge("04", "Torch.test_api", dtype, {{"inf/nan错误率", "0"}, {"绝对误差错误率", "0"}, {"误差均衡性", text}}, {})
        .verdict;
  };
  for (const auto& [dtype, limit] :
       {std::pair("float16", std::exp2(-20)), std::pair("bfloat16", std::exp2(-7)), std::pair("float32", std::exp2(-14))}) {
    EXPECT_EQ(at(dtype, limit), Verdict::kPass);
    EXPECT_EQ(at(dtype, std::nextafter(limit, 1)), Verdict::kError);
  }
}

TEST_F(PrecisionCompare, ThousandthIsInclusive) {
  EXPECT_EQ(judge("04", "Functional.conv2d", "float16", {{"双千指标", "0.999"}}, {}).verdict, Verdict::kPass);
  EXPECT_EQ(judge("04", "Functional.conv2d", "float16", {{"双千指标", "0.99899999"}}, {}).verdict, Verdict::kError);
}

TEST_F(PrecisionCompare, AnyUlpConditionIsEnough) {
  const auto ulp = [&](const char* dtype, const char* mean, const char* share, const char* trusted) {
    return judge("04", "Torch.mm", dtype, {{"ULP误差平均值", mean}, {"ULP误差大于阈值占比", share}},
                 {{"ULP误差大于阈值占比", trusted}});
  };
  EXPECT_EQ(ulp("float32", "63.99", "0.5", "0.1").verdict, Verdict::kPass);
  EXPECT_EQ(ulp("float32", "64", "0.049", "0.01").verdict, Verdict::kPass);
  EXPECT_EQ(ulp("float32", "64", "0.05", "0.06").verdict, Verdict::kPass);
  EXPECT_EQ(ulp("float32", "64", "0.05", "0.05").verdict, Verdict::kError);
  EXPECT_EQ(ulp("float16", "1", "0.0009", "0").verdict, Verdict::kPass);
  EXPECT_EQ(ulp("float16", "1", "0.001", "0").verdict, Verdict::kError);
  EXPECT_EQ(ulp("bfloat16", "1", "0.001", "0").verdict, Verdict::kPass);
  EXPECT_EQ(ulp("float8_e4m3fn", "1", "0.0009", "0").verdict, Verdict::kPass);
  EXPECT_EQ(ulp("float8_e5m2", "1", "0.001", "0.5").verdict, Verdict::kError);
  EXPECT_EQ(ulp("float32", "nan", "nan", "nan").verdict, Verdict::kPass);
  EXPECT_EQ(ulp("float32", "nan", "nan", "0.1").verdict, Verdict::kError);
  EXPECT_EQ(ulp("float32", "64", "0.5", " ").verdict, Verdict::kError);
  EXPECT_EQ(ulp("float32", "1", " ", " ").verdict, Verdict::kPass);
}

TEST_F(PrecisionCompare, FloatsGoToBenchmarkFromAugustOn) {
  const PrecisionStandard april = *PrecisionStandard::load(kStandards / "msprobe-2026-04.json");
  const PrecisionStandard august = *PrecisionStandard::load(kStandards / "msprobe-2026-08.json");
  for (const auto& [api, algorithm] :
       {std::pair("rsqrt_", Algorithm::kAbsolute), std::pair("type_as", Algorithm::kBinary), std::pair("mv", Algorithm::kUlp),
        std::pair("conv1d", Algorithm::kThousandth), std::pair("test_api", Algorithm::kAccumulative),
        std::pair("cumsum", Algorithm::kBenchmark)}) {
    EXPECT_EQ(april.choose({api, "bfloat16"}), algorithm) << api;
    EXPECT_EQ(august.choose({api, "bfloat16"}), Algorithm::kBenchmark) << api;
  }
  for (const PrecisionStandard* standard : {&april, &august}) {
    EXPECT_EQ(standard->choose({"mm", "float8_e5m2", true}), Algorithm::kUlp);
    EXPECT_EQ(standard->choose({"mm", "float16", true}), Algorithm::kAbsolute);
    EXPECT_EQ(standard->choose({"mm", "int32"}), Algorithm::kBinary);
    EXPECT_EQ(standard->choose({"mm", "<class 'int'>"}), Algorithm::kBinary);
    EXPECT_FALSE(standard->judges("float64", "(2,)"));
    EXPECT_FALSE(standard->judges("complex64", "(2,)"));
    EXPECT_FALSE(standard->judges("float32", "(0,)"));
    EXPECT_TRUE(standard->judges("float32", "(0, 2)"));
  }
}

TEST_F(PrecisionCompare, Float8InputsAreRecognisedInColumnsThatHoldOnlyNumbers) {
  const Cells rates = {{"inf/nan错误率", "0.0"}, {"相对误差错误率", "0.0"}, {"绝对误差错误率", "0.0"}};
  std::vector<Cells> rows;
  for (const char* api : {"Tensor.add.0", "Torch.sub.0", "Torch.mul.4"}) {
    rows.push_back(details_row(std::string(api) + ".forward.output.0", "float16", rates));
  }
  for (const char* standard : {"04", "08"}) {
    for (const PrecisionRow& row : judge_rows(standard, rows, rows)) {
      EXPECT_EQ(row.verdict, Verdict::kPass) << row.message;
      EXPECT_EQ(*row.algorithm, Algorithm::kAbsolute);
    }
  }
}

TEST_F(PrecisionCompare, SkipsWhatCanNotBeJudgedAndKeepsTheReason) {
  const auto skipped = [&](const std::string& dtype, Cells cells) {
    cells["Message"] = "why";
    const PrecisionRow row = judge("04", "Torch.abs", dtype, cells, cells);
    EXPECT_EQ(row.message, "why");
    return row.verdict;
  };
  EXPECT_EQ(skipped("", {}), Verdict::kSkip);
  EXPECT_EQ(skipped("float64", {{"二进制一致错误率", "1"}}), Verdict::kSkip);
  EXPECT_EQ(skipped("complex128", {{"二进制一致错误率", "1"}}), Verdict::kSkip);
  EXPECT_EQ(skipped("float32", {{"Shape", "\"(0,)\""}, {"二进制一致错误率", "1"}}), Verdict::kSkip);
}

TEST_F(PrecisionCompare, GathersDirectionsByTheirWorstOutput) {
  const Cells good = {{"二进制一致错误率", "0"}};
  const Cells bad = {{"二进制一致错误率", "0.5"}};
  judge_rows(
      "04",
      {details_row("Torch.sort.0.forward.output.0", "int64", bad), details_row("Torch.abs.0.forward.output.0", "int64", good),
       details_row("Torch.sort.0.forward.output.1", "float64", bad), details_row("Torch.sort.0.backward.output.0", "int64", good),
       details_row("Torch.topk.0.forward.output.0", "int64", bad), details_row("Torch.acos.0.forward.output.0", "float64", bad),
       details_row("Torch.relu.0.forward.output.0", "", {{"Message", "no kernel"}}), details_row("a.b.c", "int64", good)},
      {details_row("Torch.sort.0.forward.output.0", "int64", good), details_row("Torch.abs.0.forward.output.0", "int64", good),
       details_row("Torch.sort.0.forward.output.1", "float64", good), details_row("Torch.sort.0.backward.output.0", "int64", good),
       details_row("Torch.topk.0.forward.output.0", "int64", good), details_row("Torch.acos.0.forward.output.0", "float64", good),
       details_row("Torch.relu.0.forward.output.0", "", {})});
  ASSERT_EQ(results_.size(), 6u);
  EXPECT_EQ(results_[0].stem, "Torch.sort.0");
  EXPECT_EQ(results_[0].forward, Verdict::kError);
  EXPECT_EQ(results_[0].backward, Verdict::kPass);
  EXPECT_EQ(results_[1].forward, Verdict::kPass);
  EXPECT_EQ(results_[1].backward, Verdict::kNone);
  EXPECT_NE(results_[2].message.find("sorting"), std::string::npos);
  EXPECT_EQ(results_[3].backward, Verdict::kSkip);
  EXPECT_EQ(results_[4].message, "no kernel");
  EXPECT_EQ(results_[5].stem, "a.b.c");
  EXPECT_EQ(results_[5].forward, Verdict::kSkip);
  EXPECT_EQ(results_[5].backward, Verdict::kSkip);
}

TEST_F(PrecisionCompare, AContradictedRowIsSkippedAndTheRestGoesOn) {
  const Cells good = {{"二进制一致错误率", "0"}};
  const Cells bad = {{"二进制一致错误率", "0.5"}};
  const auto row = [](const char* api, const Cells& cells) {
    return details_row(std::string(api) + ".0.forward.output.0", "int64", cells);
  };
  const std::vector<PrecisionRow> rows = judge_rows(
      "08", {row("Torch.abs", good), row("Torch.neg", bad), row("Torch.sign", good)},
      {row("Torch.abs", good), row("Torch.abs", bad), row("Torch.neg", good), row("Torch.sign", good), row("Torch.sign", good)});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].verdict, Verdict::kSkip);
  EXPECT_NE(rows[0].message.find("several rows of this name"), std::string::npos);
  EXPECT_EQ(rows[1].verdict, Verdict::kError);
  EXPECT_EQ(rows[2].verdict, Verdict::kPass);
}

TEST_F(PrecisionCompare, NamesEveryProblemOfAStandard) {
  const auto path =
      folder_.write("bad.json", R"({"name": "x", "algorithms": [{"algorithm": "ulps"}], "benchmark": [{"apis": ["mm"]}],
    "smallest_denominator": {"float16": "big"}, "thousandth": {"atleast": 1}})");
  const std::string said = PrecisionStandard::load(path).failure().message;
  for (const char* part :
       {"/algorithms/0/algorithm: expected one of", "/benchmark/0: 'limits' is missing", "/smallest_denominator/float16",
        "/smallest_denominator: 'default' is missing", "unknown key 'atleast'; did you mean 'at_least'?",
        "'accumulative' is missing", "the last of 'benchmark'"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " not in\n" << said;
  }
}

}  // namespace
}  // namespace assay
