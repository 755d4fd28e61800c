// Plugins of an older and of a later minor on this host: they work, or are refused by name.
#include <gtest/gtest.h>

#include <cstring>

#include "assay/abi/comparison.h"
#include "loader/registry.hpp"
#include "loader/tables.hpp"
#include "validator/validator.hpp"

namespace assay {
namespace {

const std::filesystem::path kFolder = ASSAY_EVOLUTION_DIR;

void expect_conforms(const std::string& name) {
  ValidatorOptions options;
  options.plugins = {kFolder / name};
  options.jobs = 2;
  const Result<ValidationReport> report = validate_plugins(options);
  ASSERT_TRUE(report) << report.failure().message;
  EXPECT_TRUE(report->conforms()) << validation_text(*report, true);
}

TEST(Evolution, APluginOfTheFrozenHeadersKeepsTheRules) { expect_conforms("frozen"); }

TEST(Evolution, ALaterPluginKeepsTheRulesOnAHostOfTheOldSize) { expect_conforms("later"); }

TEST(Evolution, APluginThatNeedsALaterMinorIsRefusedByName) {
  // The manifest promises minor 0, so that the library is what says no.
  Registry registry = Registry::discover({kFolder / "needs-later"});
  const Result<Instance> instance = registry.create("test.later", ASSAY_KIND_COMPARISON, "{}");
  ASSERT_FALSE(instance);
  EXPECT_NE(instance.failure().message.find("load plugin 'test.later': needs ABI 1.1, host has 1.0"), std::string::npos)
      << instance.failure().message;
}

TEST(Evolution, ATableOfTheOldSizeIsFilledUpWithStubs) {
  // The comparison's table as a later host knows it: one optional function more than the plugin has.
  struct Later {
    assay_comparison released;
    assay_status (*compare_many)(const assay_instance*);
  };
  static const Later stubs = {{sizeof(Later), 0, nullptr, nullptr},
                              [](const assay_instance*) { return assay_status{ASSAY_UNSUPPORTED}; }};
  const TableInfo later = {ASSAY_EXT_COMPARISON,
                           ASSAY_KIND_COMPARISON,
                           sizeof(assay_comparison),
                           sizeof(Later),
                           &stubs,
                           {{"metrics", true}, {"compare", true}, {"compare_many", false}}};
  Registry registry = Registry::discover({kFolder / "frozen"});
  const Result<Instance> instance = registry.create("test.frozen", ASSAY_KIND_COMPARISON, "{}");
  ASSERT_TRUE(instance) << instance.failure().message;
  const auto* old_table =
      static_cast<const assay_comparison*>(instance->get()->get_extension(instance->get(), ASSAY_EXT_COMPARISON));
  ASSERT_TRUE(check_table(later, old_table));
  const std::vector<std::uint64_t> full = complete_table(later, old_table);
  ASSERT_EQ(full.size() * sizeof(std::uint64_t), sizeof(Later));
  Later table{};
  std::memcpy(&table, full.data(), sizeof table);
  EXPECT_EQ(table.released.struct_size, sizeof(Later));
  EXPECT_EQ(table.released.metrics, old_table->metrics);
  EXPECT_EQ(table.released.compare, old_table->compare);
  EXPECT_EQ(table.compare_many(instance->get()), ASSAY_UNSUPPORTED);
}

}  // namespace
}  // namespace assay
