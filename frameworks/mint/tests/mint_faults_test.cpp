// What goes wrong around a real MindSpore costs one call.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "mint_adapter.hpp"

namespace assay::bridge {
namespace {

using Numbers = std::vector<double>;

CallSpec addition() { return {"Mint.add", {tensor<float>({2}, {1, 2}), 1.0}}; }

/// A matmul that takes seconds.
CallSpec long_call() {
  const Value x = tensor<float>({4096, 4096}, std::vector<float>(std::size_t{4096} * 4096, 0.5f));
  return {"Mint.matmul", {x, x}};
}

TEST(MintFaults, AServerKilledInTheMiddleOfACallCostsThatCall) {
  AdapterUnderTest adapter("assay.mint", mint_config());
  ASSERT_EQ(adapter.status(), ASSAY_OK) << adapter.message();
  const std::vector<int> servers = child_processes();
  ASSERT_EQ(servers.size(), 1u);
  const CallSpec spec = long_call();
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(servers[0], SIGKILL);
  });
  const Outcome lost = adapter.invoke(spec);
  killer.join();
  EXPECT_EQ(lost.status, ASSAY_INTERNAL);
  EXPECT_NE(lost.message.find("signal 9"), std::string::npos) << lost.message;
  EXPECT_EQ(numbers(adapter.invoke(addition()).output(0)), (Numbers{2, 3}));
  EXPECT_EQ(child_processes().size(), 1u);
}

TEST(MintFaults, ACallBeyondItsLimitIsEnded) {
  AdapterUnderTest adapter("assay.mint", mint_config(R"("call_timeout_s": 1)"));
  ASSERT_EQ(adapter.status(), ASSAY_OK) << adapter.message();
  EXPECT_EQ(adapter.invoke(addition()).status, ASSAY_OK);
  const std::vector<int> servers = child_processes();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(servers.at(0), SIGSTOP);  // as good as a hang
  const Outcome lost = adapter.invoke(addition());
  EXPECT_EQ(lost.status, ASSAY_INTERNAL);
  EXPECT_NE(lost.message.find("no answer within 1 s"), std::string::npos) << lost.message;
  EXPECT_NE(::kill(servers[0], 0), 0);
  EXPECT_EQ(numbers(adapter.invoke(addition()).output(0)), (Numbers{2, 3}));
}

TEST(MintFaults, MemoryOverTheLimitEndsOneCall) {
  AdapterUnderTest adapter("assay.mint", mint_config(R"("memory_limit_mib": 64)"));
  ASSERT_EQ(adapter.status(), ASSAY_OK) << adapter.message();
  const std::size_t count = 16u << 20;
  {
    const Value x = tensor<std::uint16_t>({16 << 20}, std::vector<std::uint16_t>(count, 0x3c00), kFloat16);
    const Outcome over = adapter.invoke({"Mint.isclose", {x, x}});
    EXPECT_EQ(over.status, ASSAY_OUT_OF_MEMORY) << over.message;
    EXPECT_NE(over.message.find("memory"), std::string::npos) << over.message;
  }
  const Outcome made = adapter.invoke({"Mint.ones", {Tuple{{std::int64_t{64} << 20}}}});
  EXPECT_EQ(made.status, ASSAY_OUT_OF_MEMORY) << made.message;
  EXPECT_EQ(numbers(adapter.invoke(addition()).output(0)), (Numbers{2, 3}));
}

TEST(MintFaults, NothingStaysBehind) {
  EXPECT_TRUE(child_processes().empty());
  EXPECT_EQ(shared_mappings(), 0u);
}

}  // namespace
}  // namespace assay::bridge
