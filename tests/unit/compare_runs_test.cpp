// Two results folders of assay against each other, and the rules of what counts as changed.
#include "base/text.hpp"
#include "compare/comparison.hpp"
#include "compare_fixture.hpp"
#include "pipeline/result_json.hpp"

namespace assay {
namespace {

using Metrics = std::vector<std::optional<double>>;

DirectionResult direction(const std::string& stem, const char* word, Verdict verdict, const std::vector<Metrics>& outputs) {
  DirectionResult out;
  out.verdict = verdict;
  if (verdict > Verdict::kPass) out.message = "far off";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    OutputRow row;
    row.name = stem + "." + word + ".output." + std::to_string(i);
    row.verdict = verdict;
    row.actual.dtype = "float32";
    row.metrics = outputs[i];
    out.outputs.push_back(row);
  }
  return out;
}

ApiResult api(const std::string& stem, Verdict forward, const std::vector<Metrics>& outputs, Verdict backward = Verdict::kNone) {
  ApiResult out;
  out.stem = stem;
  out.api = stem.substr(0, stem.rfind('.'));
  out.forward = direction(stem, "forward", forward, outputs);
  out.backward = direction(stem, "backward", backward, {});
  return out;
}

class CompareRuns : public ::testing::Test {
 protected:
  std::filesystem::path run(const std::string& name, const std::vector<ApiResult>& results, const std::string& more = "") {
    std::string lines;
    for (const ApiResult& result : results) lines += result_to_json(result) + "\n";
    folder_.write(name + "/results.jsonl", lines);
    folder_.write(name + "/run.json", R"({"assay": "0.1.0", "standard": "assay", "complete": true, "seconds": )" +
                                          std::to_string(name.size()) + R"(, "metrics": ["max_ulp", "class_mismatch_count"])" +
                                          more + "}");
    return folder_.path() / name;
  }
  std::string kinds(const std::vector<ApiResult>& tested, const std::vector<ApiResult>& baseline) {
    const Result<Comparison> out = compare_runs(run("tested", tested), run("old", baseline), {});
    if (!out) return out.failure().message;
    last_ = *out;
    std::vector<std::string> parts;
    for (const Change& change : out->changes)
      parts.push_back(change.stem + (change.backward ? "<" : ">") + change_name(change.kind));
    return join(parts, ", ");
  }

  ScratchFolder folder_;
  Comparison last_;
};

TEST_F(CompareRuns, SayWhichDirectionsChangedTheirVerdict) {
  EXPECT_EQ(
      kinds({api("A.a.0", Verdict::kError, {{1, 0}}, Verdict::kPass), api("A.b.0", Verdict::kPass, {{1, 0}}),
             api("A.c.0", Verdict::kSkip, {}), api("A.d.0", Verdict::kPass, {{1, 0}}), api("A.e.0", Verdict::kWarning, {{1, 0}})},
            {api("A.a.0", Verdict::kPass, {{1, 0}}, Verdict::kError), api("A.b.0", Verdict::kWarning, {{1, 0}}),
             api("A.c.0", Verdict::kSkip, {}), api("A.e.0", Verdict::kWarning, {{1, 0}}), api("A.f.0", Verdict::kPass, {{1, 0}})}),
      "A.a.0>worse, A.a.0<better, A.b.0>better, A.c.0>not judged, A.d.0>appeared, A.e.0>same, A.f.0>vanished");
  EXPECT_EQ(last_.changes[0].message, "far off");
  EXPECT_EQ(last_.counts()[static_cast<std::size_t>(ChangeKind::kBetter)], 2u);
}

TEST_F(CompareRuns, SayWhichErrorsGrewOrShrankByTheFactor) {
  const auto one = [&](Metrics tested, Metrics baseline) {
    return kinds({api("A.a.0", Verdict::kPass, {std::move(tested)})}, {api("A.a.0", Verdict::kPass, {std::move(baseline)})});
  };
  EXPECT_EQ(one({3.9, 0}, {2, 0}), "A.a.0>same");
  EXPECT_EQ(one({4, 0}, {2, 0}), "A.a.0>worse");
  EXPECT_EQ(last_.changes[0].message, "output.0: max_ulp 2.0 -> 4.0 (x2)");
  EXPECT_EQ(one({2, 0}, {4, 0}), "A.a.0>better");
  EXPECT_EQ(one({3, 0}, {0, 0}), "A.a.0>same");
  EXPECT_EQ(one({0, 1}, {0, 0}), "A.a.0>worse");
  EXPECT_EQ(last_.changes[0].message, "output.0: class_mismatch_count 0.0 -> 1.0 (new)");
  EXPECT_EQ(one({0, 0}, {0, 1}), "A.a.0>better");
  EXPECT_EQ(one({2, 5}, {40, 1}), "A.a.0>worse");
  EXPECT_EQ(one({NAN, 0}, {NAN, 0}), "A.a.0>same");
  EXPECT_EQ(one({NAN, 0}, {5, 0}), "A.a.0>worse");
  EXPECT_EQ(one({INFINITY, 0}, {INFINITY, 0}), "A.a.0>same");
  EXPECT_EQ(one({5, 0}, {INFINITY, 0}), "A.a.0>better");
  EXPECT_EQ(one({std::nullopt, 0}, {900, 0}), "A.a.0>same");
  EXPECT_EQ(kinds({api("A.a.0", Verdict::kPass, {{2, 0}})}, {api("A.a.0", Verdict::kPass, {{2, 0}, {2, 0}})}), "A.a.0>worse");
  EXPECT_EQ(last_.changes[0].message, "output.1 is not on the tested side");
}

TEST_F(CompareRuns, SayWhichSettingsDiffer) {
  const auto left = run("left", {}, R"(, "config": {"seed": 1, "skip": ["a"]}, "target": {"version": "2"})");
  const auto right = run("right", {}, R"(, "config": {"seed": 2, "skip": ["a"]})");
  const Result<Comparison> out = compare_runs(left, right, {});
  ASSERT_TRUE(out);
  ASSERT_EQ(out->settings.size(), 2u);
  EXPECT_EQ(out->settings[0].setting + " " + out->settings[0].tested + " " + out->settings[0].baseline, "config/seed 1 2");
  EXPECT_EQ(out->settings[1].setting + " " + out->settings[1].tested + " " + out->settings[1].baseline, "target/version 2 none");
}

TEST_F(CompareRuns, RefuseFoldersThatAreNoRuns) {
  const auto good = run("good", {});
  const auto said = [&](const std::string& name, const std::string& info, const std::string& lines) {
    folder_.write(name + "/run.json", info);
    folder_.write(name + "/results.jsonl", lines);
    const Result<Comparison> out = compare_runs(folder_.path() / name, good, {});
    return out ? std::string("accepted") : out.failure().message;
  };
  EXPECT_NE(said("a", "", "").find("empty, expected JSON"), std::string::npos);
  EXPECT_NE(said("b", "[]", "").find("not the record of a run"), std::string::npos);
  EXPECT_NE(said("c", R"({"assay": "1", "metrics": [1]})", "").find("not a name"), std::string::npos);
  EXPECT_NE(said("d", R"({"assay": "1", "metrics": []})", "{}\n").find("results.jsonl:1: "), std::string::npos);
  EXPECT_NE(compare_runs(folder_.path() / "none", good, {}).failure().message.find("run.json"), std::string::npos);
}

TEST_F(CompareRuns, NoteARunThatDidNotEnd) {
  const auto cut = run("cut", {api("A.a.0", Verdict::kPass, {{1, 0}}), api("A.a.0", Verdict::kError, {{1, 0}})});
  folder_.write("cut/run.json", R"({"assay": "1", "metrics": ["max_ulp"], "complete": false})");
  const Result<Comparison> out = compare_runs(cut, cut, {});
  ASSERT_TRUE(out);
  EXPECT_EQ(join(out->tested.notes, "\n"),
            "the run did not end: its results are a part\n'A.a.0' is there twice; the later result counts");
  EXPECT_EQ(out->changes.at(0).tested, Verdict::kError);
}

}  // namespace
}  // namespace assay
