// Standards as files: the shipped ones, faulty ones, overrides; reason codes; names of APIs.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <fstream>
#include <set>

#include "config/json.hpp"
#include "config/schema.hpp"
#include "judge/codes.hpp"
#include "judge/standard_model.hpp"
#include "judge_support.hpp"

namespace assay {
namespace {

const std::vector<std::string> kShipped{"assay", "msprobe-mint", "msprobe-torch-2026-04", "msprobe-torch-2026-08"};

Schema standard_schema() {
  const auto path = std::filesystem::path(ASSAY_SOURCE_DIR) / "configs" / "schemas" / "standard.schema.json";
  const auto schema = Schema::load(path);
  if (!schema) throw std::runtime_error(schema.failure().message);
  return *schema;
}

/// A file of its own for each text; gone at the end.
class StandardFile {
 public:
  explicit StandardFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("assay_standard_" + std::to_string(::getpid()) + ".json")) {
    std::ofstream(path_) << text;
  }
  ~StandardFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string problems_of(const std::string& text, std::string_view overrides = {}) {
  const StandardFile file(text);
  const auto loaded = Standard::load(file.path(), overrides);
  return loaded ? "" : loaded.failure().message;
}

#define EXPECT_MENTIONS(text, part) EXPECT_NE((text).find(part), std::string::npos) << "no '" << (part) << "' in: " << (text)

TEST(Standard, EveryShippedOneLoadsAndFollowsTheSchema) {
  const Schema schema = standard_schema();
  for (const std::string& name : kShipped) {
    const auto path = judge_testing::standards_dir() / (name + ".json");
    const auto loaded = Standard::load(path);
    ASSERT_TRUE(loaded) << loaded.failure().message;
    EXPECT_EQ(loaded->name(), name);
    const auto document = load_json(path);
    ASSERT_TRUE(document) << document.failure().message;
    EXPECT_EQ(schema.problems(*document, name), std::vector<std::string>{});
    EXPECT_NO_THROW(judge_testing::judge_by(name)) << "the elementwise comparison gives its metrics";
  }
}

TEST(Standard, SaysHowComparisonsAreConfigured) {
  const auto torch = Standard::load(judge_testing::standards_dir() / "msprobe-torch-2026-08.json");
  ASSERT_TRUE(torch);
  EXPECT_EQ(torch->comparison_config("elementwise"), R"({"metrics":["assay","msprobe-torch"]})");
  EXPECT_EQ(torch->comparison_config("assay.elementwise"), torch->comparison_config("elementwise"));
  EXPECT_EQ(torch->comparison_config("com.example.other"), "{}");
}

TEST(Standard, EveryReasonCodeIsExplained) {
  const auto reasons = Reasons::load(judge_testing::standards_dir() / "reasons.json");
  ASSERT_TRUE(reasons) << reasons.failure().message;
  for (const std::string& name : kShipped) {
    const auto loaded = Standard::load(judge_testing::standards_dir() / (name + ".json"));
    ASSERT_TRUE(loaded);
    for (const Rule& rule : loaded->body().rules) EXPECT_NE(reasons->find(rule.code), nullptr) << rule.code;
  }
  for (const char* code : {code::kMissingOutput, code::kExtraOutput,
                           code::kKindDiffers,   code::kShapeDiffers,
                           code::kDTypeDiffers,  code::kValueDiffers,
                           code::kNotComparable, code::kOneSidedGradient,
                           code::kEmpty,         code::kComparisonFailed,
                           code::kNotCounted,    code::kToleranceExceeded,
                           code::kOutsideRegion, code::kConditioning,
                           code::kUninitialised, code::kFactorGradient,
                           code::kZeroShare,     code::kSurvivors,
                           code::kDistribution,  code::kRandomRange,
                           code::kRandomAgrees,  code::kTie,
                           code::kIndexDiffers,  code::kFactorsAgree,
                           code::kFactorsDiffer}) {
    EXPECT_NE(reasons->find(code), nullptr) << code;
  }
  EXPECT_EQ(reasons->find("ASSAY-CMP-999"), nullptr);
}

TEST(Standard, AllProblemsAreReportedAtOnceWithTheirPlace) {
  const std::string text = problems_of(R"({
    "scalars": "loose",
    "accumulates_in": "int32",
    "classes": [{"name": "a", "gradient": "b", "growth": 9}],
    "kinds": [{"kind": "dropout", "apis": []}, {"kind": "factors", "apis": ["qr"], "recipe": "cholesky"}],
    "rules": [
      {"code": "X", "metric": "m", "pass": {"at_most": 1, "below": 2}, "dtypes": ["float31"]},
      {"code": "X", "metric": "m", "classes": ["zzz"]},
      {"code": "X", "metrik": "m", "pass": {"at_most": {"epps": 1}}},
      7
    ]
  })");
  for (const char* part :
       {"/: 'name' is missing", "/scalars: expected one of tolerance, equal, error, got 'loose'",
        "'accumulates_in' is no floating-point type", "/classes/0: 'growth' must lie in 0..2", "unknown class 'b' as gradient",
        "/kinds/0: 'apis' names no API", "/kinds/0: 'probability' is missing", "/kinds/1: 'recipe' must be one of",
        "/rules/0/pass: expected one of above, at_least, below, at_most", "/rules/0: unknown dtype 'float31'",
        "/rules/1: 'pass' or 'accept' is missing", "/rules/1: unknown class 'zzz'", "/rules/2: 'metric' is missing",
        "/rules/2: unknown key 'metrik'; did you mean 'metric'?", "/rules/2/pass/at_most: unknown key 'epps'",
        "/rules/3: expected an object, got 7.0"}) {
    EXPECT_MENTIONS(text, part);
  }
}

TEST(Standard, FaultyFilesAreRefusedBySchemaAndReaderAlike) {
  const Schema schema = standard_schema();
  for (
      const char* text :
      {R"([])", R"({"name": "x"})", R"({"name": "x", "rules": []})",
       R"({"name": 3, "rules": [{"code": "X", "metric": "m", "pass": {"at_most": 1}}]})",
       R"({"name": "x", "rules": [{"code": "X", "metric": "m", "pass": {"exactly": 1}}]})",
       R"({"name": "x", "rules": [{"code": "X", "metric": "m", "pass": {"at_most": "1"}}]})",
       R"({"name": "x", "empty": "ignore", "rules": [{"code": "X", "metric": "m", "pass": {"at_most": 1}}]})",
       R"({"name": "x", "rules": {"code": "X"}})",
       R"({"name": "x", "kinds": [{"kind": "magic", "apis": ["a"]}], "rules": [{"code": "X", "metric": "m", "pass": {"at_most": 1}}]})",
       R"({"name": "x", "kinds": [{"kind": "indices", "apis": ["a"], "index_outputs": [-1]}], "rules": [{"code": "X", "metric": "m", "pass": {"at_most": 1}}]})",
       R"({"name": "x", "classes": [{"name": "a", "length": "long"}], "rules": [{"code": "X", "metric": "m", "pass": {"at_most": 1}}]})",
       R"({"name": "x", "colour": 1, "rules": [{"code": "X", "metric": "m", "pass": {"at_most": 1}}]})"}) {
    const auto document = parse_json(text, "text");
    ASSERT_TRUE(document) << text;
    EXPECT_FALSE(schema.problems(*document, "text").empty()) << text;
    EXPECT_FALSE(problems_of(text).empty()) << text;
  }
}

TEST(Standard, TextThatIsNoJsonIsSaidWithItsPlace) {
  EXPECT_MENTIONS(problems_of("{\"name\": \"x\",\n \"rules\": [}"), ":2:");
  const auto loaded = Standard::load("/nowhere/standard.json");
  ASSERT_FALSE(loaded);
  EXPECT_MENTIONS(loaded.failure().message, "/nowhere/standard.json");
}

TEST(Standard, FaultyOverridesAreReportedWithTheirPlace) {
  const auto loaded = Standard::load(judge_testing::standards_dir() / "assay.json", R"({
    "apis": [{"rtol": -1}, {"match": ["exp"], "class": "nonsense", "outputs": [-1], "region": {"dim": 0, "start": 3, "stop": 2}}],
    "name": "mine"
  })");
  ASSERT_FALSE(loaded);
  for (const char* part : {"overrides: /apis/0: 'match' names no API", "/apis/0: 'rtol' and 'atol' must not be negative",
                           "/apis/1: unknown class 'nonsense'", "/apis/1/outputs/0: expected the position of an output, got -1",
                           "/apis/1/region: expected 0 <= start < stop", "overrides: /: unknown key 'name'"}) {
    EXPECT_MENTIONS(loaded.failure().message, part);
  }
}

TEST(Standard, FaultyChoicesOfElementsAreReportedWithTheirPlace) {
  const auto loaded = Standard::load(judge_testing::standards_dir() / "assay.json", R"({"apis": [
    {"match": ["exp"], "mask": {"keep": "some"}, "region": {"stop": 2}},
    {"match": ["exp"], "mask": {"position": -1}, "precision": "float16"}]})");
  ASSERT_FALSE(loaded);
  for (const char* part :
       {"/apis/0: either 'region' or 'mask' says what counts, not both", "/apis/0/mask: names no argument",
        "/apis/0/mask/keep: expected one of nonzero, zero, got 'some'", "/apis/1/mask: 'position' must not be negative",
        "/apis/1/precision: expected one of as-recorded, float32, float64, got 'float16'"}) {
    EXPECT_MENTIONS(loaded.failure().message, part);
  }
}

TEST(Standard, APipelineSetsTheReferencesPrecisionForAnApi) {
  const auto loaded = Standard::load(judge_testing::standards_dir() / "assay.json",
                                     R"({"apis": [{"match": ["linear"], "direction": "forward", "precision": "float32"}]})");
  ASSERT_TRUE(loaded) << loaded.failure().message;
  EXPECT_EQ(loaded->precision_of("Functional.linear", "forward"), "float32");
  EXPECT_EQ(loaded->precision_of("Functional.linear", "backward"), "");
  EXPECT_EQ(loaded->precision_of("Torch.exp", "forward"), "");
}

TEST(Standard, NamesOfApisAreGlobsOverTheNameWithAndWithoutItsType) {
  EXPECT_TRUE(names_api("sort", "Torch.sort"));
  EXPECT_TRUE(names_api("Tensor.sort", "Tensor.sort"));
  EXPECT_FALSE(names_api("Tensor.sort", "Torch.sort"));
  EXPECT_TRUE(names_api("add", "Tensor.add_")) << "the in-place form";
  EXPECT_TRUE(names_api("__*add__", "Tensor.__iadd__"));
  EXPECT_FALSE(names_api("add", "Tensor.__add__"));
  EXPECT_TRUE(names_api("eigh", "Torch.linalg.eigh"));
  EXPECT_TRUE(names_api("linalg.*", "Torch.linalg.eigh"));
  EXPECT_FALSE(names_api("linalg.*", "Torch.eigh"));
  EXPECT_FALSE(names_api("sort", "Torch.argsort"));
}

TEST(Standard, EveryClassIsReachableAndNoApiIsListedTwice) {
  const auto loaded = Standard::load(judge_testing::standards_dir() / "assay.json");
  ASSERT_TRUE(loaded);
  std::set<std::string> seen;
  for (const OperatorClass& c : loaded->body().classes) {
    for (const std::string& api : c.apis) EXPECT_TRUE(seen.insert(api).second) << api << " is in class " << c.name << " again";
  }
  const std::vector<OperatorClass>& classes = loaded->body().classes;
  ASSERT_FALSE(classes.empty());
  EXPECT_EQ(classes.back().apis, std::vector<std::string>{"*"}) << "the last class takes what no other names";
}

TEST(Limits, GrowWithTypeAndLength) {
  const Limit limit{{{DTypeSet{{"half"}}, Formula{0, 2, 4}}, {DTypeSet{}, Formula{0.5, 8, 2}}}};
  EXPECT_EQ(evaluate(limit, kFloat16, kFloat32, 100, 0.5), 2 * 0x1p-10 + 4 * 0x1p-23 * 10);
  EXPECT_EQ(evaluate(limit, kFloat32, kFloat32, 100, 0.5), 0.5 + 8 * 0x1p-23 + 2 * 0x1p-23 * 10);
  EXPECT_EQ(evaluate(limit, kFloat64, kFloat32, 100, 1), 0.5 + 8 * 0x1p-52 + 2 * 0x1p-52 * 100);
  EXPECT_EQ(evaluate(limit, kComplex64, kFloat32, 1, 0.5), 0.5 + 10 * 0x1p-23);
}

}  // namespace
}  // namespace assay
