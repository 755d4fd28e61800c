// The validator must pass sound plugins and name the fault of each faulty one.
#include "validator/validator.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.hpp"
#include "base/locations.hpp"
#include "config/json.hpp"
#include "validator/check.hpp"
#include "validator/elf_exports.hpp"

namespace assay {
namespace {

const std::filesystem::path kZoo = ASSAY_ZOO_DIR;

ValidationReport validate(const std::string& animal, const std::string& include = "") {
  ValidatorOptions options;
  options.plugins = {kZoo / animal};
  options.include = include;
  options.jobs = 2;
  options.timeout = std::chrono::seconds(60);
  Result<ValidationReport> report = validate_plugins(options);
  EXPECT_TRUE(report) << (report ? "" : report.failure().message);
  return report ? *report : ValidationReport();
}

/// "check: message" of everything that didn't pass.
std::vector<std::string> problems(const ValidationReport& report) {
  std::vector<std::string> lines;
  for (const CheckResult& result : report.results) {
    if (result.status == CheckStatus::kFailed) lines.push_back(result.check + ": " + result.message);
    if (result.status == CheckStatus::kCrashed) lines.push_back(result.check + " crashed: " + result.message);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Validator, PassesASoundPlugin) {
  const ValidationReport report = validate("good");
  EXPECT_EQ(problems(report), Lines());
  EXPECT_TRUE(report.conforms());
  EXPECT_EQ(report.count(CheckStatus::kPassed), report.results.size());
  EXPECT_EQ(problems(validate("perturbation-none")), Lines());
}

TEST(Validator, PassesThePluginsOfThisBuild) {
  ValidatorOptions options;
  for (const auto& entry : std::filesystem::directory_iterator(plugin_folder())) options.plugins.push_back(entry.path());
  options.exclude = "creates-a-thousand-times";
  options.jobs = 2;
  const Result<ValidationReport> report = validate_plugins(options);
  ASSERT_TRUE(report) << report.failure().message;
  EXPECT_EQ(problems(*report), Lines());
  EXPECT_TRUE(report->conforms()) << validation_text(*report, true);
}

struct Animal {
  const char* name;
  const char* check;
  const char* message;
};

class ValidatorZoo : public testing::TestWithParam<Animal> {};

TEST_P(ValidatorZoo, NamesTheFault) {
  const Animal animal = GetParam();
  const ValidationReport report = validate(animal.name, "^" + std::string(animal.check) + "$");
  EXPECT_FALSE(report.conforms());
  const Lines found = problems(report);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find(animal.message), std::string::npos) << found[0];
}

const Animal kAnimals[] = {
    {"exports-more", "plugin.exports-one-symbol", "symbol_that_nobody_asked_for"},
    {"no-entry", "plugin.exports-one-symbol", "exports nothing, expected 'assay_plugin_entry'"},
    {"accepts-every-major", "plugin.entry-refuses-other-majors", "gives a descriptor for ABI major 0"},
    {"wrong-major", "plugin.entry-gives-one-descriptor", "no descriptor for ABI major 1"},
    {"manifest-mismatch", "plugin.descriptor-is-the-manifests", "library and manifest differ"},
    {"short-descriptor", "plugin.descriptor-is-the-manifests", "descriptor has struct_size 24"},
    {"null-components", "plugin.descriptor-is-the-manifests", "its list is NULL"},
    {"init-fails", "plugin.descriptor-is-the-manifests", "init failed with ASSAY_UNSUPPORTED"},
    {"crashes-in-init", "plugin.descriptor-is-the-manifests", "crashed: "},
    {"throws-in-entry", "plugin.entry-gives-one-descriptor", "threw 'not today' through the boundary"},
    {"unresolved-symbol", "plugin.entry-gives-one-descriptor", "undefined symbol"},
    {"broken-schema", "component.schema-is-valid", "not valid JSON"},
    {"throws-in-create", "component.creates", "create threw 'no memory for the model' through the boundary"},
    {"create-unknown-status", "component.creates", "status 99, which the ABI doesn't know"},
    {"create-gives-nothing", "component.creates", "ASSAY_OK without an instance"},
    {"crashes-on-wrong-configuration", "component.survives-wrong-configuration", "crashed: "},
    {"needs-error", "component.accepts-callers-without-error-detail", "crashed: "},
    {"ignores-error-size", "component.accepts-callers-without-error-detail", "beyond the error's struct_size"},
    {"throws-in-destroy", "component.creates-a-thousand-times", "crashed: "},
    {"shares-one-instance", "component.instances-are-independent", "two calls of create give one instance"},
    {"no-table", "component.has-its-kinds-table", "table 'assay.comparison/1' is missing"},
    {"short-table", "component.has-its-kinds-table", "struct_size 8, expected at least 24"},
    {"null-slot", "component.has-its-kinds-table", "no function 'compare'"},
    {"matches-the-beginning-of-an-id", "component.knows-only-whole-extension-ids", "gives a table for 'assay.comparison/1x'"},
    {"prints", "component.keeps-standard-output-clean", "6 bytes to standard output"},
    {"metric-without-unit", "comparison.metrics-are-described", "metric 'different_elements' has no unit"},
    {"ignores-strides", "comparison.accepts-every-layout", "column-major: other numbers than for compact tensors"},
    {"reads-beyond", "comparison.accepts-every-layout", "crashed: "},
    {"writes-input", "comparison.accepts-every-layout", "crashed: "},
    {"crashes-in-compare", "comparison.accepts-nan-and-infinity", "crashed: "},
    {"accepts-other-shapes", "comparison.refuses-other-shapes", "tensors of different shapes give ASSAY_OK"},
    {"trusts-every-tensor", "comparison.refuses-what-it-can-not-read",
     "compare threw 'dtype unknown has no numbers' through the boundary"},
    {"counts-calls", "comparison.repeats-itself", "other numbers with max_threads 1"},
    {"perturbation-changes-identity", "perturbation.counts-its-changes", "an identity changes"},
    {"perturbation-ignores-strides", "perturbation.accepts-every-layout", "other bits than for a compact input"},
    {"perturbation-ignores-the-seed-but-not-the-time", "perturbation.repeats-itself", "the same seed gives other bits"},
    {"perturbation-miscounts", "perturbation.counts-its-changes", "changed elements, "},
    {"perturbation-writes-input", "perturbation.accepts-every-layout", "crashed: "}};

INSTANTIATE_TEST_SUITE_P(Faults, ValidatorZoo, testing::ValuesIn(kAnimals), [](const testing::TestParamInfo<Animal>& animal) {
  std::string name = std::string(animal.param.name) + "_" + std::to_string(animal.index);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Validator, EndsAPluginThatHangs) {
  ValidatorOptions options;
  options.plugins = {kZoo / "hangs-in-compare"};
  options.include = "accepts-empty|metrics-are-described";
  options.timeout = std::chrono::seconds(2);
  const Result<ValidationReport> report = validate_plugins(options);
  ASSERT_TRUE(report);
  EXPECT_EQ(problems(*report), Lines{"comparison.accepts-empty-and-scalar-tensors crashed: still running at the time limit"});
  EXPECT_EQ(report->count(CheckStatus::kPassed), 1u);
}

TEST(Validator, SkipsWhatNeedsAMissingDevice) {
  const ValidationReport report = validate("create-unsupported", "component.creates$|comparison");
  EXPECT_EQ(problems(report), Lines());
  EXPECT_EQ(report.count(CheckStatus::kSkipped), report.results.size());
  EXPECT_FALSE(report.conforms()) << "nothing passed";
}

TEST(Validator, RunsInOneProcessForADebugger) {
  ValidatorOptions options;
  options.plugins = {kZoo / "good" / "zoo-good.so", kZoo / "null-slot" / "manifest.json"};
  options.include = "has-its-kinds-table";
  options.in_process = true;
  const Result<ValidationReport> report = validate_plugins(options);
  ASSERT_TRUE(report);
  EXPECT_EQ(problems(*report), Lines{"component.has-its-kinds-table: table 'assay.comparison/1' has no function 'compare'"});
}

TEST(Validator, SaysWhatIsWrongWithItsOptions) {
  ValidatorOptions options;
  EXPECT_EQ(validate_plugins(options).failure().message, "validate plugins: none given; name a manifest or its folder");
  options.plugins = {kZoo / "good"};
  options.include = "(";
  EXPECT_NE(validate_plugins(options).failure().message.find("not a regular expression"), std::string::npos);
  options.include = "nothing-like-this";
  EXPECT_EQ(validate_plugins(options).failure().message, "validate plugins: no check selected; see --include and --exclude");
  options.include = "";
  options.plugins = {"/nowhere"};
  const Result<ValidationReport> report = validate_plugins(options);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->results.size(), 1u);
  EXPECT_EQ(report->results[0].check, "plugin.is-usable");
}

TEST(Validator, WritesItsReportAsTextAndJson) {
  const ValidationReport report = validate("null-slot", "has-its-kinds-table|exports");
  EXPECT_EQ(validation_text(report, true),
            "test.zoo-plugin: test.zoo\n"
            "  failed  component.has-its-kinds-table: the table of the component's kind is there and complete\n"
            "          table 'assay.comparison/1' has no function 'compare' (ASSAY-PLUGIN-14)\n"
            "\n"
            "1 passed, 1 failed, 0 crashed, 0 skipped, 0 warning\n");
  const auto json = parse_json(validation_json(report), "report");
  ASSERT_TRUE(json);
  EXPECT_FALSE((*json)["conforms"].GetBool());
  EXPECT_STREQ((*json)["checks"][1]["status"].GetString(), "failed");
}

TEST(Validator, HasEveryCheckInTheRuleBook) {
  const Result<std::string> book = read_text(std::filesystem::path(ASSAY_SOURCE_DIR) / "docs" / "plugin-rules.md");
  ASSERT_TRUE(book) << book.failure().message;
  for (const validator::Check& check : validator::all_checks()) {
    const std::size_t row = book->find("| ASSAY-PLUGIN-" + std::to_string(check.rule) + " |");
    ASSERT_NE(row, std::string::npos) << check.id;
    const std::string line = book->substr(row, book->find('\n', row) - row);
    EXPECT_NE(line.find("`" + std::string(check.id) + "`"), std::string::npos) << check.id;
  }
}

TEST(ExportedSymbols, RefusesFilesThatAreNoLibraries) {
  EXPECT_FALSE(validator::exported_symbols(std::filesystem::path(ASSAY_SOURCE_DIR) / "CMakeLists.txt"));
  EXPECT_FALSE(validator::exported_symbols("/nowhere"));
  EXPECT_EQ(*validator::exported_symbols(kZoo / "good" / "zoo-good.so"), Lines{"assay_plugin_entry"});
}

}  // namespace
}  // namespace assay
