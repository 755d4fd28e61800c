#include "loader/describe.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "config/json.hpp"

namespace assay {
namespace {

const std::filesystem::path kGood = std::filesystem::path(ASSAY_ZOO_DIR) / "good";

TEST(DescribePlugins, ListsComponentsWithoutLoadingThem) {
  EXPECT_EQ(describe_plugins(Registry::discover({kGood})),
            "comparison  test.zoo  1.0.0  " + std::filesystem::canonical(kGood / "zoo-good.so").string() + "\n");
  EXPECT_EQ(describe_plugins(Registry::discover({})), "no plugins found\n");
}

TEST(DescribePlugins, ListsTheSameAsJson) {
  const auto json = parse_json(describe_plugins_json(Registry::discover({kGood, "/nowhere"})), "list");
  ASSERT_TRUE(json);
  EXPECT_STREQ((*json)["plugins"][0]["id"].GetString(), "test.zoo-plugin");
  EXPECT_STREQ((*json)["plugins"][0]["components"][0]["kind"].GetString(), "comparison");
  EXPECT_STREQ((*json)["search_path"][1].GetString(), "/nowhere");
  EXPECT_TRUE((*json)["problems"].Empty());
}

TEST(DescribePlugin, ShowsWhatTheLibraryKnows) {
  Registry registry = Registry::discover({kGood});
  const Result<std::string> text = describe_plugin(registry, "test.zoo");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("\ncomparison test.zoo 1.0.0\n  counts different elements\n  config 'scale': {\"type\":\"number\"}\n"),
            std::string::npos)
      << *text;
  const auto json = parse_json(*describe_plugin_json(registry, "test.zoo-plugin"), "show");
  ASSERT_TRUE(json);
  EXPECT_STREQ((*json)["components"][0]["config_schema"]["properties"]["scale"]["type"].GetString(), "number");
}

TEST(DescribePlugin, SaysWhenThereIsNone) {
  Registry registry = Registry::discover({kGood});
  EXPECT_EQ(describe_plugin(registry, "test.zo").failure().message.substr(0, 22), "find plugin 'test.zo';");
}

}  // namespace
}  // namespace assay
