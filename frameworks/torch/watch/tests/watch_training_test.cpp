// The watch never changes the training: losses, gradients, parameters, buffers and random numbers are those of a run without it.
#include "watch_fixture.hpp"
#include "watched_models.hpp"

namespace assay::watch_test {

namespace {

constexpr int kSteps = 20;
constexpr const char* kEverything =
    R"({"perturbations": [{"component": "add-noise"}, {"component": "bit-noise"}, {"component": "change-value"},
        {"component": "improve-precision"}, {"component": "no-change"}, {"component": "to-cpu"}],
        "stage": "both", "inputs": "each", "budget": "none", "rows": "all"})";

class WatchTraining : public WatchTest {
 protected:
  void expect_same(Training (*train)(int, const std::function<void()>&)) {
    const Training plain = train(kSteps, [] {});
    ASSERT_TRUE(same_bits(plain, train(kSteps, [] {}))) << "the model is not repeatable by itself";
    start(kEverything);
    const Training watched = train(kSteps, [] { ASSERT_EQ(assay_watch_step(), ASSAY_WATCH_OK); });
    const assay_watch_numbers seen = numbers();
    assay_watch_stop();
    EXPECT_EQ(plain.losses, watched.losses);
    EXPECT_EQ(plain.tensors, watched.tensors);
    EXPECT_EQ(plain.next_random, watched.next_random);
    EXPECT_EQ(seen.step, kSteps);
    EXPECT_GT(seen.checked, 1000u);
    // Every operator that repeats its random numbers is deterministic.
    for (auto& row : rows()) {
      if (row["perturbation"] != "no-change") continue;
      EXPECT_EQ(row["finding"], "control") << row["name"] << " " << row["operator"];
    }
  }
};

}  // namespace

TEST_F(WatchTraining, TransformerWithDropoutIsUnchanged) { expect_same(train_transformer); }
TEST_F(WatchTraining, ResNetWithBatchNormIsUnchanged) { expect_same(train_resnet); }
TEST_F(WatchTraining, LstmIsUnchanged) { expect_same(train_lstm); }
TEST_F(WatchTraining, InPlaceOperatorsAndViewsAreUnchanged) { expect_same(train_in_place); }
TEST_F(WatchTraining, AutocastIsUnchanged) { expect_same(train_autocast); }

TEST_F(WatchTraining, BudgetAndRotationLeaveTheTrainingUnchanged) {
  const Training plain = train_transformer(kSteps, [] {});
  start(R"({"budget": "20%"})");
  EXPECT_TRUE(same_bits(plain, train_transformer(kSteps, [] { assay_watch_step(); })));
}

}  // namespace assay::watch_test
