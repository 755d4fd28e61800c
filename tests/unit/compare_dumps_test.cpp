// Two dumps against each other: recorded outputs, inputs, and what only one of them has.
#include "base/text.hpp"
#include "compare/dump_comparison.hpp"
#include "compare_fixture.hpp"

namespace assay {
namespace {

/// Keeps the results of a run.
class Keeper final : public ResultSink {
 public:
  explicit Keeper(std::vector<ApiResult>& results) : results_(results) {}
  Status begin(const RunInfo&) override { return Done{}; }
  Status add(const ApiResult& result) override {
    results_.push_back(result);
    return Done{};
  }
  Status finish(const RunSummary&) override { return Done{}; }

 private:
  std::vector<ApiResult>& results_;
};

using Floats = std::vector<float>;

class CompareDumps : public ::testing::Test {
 protected:
  /// A tensor element whose data lie in a file of dump `name`.
  std::string tensor(const std::string& name, const Floats& values) {
    const std::string file = std::to_string(files_++) + ".npy";
    folder_.write(name + "/dump_tensor_data/" + file,
                  npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }",
                            bytes_of(values)));
    return R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [)" + std::to_string(values.size()) +
           R"(], "data_name": ")" + file + R"("})";
  }
  std::string forward(const std::string& name, const std::string& stem, const Floats& input, const Floats& output) {
    return "\"" + stem + R"(.forward": {"input_args": [)" + tensor(name, input) + R"(], "input_kwargs": {}, "output": [)" +
           tensor(name, output) + "]}";
  }
  std::string backward(const std::string& name, const std::string& stem, const Floats& input, const Floats& output) {
    return "\"" + stem + R"(.backward": {"input": [)" + tensor(name, input) + R"(], "output": [)" + tensor(name, output) + "]}";
  }
  std::filesystem::path dump(const std::string& name, const std::vector<std::string>& entries) {
    return folder_.write(name + "/dump.json", dump_text(join(entries, ", "), "pytorch", "\"dump_tensor_data\""));
  }

  void run(const std::filesystem::path& tested, const std::filesystem::path& baseline) {
    DumpComparisonRequest request;
    request.tested = tested;
    request.baseline = baseline;
    request.config = *PipelineConfig::load("compare", "", {});
    request.config.standard = "assay";
    static Registry registry = Registry::discover({std::filesystem::path(ASSAY_BINARY_DIR) / "lib" / "assay" / "plugins"});
    Result<DumpComparison> comparison = DumpComparison::prepare(registry, request);
    ASSERT_TRUE(comparison) << comparison.failure().message;
    std::vector<std::unique_ptr<ResultSink>> sinks;
    sinks.push_back(std::make_unique<Keeper>(results_));
    const std::atomic<bool> stop{false};
    Result<RunSummary> summary = comparison->run(sinks, stop);
    ASSERT_TRUE(summary);
    counts_ = summary->counts;
    origins_ = comparison->origins();
  }

  ScratchFolder folder_;
  int files_ = 0;
  std::vector<ApiResult> results_;
  VerdictCounts counts_;
  std::vector<std::string> origins_;
};

TEST_F(CompareDumps, JudgeOutputsOfBothDirections) {
  run(dump("t", {forward("t", "Torch.tanh.0", {1, 2}, {0.5, 0.75}), backward("t", "Torch.tanh.0", {1, 1}, {0.25, 0.5})}),
      dump("b", {forward("b", "Torch.tanh.0", {1, 2}, {0.5, 0.75}), backward("b", "Torch.tanh.0", {1, 1}, {0.25, -0.5})}));
  ASSERT_EQ(results_.size(), 1u);
  EXPECT_EQ(results_[0].forward.verdict, Verdict::kPass) << results_[0].forward.message;
  EXPECT_EQ(results_[0].forward.notes, std::vector<std::string>{"inputs agree"});
  EXPECT_EQ(results_[0].backward.verdict, Verdict::kError);
  EXPECT_EQ(results_[0].backward.outputs.at(0).name, "Torch.tanh.0.backward.output.0");
  EXPECT_EQ(results_[0].backward.outputs.at(0).worst->index, std::vector<std::int64_t>{1});
  EXPECT_EQ(origins_, std::vector<std::string>{"Torch.tanh.0.backward"});
}

TEST_F(CompareDumps, TellAnInheritedDifferenceFromItsOrigin) {
  run(dump("t", {forward("t", "Torch.exp.0", {1}, {3.5}), forward("t", "Torch.neg.0", {3.5}, {-3.5})}),
      dump("b", {forward("b", "Torch.exp.0", {1}, {2.5}), forward("b", "Torch.neg.0", {2.5}, {-2.5})}));
  EXPECT_EQ(counts_.error, 2u);
  EXPECT_EQ(origins_, std::vector<std::string>{"Torch.exp.0.forward"});
  EXPECT_EQ(results_[1].forward.notes.at(0).find("inputs differ already: input.0: "), 0u) << results_[1].forward.notes.at(0);
}

TEST_F(CompareDumps, SkipWhatOnlyOneSideHas) {
  run(dump("t",
           {forward("t", "Torch.exp.0", {1}, {1}), forward("t", "Torch.exp.1", {1}, {1}), backward("t", "Torch.exp.0", {1}, {1})}),
      dump("b", {forward("b", "Torch.exp.0", {1}, {1}), forward("b", "Torch.log.0", {1}, {1})}));
  ASSERT_EQ(results_.size(), 3u);
  EXPECT_EQ(results_[0].backward.reason, "ASSAY-DIF-001");
  EXPECT_EQ(results_[1].forward.reason, "ASSAY-DIF-001");
  EXPECT_EQ(results_[2].stem, "Torch.log.0");
  EXPECT_EQ(results_[2].forward.reason, "ASSAY-DIF-002");
  EXPECT_EQ(results_[2].position, 2u);
  EXPECT_EQ(counts_.pass, 1u);
  EXPECT_EQ(counts_.skip, 3u);
}

TEST_F(CompareDumps, AMissingOutputOrAnotherShapeIsAnError) {
  const std::string none = R"("Torch.exp.0.forward": {"input_args": [], "input_kwargs": {}, "output": [)";
  const auto tested = dump("t", {none + tensor("t", {1}) + "]}", forward("t", "Torch.exp.1", {1}, {1, 2})});
  const auto baseline =
      dump("b", {none + tensor("b", {1}) + ", " + tensor("b", {2}) + "]}", forward("b", "Torch.exp.1", {1}, {1})});
  run(tested, baseline);
  EXPECT_EQ(results_[0].forward.outputs.at(1).reason, "ASSAY-CMP-001");
  EXPECT_EQ(results_[1].forward.outputs.at(0).reason, "ASSAY-CMP-004");
}

TEST_F(CompareDumps, ADamagedFileCostsOneRow) {
  const auto tested = dump("t", {forward("t", "Torch.exp.0", {1}, {1}), forward("t", "Torch.exp.1", {1}, {1})});
  const auto baseline = dump("b", {forward("b", "Torch.exp.0", {1}, {1}), forward("b", "Torch.exp.1", {1}, {1})});
  for (const char* file : {"4.npy", "5.npy"}) folder_.write(std::string("b/dump_tensor_data/") + file, "no array");
  run(tested, baseline);
  EXPECT_EQ(counts_.damaged, 1u);
  EXPECT_EQ(counts_.pass, 1u);
  EXPECT_EQ(results_[0].forward.message.find("baseline: "), 0u) << results_[0].forward.message;
}

TEST_F(CompareDumps, RefuseDumpsWithoutData) {
  const auto good = dump("t", {});
  const auto bad = folder_.write("s/dump.json", R"({"task": "statistics", "level": "L1", "framework": "pytorch", "data": {}})");
  DumpComparisonRequest request;
  request.tested = good;
  request.baseline = bad;
  request.config = *PipelineConfig::load("compare", "", {});
  Registry registry = Registry::discover({});
  EXPECT_NE(
      DumpComparison::prepare(registry, request).failure().message.find("recorded with task 'statistics' and holds no tensor data"),
      std::string::npos);
}

}  // namespace
}  // namespace assay
