#include <gtest/gtest.h>

#include "worker/crash_report.hpp"
#include "worker/frames.hpp"
#include "worker/limits.hpp"
#include "worker/plan_message.hpp"
#include "worker/schedule.hpp"

namespace assay {
namespace {

std::vector<std::size_t> order_of(const std::vector<std::uint64_t>& costs, unsigned workers) {
  std::vector<Costed> calls;
  for (std::size_t i = 0; i < costs.size(); ++i) calls.push_back({i, costs[i]});
  std::vector<std::size_t> order;
  for (const Costed& call : handing_order(std::move(calls), workers)) order.push_back(call.position);
  return order;
}

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(HandingOrder, PutsLargeCallsFirstAndLeavesTheOthersInDumpOrder) {
  std::vector<std::uint64_t> costs(200, kMiB);
  costs[50] = 100 * kMiB;
  costs[150] = 300 * kMiB;
  const std::vector<std::size_t> order = order_of(costs, 4);
  EXPECT_EQ(order[0], 150u);
  EXPECT_EQ(order[1], 50u);
  EXPECT_TRUE(std::is_sorted(order.begin() + 2, order.end()));
}

TEST(HandingOrder, IsDumpOrderForOneWorker) { EXPECT_EQ(order_of({1, 5000 * kMiB, 3}, 1), (std::vector<std::size_t>{0, 1, 2})); }

TEST(HandingOrder, IsDumpOrderWhereNoCallIsLarge) {
  const std::vector<std::size_t> order = order_of(std::vector<std::uint64_t>(1000, 5), 4);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Size, IsReadInBinaryUnits) {
  EXPECT_EQ(*parse_size("1000"), 1000u);
  EXPECT_EQ(*parse_size("512M"), 512 * kMiB);
  EXPECT_EQ(*parse_size("1.5GiB"), 1536 * kMiB);
  EXPECT_EQ(*parse_size("2GB"), 2048 * kMiB);
  for (const char* text : {"", "M", "-1M", "0", "5X", "1 M", "nan", "1e30T", "5MM"}) EXPECT_FALSE(parse_size(text)) << text;
}

TEST(Backtrace, IsOneLineWithoutAddresses) {
  EXPECT_EQ(
      backtrace_text("/opt/a.so(_ZN5assay3runEi+0x12) [0x7f12]\n/lib/libc.so.6(+0x3c050) [0x7f13]\n/x/b.so(plain+0x1) [0x1]\n"),
      "a.so(assay::run(int)) < libc.so.6(+0x3c050) < b.so(plain)");
}

TEST(Backtrace, ShowsRepeatedFramesOnceAndOnlyTheFirstFew) {
  std::string frames;
  for (int i = 0; i < 60; ++i) frames += "/a.so(_Z8overflowi+0x33) [0x7f12]\n";
  EXPECT_EQ(backtrace_text(frames), "a.so(overflow(int))");
  frames.clear();
  for (int i = 0; i < 60; ++i) frames += "/a.so(f" + std::to_string(i) + "+0x33) [0x7f12]\n";
  EXPECT_NE(backtrace_text(frames).find("f7"), std::string::npos);
  EXPECT_EQ(backtrace_text(frames).find("f8"), std::string::npos);
}

TEST(Backtrace, TakesAnyText) {
  for (const char* text : {"", "\n\n", "(", ")(", "no brackets", "a(b", "/(+", "a\x1b[31m(x+0x1) [1]"}) {
    EXPECT_EQ(backtrace_text(text).find('\x1b'), std::string::npos) << text;
  }
}

TEST(Plan, ComesBackAsItWasSent) {
  const CallPlan plan{{0, 3, 9}, {10, 0, ~std::uint64_t{0}}, {{3, "Functional.a.0"}}};
  const Result<CallPlan> back = plan_from_json(plan_to_json(plan));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->positions, plan.positions);
  EXPECT_EQ(back->costs, plan.costs);
  EXPECT_EQ(back->orders, plan.orders);
}

TEST(Plan, IsRefusedWhereItIsNone) {
  for (const char* text :
       {"", "[]", "{}", R"({"positions": [1], "costs": [], "orders": {}})", R"({"positions": [-1], "costs": [], "orders": []})",
        R"({"positions": ["1"], "costs": [], "orders": []})", R"({"positions": [1], "costs": [1, 2], "orders": []})",
        R"({"positions": [1], "costs": [], "orders": [[1]]})"}) {
    EXPECT_FALSE(plan_from_json(text)) << text;
  }
}

TEST(Frames, ComeWholeFromAnyPieces) {
  std::string bytes;
  for (const char type : {'S', 'R'}) bytes += std::string(1, type) + std::string("\x03\0\0\0abc", 7);
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameBuffer buffer;
    std::string types;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      buffer.append(std::string_view(bytes).substr(at, piece));
      for (Result<std::optional<Frame>> frame = buffer.next(); frame && *frame; frame = buffer.next()) {
        EXPECT_EQ((*frame)->payload, "abc");
        types += static_cast<char>((*frame)->type);
      }
    }
    EXPECT_EQ(types, "SR") << piece;
  }
}

TEST(Frames, AreRefusedWhereTheyAreNone) {
  for (const std::string& bytes :
       {std::string("\xff\xff\xff\xff\xff"), std::string("X\x01\0\0\0a", 6), std::string("R\xff\xff\xff\xff", 5)}) {
    FrameBuffer buffer;
    buffer.append(bytes);
    EXPECT_FALSE(buffer.next());
  }
}

}  // namespace
}  // namespace assay
