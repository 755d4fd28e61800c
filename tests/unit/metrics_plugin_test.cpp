// The component assay.elementwise behind the C interface: configuration, order and lengths, errors, concurrent use.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "assay/abi/comparison.h"
#include "assay/sdk/error.hpp"
#include "loader/registry.hpp"
#include "metrics_support.hpp"

namespace assay::test {
namespace {

class Component {
 public:
  explicit Component(const std::string& config)
      : registry_(Registry::discover({ASSAY_BINARY_DIR "/lib/assay/plugins"})),
        instance_(registry_.create("assay.elementwise", ASSAY_KIND_COMPARISON, config)) {
    if (instance_) table_ = instance_->extension<assay_comparison>(ASSAY_EXT_COMPARISON);
  }

  [[nodiscard]] const Result<Instance>& instance() const { return instance_; }

  [[nodiscard]] std::vector<const assay_metric_info*> infos() const {
    std::uint64_t count = 0;
    const auto* const* first = table_->metrics(instance_->get(), &count);
    return std::vector<const assay_metric_info*>(first, first + count);
  }

  assay_status compare(const Tensor& actual, const Tensor& expected, std::vector<double>& values,
                       std::vector<std::uint8_t>& available, assay_error* error = nullptr) const {
    std::uint64_t count = 0;
    const auto* const* asked = table_->metrics(instance_->get(), &count);
    std::size_t length = 0;
    for (std::uint64_t i = 0; i < count; ++i) length += asked[i]->length;
    values.assign(length, 0);
    available.assign(count, 0);
    const assay_pair pair{sizeof(assay_pair), 2, &actual.abi(), &expected.abi(), "Torch.add"};
    return table_->compare(instance_->get(), &pair, values.data(), available.data(), error);
  }

 private:
  Registry registry_;
  Result<Instance> instance_;
  const assay_comparison* table_ = nullptr;
};

TEST(ElementwisePlugin, OffersOursAndTheMintCheckersMetricsByDefault) {
  const Component component("{}");
  const std::vector<const assay_metric_info*> infos = component.infos();
  ASSERT_EQ(infos.size(), 33u);
  EXPECT_STREQ(infos.front()->name, "numel");
  EXPECT_STREQ(infos[29]->name, "zero_count_actual");
  EXPECT_STREQ(infos.back()->name, "msprobe_mint_max_rel_error");
  for (const assay_metric_info* info : infos) {
    EXPECT_EQ(info->struct_size, sizeof(assay_metric_info));
    EXPECT_NE(std::string(info->unit), "");
    EXPECT_NE(std::string(info->description), "");
  }
}

TEST(ElementwisePlugin, GivesWhatIsAskedForInTableOrder) {
  const Component component(R"({"metrics": ["worst_indices", "max_ulp", "msprobe_rmse", "max_ulp"], "atol": 0.5})");
  std::vector<std::string> names;
  for (const assay_metric_info* info : component.infos()) names.emplace_back(info->name);
  EXPECT_EQ(names, (std::vector<std::string>{"max_ulp", "worst_indices", "msprobe_rmse"}));

  std::vector<double> values;
  std::vector<std::uint8_t> available;
  const Tensor actual = make_tensor(kInt32, {1, 2, 5});
  const Tensor expected = make_tensor(kInt32, {1, 2, 3});
  ASSERT_EQ(component.compare(actual, expected, values, available), ASSAY_OK);
  EXPECT_EQ(available, (std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 2);
  EXPECT_EQ(values[2], -1);
  EXPECT_TRUE(std::isnan(values.back()));
}

TEST(ElementwisePlugin, RefusesWrongConfigurations) {
  for (const char* config : {R"({"metrics": ["max_abs_eror"]})", R"({"metrics": []})", R"({"metrics": "cosine"})",
                             R"({"atol": -1})", R"({"tolerance": 1})"}) {
    EXPECT_FALSE(Component(config).instance()) << config;
  }
  const Component unknown(R"({"metrics": ["max_abs_eror"]})");
  EXPECT_NE(unknown.instance().failure().message.find("'max_abs_eror'"), std::string::npos);
}

TEST(ElementwisePlugin, ReportsWhatItCannotCompare) {
  const Component component("{}");
  std::vector<double> values;
  std::vector<std::uint8_t> available;
  ErrorSlot error;
  const Tensor three = make_tensor(kFloat32, {1, 2, 3});
  const Tensor two = make_tensor(kFloat32, {1, 2});
  EXPECT_EQ(component.compare(three, two, values, available, error.get()), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(error.message(), "actual has shape [3], expected has [2]");
  EXPECT_EQ(component.compare(three, two, values, available), ASSAY_INVALID_ARGUMENT);
}

TEST(ElementwisePlugin, ServesSeveralThreadsAtOnce) {
  const Component component("{}");
  const Tensor expected = make_tensor(kFloat32, std::vector<double>(30'000, 1.0));
  std::vector<double> other(30'000, 1.0);
  other[12'345] = 2;
  const Tensor actual = make_tensor(kFloat32, other);
  std::vector<std::vector<double>> results(4);
  std::vector<std::thread> threads;
  for (std::vector<double>& result : results) {
    threads.emplace_back([&component, &actual, &expected, &result] {
      std::vector<std::uint8_t> available;
      for (int i = 0; i < 20; ++i) component.compare(actual, expected, result, available);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& result : results) EXPECT_EQ(result, results[0]);
}

}  // namespace
}  // namespace assay::test
