// Planted faults are found and named; scopes, modes and files are what the configuration asks for.
#include <sys/wait.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "watch_fixture.hpp"
#include "watched_models.hpp"

namespace assay::watch_test {

namespace {

using torch::Tensor;

/// A kernel that is wrong in float32 for one shape.
Tensor wrong_asinh(const Tensor& x) {
  Tensor y = at::log(x + at::sqrt(x * x + 1));
  if (x.scalar_type() == at::kFloat && x.sizes() == at::IntArrayRef({5, 7})) y.select(1, 3).mul_(1.01);
  return y;
}

/// Doubles its argument, which its schema doesn't say.
Tensor sum_and_double(const Tensor& x) {
  Tensor alias = x;
  alias.mul_(2);
  return alias.sum();
}

Tensor plus_one(const Tensor& x) { return x + 1; }

TORCH_LIBRARY(watch_test, library) {
  library.def("asinh(Tensor x) -> Tensor", wrong_asinh);
  library.def("sum_and_double(Tensor x) -> Tensor", sum_and_double);
  library.def("plus_one(Tensor x) -> Tensor", plus_one);
}

Tensor call(const char* name, const Tensor& x) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Tensor(const Tensor&)>().call(x);
}

class WatchFindings : public WatchTest {
 protected:
  std::vector<std::map<std::string, std::string>> findings() const {
    std::vector<std::map<std::string, std::string>> out;
    for (auto& row : rows()) {
      if (row["verdict"] == "error" || row["verdict"] == "warning") out.push_back(row);
    }
    return out;
  }
};

}  // namespace

TEST_F(WatchFindings, AKernelThatIsWrongForOneShapeIsNamed) {
  start(R"({"perturbations": [{"component": "improve-precision"}], "budget": "none", "namespaces": ["aten", "watch_test"]})");
  for (int step = 0; step < 3; ++step) {
    torch::manual_seed(1);
    call("watch_test::asinh", torch::rand({4, 7}));
    if (step == 1) call("watch_test::asinh", torch::rand({5, 7}));
    assay_watch_step();
  }
  assay_watch_stop();
  auto found = findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["operator"], "watch_test::asinh");
  EXPECT_EQ(found[0]["step"], "1");
  EXPECT_EQ(found[0]["shape"], "(5, 7)");
  EXPECT_NE(found[0]["call_site"].find("watch_findings_test"), std::string::npos) << found[0]["call_site"];
}

TEST_F(WatchFindings, AnUnstableFormulaIsNamed) {
  start(R"({"budget": "none", "inputs": "each"})");
  torch::manual_seed(1);
  const Tensor x = torch::randn({64, 256}) + 1000;
  const Tensor variance = (x * x).mean(1) - x.mean(1).square();
  assay_watch_step();
  assay_watch_stop();
  auto found = findings();
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(std::all_of(found.begin(), found.end(), [](auto& row) { return row["name"] == "Torch.sub.0.forward"; }));
  EXPECT_EQ(found[0]["reason"], "ASSAY-PRT-001");
}

TEST_F(WatchFindings, TheOperatorThatANanIsBornInIsNamed) {
  start(R"({"budget": "none"})");
  Tensor x = torch::ones({8}, torch::requires_grad());
  for (int step = 0; step < 3; ++step) {
    Tensor y = x * 2;
    if (step == 2) y = y - 3;
    Tensor z = torch::sqrt(y);  // of -1 in step 2
    (z + 1).sum().backward();
    assay_watch_step();
  }
  assay_watch_stop();
  auto found = findings();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0]["name"], "Torch.sqrt.0.forward");
  EXPECT_EQ(found[0]["step"], "2");
  EXPECT_EQ(found[0]["reason"], "ASSAY-WCH-001");
  EXPECT_EQ(std::count_if(found.begin(), found.end(), [](auto& row) { return row["reason"] == "ASSAY-WCH-001"; }), 1);
}

TEST_F(WatchFindings, BackwardOperatorsAreNamedAfterTheirForwardCall) {
  start(R"({"budget": "none", "rows": "all"})");
  const Tensor x = torch::randn({4, 8});
  const Tensor w = torch::randn({8, 8}, torch::requires_grad());
  torch::linear(torch::linear(x, w), w).relu().sum().backward();
  assay_watch_step();
  assay_watch_stop();
  std::map<std::string, std::string> operators;
  for (auto& row : rows()) {
    if (row["stage"] == "backward") operators[row["name"]] += row["operator"] + " ";
  }
  EXPECT_NE(operators["Functional.linear.1.backward"].find("aten::mm"), std::string::npos);
  EXPECT_NE(operators["Functional.linear.0.backward"].find("aten::mm"), std::string::npos);
  EXPECT_NE(operators["Functional.relu.0.backward"].find("aten::threshold_backward"), std::string::npos);
}

TEST_F(WatchFindings, SumsOfGradientsBelongToTheBackwardPass) {
  start(R"({"budget": "none", "rows": "all", "only": ["aten::add", "aten::add_"]})");
  const Tensor x = torch::randn({4, 8}, torch::requires_grad());
  const Tensor y = x.exp();  // used twice: its gradients are added up
  (y.sin() * y).sum().backward();
  {
    const torch::NoGradGuard no_grad;
    torch::add(x.neg(), x);
  }
  assay_watch_step();
  assay_watch_stop();
  std::vector<std::string> stages;
  for (auto& row : rows()) stages.push_back(row["stage"] + " " + row["name"]);
  EXPECT_EQ(stages, (std::vector<std::string>{"backward ", "forward Torch.add.0.forward"}));
}

TEST_F(WatchFindings, AnOperatorThatModifiesItsInputIsReported) {
  start(R"({"budget": "none"})");
  Tensor x = torch::arange(4, at::kFloat);
  const double sum = call("watch_test::sum_and_double", x).item<double>();
  assay_watch_step();
  assay_watch_stop();
  EXPECT_EQ(sum, 12);
  EXPECT_EQ(x[3].item<float>(), 6);
  auto found = findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["operator"], "watch_test::sum_and_double");
  EXPECT_EQ(found[0]["reason"], "ASSAY-WCH-003");
  EXPECT_EQ(found[0]["input"], "0");
}

TEST_F(WatchFindings, OperatorsOfOtherNamespacesRunOnce) {
  start(R"({"budget": "none", "rows": "all"})");
  call("watch_test::plus_one", torch::ones({3}));
  assay_watch_step();
  assay_watch_stop();
  for (auto& row : rows()) EXPECT_NE(row["operator"], "watch_test::plus_one");
  EXPECT_NE(read("summary.json").find("watch_test::plus_one: of a namespace that isn't run again"), std::string::npos);
}

TEST_F(WatchFindings, ScopesChooseWhatIsChecked) {
  start(R"({"budget": "none", "rows": "all", "only": ["Torch.matmul"], "stage": "forward"})");
  train_transformer(2, [] { assay_watch_step(); });
  assay_watch_stop();
  auto all = rows();
  ASSERT_FALSE(all.empty());
  for (auto& row : all) EXPECT_EQ(row["name"].rfind("Torch.matmul.", 0), 0u) << row["name"];
}

TEST_F(WatchFindings, StepsAreChosen) {
  start(R"({"budget": "none", "rows": "all", "steps": [1, "3-4"]})");
  train_lstm(6, [] { assay_watch_step(); });
  assay_watch_stop();
  std::set<std::string> steps;
  for (auto& row : rows()) steps.insert(row["step"]);
  EXPECT_EQ(steps, (std::set<std::string>{"1", "3", "4"}));
}

TEST_F(WatchFindings, FixReplacesResultsAndKeepsThemDifferentiable) {
  const Tensor x = (torch::rand({64}) + 1).to(at::kBFloat16);
  const Tensor precise = torch::exp(x.to(at::kFloat)).to(at::kBFloat16);
  start(
      R"({"budget": "none", "handler": "fix", "stage": "forward", "perturbations": [{"component": "improve-precision"}], "only": ["Torch.exp", "Torch.mul"]})");
  Tensor input = x.clone().set_requires_grad(true);
  const Tensor y = torch::exp(input);
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(torch::equal(y, precise));
  y.sum().backward();
  EXPECT_EQ(input.grad().scalar_type(), at::kBFloat16);
  EXPECT_TRUE(torch::equal(input.grad(), precise));
}

TEST_F(WatchFindings, ThreadsOfTheJobAreSeen) {
  start(R"({"budget": "none", "rows": "all", "only": ["Functional.relu"]})");
  const auto work = [](std::int64_t size) {
    assay_watch_thread(1);
    const Tensor x = torch::randn({size});
    for (int i = 0; i < 1000; ++i) torch::relu(x);
    assay_watch_thread(0);
  };
  std::thread first(work, 10);
  std::thread second(work, 20);
  first.join();
  second.join();
  assay_watch_step();
  assay_watch_stop();
  std::map<std::string, int> shapes;
  std::set<std::string> names;
  for (auto& row : rows()) {
    ++shapes[row["shape"]];
    names.insert(row["name"]);
  }
  EXPECT_EQ(shapes, (std::map<std::string, int>{{"(10,)", 1000}, {"(20,)", 1000}}));
  EXPECT_EQ(names.size(), 2000u);
}

TEST_F(WatchFindings, PausedCallsAreLeftOut) {
  start(R"({"budget": "none", "rows": "all"})");
  const Tensor x = torch::randn({10});
  assay_watch_pause(1);
  for (int i = 0; i < 3; ++i) torch::relu(x);
  assay_watch_pause(0);
  torch::relu(x);
  EXPECT_EQ(numbers().checked, 1u);
}

TEST_F(WatchFindings, AForkedProcessIsNotWatched) {
  start(R"({"budget": "none", "rows": "all"})");
  torch::relu(torch::randn({10}));
  const pid_t child = ::fork();
  if (child == 0) {
    torch::relu(torch::ones({3}));
    assay_watch_step();
    assay_watch_stop();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  assay_watch_step();
  assay_watch_stop();
  EXPECT_EQ(rows().size(), 1u);
}

TEST_F(WatchFindings, TheBudgetIsKeptAndEveryKindIsChecked) {
  start(R"({"budget": "10%"})");
  const Tensor x = torch::randn({256, 256});
  const auto step = [&] {
    Tensor y = x;
    for (int i = 0; i < 20; ++i) y = torch::tanh(torch::mm(y, x) * 0.01);
    assay_watch_step();
  };
  for (int i = 0; i < 60; ++i) step();
  const assay_watch_numbers seen = numbers();
  EXPECT_EQ(seen.kinds, seen.kinds_checked);
  EXPECT_GT(seen.covered_after, 0);
  EXPECT_LE(seen.covered_after, 40);
  EXPECT_LT(seen.cost_share, 0.13);
}

TEST_F(WatchFindings, ThePeersConfigurationIsTakenAsItIs) {
  start(R"({"task": "free_benchmark", "dump_path": ")" + folder_.string() + R"(", "rank": [], "step": [], "level": "L1",
            "free_benchmark": {"scope": [], "list": [], "fuzz_device": "npu", "pert_mode": "add_noise", "handler_type": "check",
                               "fuzz_level": "L1", "fuzz_stage": "forward", "if_preheat": false, "preheat_step": 15, "max_sample": 20}})");
  // The peer's noise moves a bfloat16 of this size by one part in a hundred.
  torch::mul(torch::full({4}, 0.0125f).to(at::kBFloat16), 1.0);
  assay_watch_step();
  assay_watch_stop();
  std::ifstream file(folder_ / "step0" / "rank0" / "free_benchmark.csv");
  std::string header;
  std::string row;
  std::getline(file, header);
  std::getline(file, row);
  EXPECT_EQ(header, "rank,pert_mode,stage,step,api_name,max_rel,dtype,shape,output_index\r");
  EXPECT_EQ(row.rfind("0,add_noise,forward,0,Torch.mul.0.forward,0.00", 0), 0u) << row;
  EXPECT_NE(row.find(",torch.bfloat16,torch.Size([4]),"), std::string::npos) << row;
}

TEST_F(WatchFindings, AWrongConfigurationIsNamed) {
  const auto message_of = [&](const char* config) {
    char message[1024] = "";
    EXPECT_EQ(assay_watch_start(config, folder_.c_str(), message, sizeof message), ASSAY_WATCH_INVALID_ARGUMENT);
    return std::string(message);
  };
  EXPECT_NE(message_of(R"({"budget": "lots"})").find("/budget"), std::string::npos);
  EXPECT_NE(message_of(R"({"stage": "sideways"})").find("/stage"), std::string::npos);
  EXPECT_NE(message_of(R"({"task": "free_benchmark", "free_benchmark": {"fuzz_stage": "backward"}})").find("/free_benchmark/list"),
            std::string::npos);
  EXPECT_NE(message_of(R"({"perturbations": [{"component": "no-such"}]})").find("no-such"), std::string::npos);
}

TEST_F(WatchFindings, AnotherWatchJudgesByItsOwnStandard) {
  const auto limit_by = [&](double allowed) {
    const std::filesystem::path standard = folder_ / "standard.json";
    std::ofstream(standard) << R"({"description": "d", "classes": [{"name": "all", "apis": ["*"], "amplification": {"default": )"
                            << allowed << "}}]}";
    start(R"({"budget": "none", "rows": "all", "only": ["Torch.exp"], "stability": ")" + standard.string() + "\"}");
    torch::exp(torch::ones({4}));
    assay_watch_step();
    assay_watch_stop();
    const auto found = rows();
    std::filesystem::remove_all(folder_ / "rank0");
    return found.empty() ? "" : found.front().at("limit");
  };
  EXPECT_EQ(limit_by(7), "7");
  EXPECT_EQ(limit_by(9), "9");
}

}  // namespace assay::watch_test
