#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/html/charts.hpp"
#include "report/html/details.hpp"
#include "report/html/markup.hpp"
#include "report/html/thinned_values.hpp"
#include "report/markdown.hpp"

namespace assay::html {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Output append_to(std::string& text) {
  return [&text](std::string_view piece) -> Status {
    text += piece;
    return Done{};
  };
}

std::string filled(std::string_view page, const std::map<std::string, Part, std::less<>>& parts) {
  std::string text;
  EXPECT_TRUE(fill(page, parts, append_to(text)));
  return text;
}

TEST(Fill, ReplacesKnownMarksInOnePass) {
  EXPECT_EQ(filled("a @X@ b @Y@ @Z@", {{"X", "@Y@"}, {"Y", "1"}}), "a @Y@ b 1 @Z@");
  EXPECT_EQ(filled("me@example.org @X@", {{"X", "1"}}), "me@example.org 1");
  EXPECT_EQ(filled("@X", {{"X", "1"}}), "@X");
}

TEST(Escape, LeavesNothingThatIsMarkup) {
  EXPECT_EQ(escape("<a href='x'>\"&\n"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;\\x0a");
  EXPECT_EQ(preformatted("a\n<b>"), "<pre>a\n&lt;b&gt;</pre>\n");
}

TEST(Markdown, LeavesNothingThatIsMarkup) {
  EXPECT_EQ(markdown_text("a|b `c` *d* @e <f>"), "a\\|b \\`c\\` \\*d\\* @<!-- -->e &lt;f&gt;");
  EXPECT_EQ(markdown_code("a_b"), "<code>a\\_b</code>");
}

TEST(DriftChart, DrawsEveryColumnOnceAndMarksTheFirstError) {
  std::vector<DriftPoint> points;
  for (std::size_t i = 0; i < 100000; ++i) points.push_back({i, static_cast<double>(i % 7), false, "call"});
  points[5000].error = points[90000].error = true;
  points[5000].name = "first";
  points[90000].name = "last";
  const std::string forward = drift_chart("forward", "ulp", points, points.size(), Order::kForward);
  EXPECT_LE(count(forward, "<circle"), 481u);
  EXPECT_EQ(count(forward, "class=\"forward bad\""), 2u);
  EXPECT_NE(forward.find("first error: first"), std::string::npos);
  const std::string backward = drift_chart("backward", "ulp", points, points.size(), Order::kBackward);
  EXPECT_NE(backward.find("first error: last"), std::string::npos);
  EXPECT_EQ(drift_chart("forward", "ulp", {}, 0, Order::kForward), "");
}

TEST(DriftChart, OfVeryManyPointsKeepsTheLargestAndBothEndsOfTheErrors) {
  std::vector<DriftPoint> points;
  for (std::size_t i = 0; i < 1000000; ++i) {
    const bool error = i >= 5000 && i <= 990000;
    add_point(points, {i, i == 123456 ? 1e9 : static_cast<double>(i % 7), error, std::to_string(i)});
  }
  EXPECT_LT(points.size(), 65536u);
  const auto has = [&points](std::size_t position) {
    return std::any_of(points.begin(), points.end(), [&](const DriftPoint& point) { return point.position == position; });
  };
  EXPECT_TRUE(has(5000));
  EXPECT_TRUE(has(990000));
  EXPECT_TRUE(has(123456));
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end(), [](const auto& l, const auto& r) { return l.position < r.position; }));
}

TEST(Charts, TakeEveryNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::string& chart :
       {drift_chart("t", "ulp", {{0, kInfinity, true, "<x>"}, {1, nan, false, "y"}, {2, 1e300, false, "z"}}, 3, Order::kForward),
        spread_chart("t", "ulp", {{"<k>", {kInfinity, nan, 0, 1e308, 3}, true}, {"empty", {}, false}}),
        histogram_chart("t", "ulp", {0, 1e18, 3}), small_histogram({{0, 1}, {63, 2}}, "ulp"),
        bar_chart("t", {{"<b>", 1e300, "x"}, {"none", 0, ""}})}) {
    EXPECT_EQ(count(chart, "<svg"), 1u);
    EXPECT_EQ(count(chart, "=\"nan\"") + count(chart, "=\"inf\"") + count(chart, "=\"-nan\""), 0u) << chart;
    EXPECT_EQ(count(chart, "<k>") + count(chart, "<x>") + count(chart, "<b>"), 0u);
  }
}

TEST(SpreadChart, ShowsTheWorstKindsFirst) {
  std::vector<Spread> kinds;
  for (int i = 0; i < 30; ++i) kinds.push_back({"kind" + std::to_string(i), {static_cast<double>(i)}, false});
  const std::string chart = spread_chart("t", "ulp", kinds);
  EXPECT_LT(chart.find("kind29"), chart.find("kind28"));
  EXPECT_EQ(chart.find(">kind9<"), std::string::npos);
  EXPECT_NE(chart.find("10 kinds with smaller values are left out"), std::string::npos);
}

TEST(ThinnedValues, OfFewKeepsEachAndOfManyTheQuartilesAndBothEnds) {
  ThinnedValues few;
  for (const double value : {3.0, 1.0, 2.0}) few.add(value);
  EXPECT_EQ(few.values(), (std::vector<double>{3, 1, 2}));
  ThinnedValues many;
  constexpr std::size_t kCount = 1000000;
  for (std::size_t i = 0; i < kCount; ++i) many.add(static_cast<double>(i * 7919 % kCount));
  std::vector<double> values = many.values();
  EXPECT_LE(values.size(), ThinnedValues::kMost + 2);
  EXPECT_EQ(many.count(), kCount);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values.front(), 0);
  EXPECT_EQ(values.back(), kCount - 1.0);
  for (const std::size_t quarter : {1u, 2u, 3u}) {
    EXPECT_NEAR(values[quarter * values.size() / 4], static_cast<double>(quarter * kCount / 4), 0.01 * kCount);
  }
}

TEST(DetailStore, PacksRowsIntoPartsThatBrowsersUnpack) {
  DetailStore store;
  for (std::size_t i = 0; i < DetailStore::kPartRows + 1; ++i) ASSERT_TRUE(store.add("{\"i\":" + std::to_string(i) + "}"));
  const auto elements_of = [&] {
    std::string text;
    EXPECT_TRUE(store.write(append_to(text)));
    return text;
  };
  const std::string elements = elements_of();
  EXPECT_EQ(count(elements, "<script type=\"text/plain\" class=\"details\">"), 2u);
  // eNqL... is the base64 of a zlib stream; the last part is one short row.
  const std::size_t last = elements.rfind("details\">") + 9;
  EXPECT_EQ(elements.substr(last, 2), "eA");
  // Adding goes on after a look.
  ASSERT_TRUE(store.add("{}"));
  EXPECT_EQ(count(elements_of(), "</script>"), 2u);
}

}  // namespace
}  // namespace assay::html
