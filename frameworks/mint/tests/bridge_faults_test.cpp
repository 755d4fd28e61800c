// A Python that is missing, dies, hangs, prints or lies costs one call or one message, and leaves nothing behind.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "plain_adapter.hpp"

namespace assay::bridge {
namespace {

using std::chrono::steady_clock;

/// Whether the process is gone (not even a zombie) within a few seconds.
bool vanishes(pid_t pid) {
  for (int i = 0; i < 500; ++i) {
    if (::kill(pid, 0) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

pid_t server_pid(AdapterUnderTest& adapter) {
  return static_cast<pid_t>(adapter.invoke({"Plain.process_id", {}}).output(0).as.integer);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(BridgeFaults, AKilledServerIsOneInternalErrorWithItsSignal) {
  PlainAdapter adapter;
  const pid_t first = server_pid(adapter);
  const Outcome lost = adapter.invoke({"Plain.die", {std::int64_t{SIGKILL}}});
  EXPECT_EQ(lost.status, ASSAY_INTERNAL);
  EXPECT_TRUE(contains(lost.message, "signal 9")) << lost.message;
  EXPECT_EQ(adapter.invoke({"Plain.add", {1.0, 2.0}}).output(0).as.real, 3.0);
  EXPECT_NE(server_pid(adapter), first);
  EXPECT_TRUE(vanishes(first));
}

TEST(BridgeFaults, ACrashNamesItsSignalAndTheStackIsLogged) {
  PlainAdapter adapter;
  (void)take_log();
  const Outcome lost = adapter.invoke({"Plain.die", {std::int64_t{SIGSEGV}}});
  EXPECT_EQ(lost.status, ASSAY_INTERNAL);
  EXPECT_TRUE(contains(lost.message, "signal 11 (Segmentation fault)")) << lost.message;
  bool stack = false;
  for (const std::string& line : take_log()) stack = stack || contains(line, "in die");
  EXPECT_TRUE(stack);
}

TEST(BridgeFaults, AServerThatLeavesIsNamedWithItsExitCodeAndLastWords) {
  PlainAdapter adapter;
  const Outcome lost = adapter.invoke({"Plain.leave", {std::int64_t{7}}});
  EXPECT_EQ(lost.status, ASSAY_INTERNAL);
  EXPECT_TRUE(contains(lost.message, "exited with code 7")) << lost.message;
  EXPECT_TRUE(contains(lost.message, "leaving now")) << lost.message;
  EXPECT_EQ(adapter.invoke({"Plain.add", {1.0, 2.0}}).status, ASSAY_OK);
}

TEST(BridgeFaults, AHangIsEndedAtTheLimit) {
  PlainAdapter adapter(R"("call_timeout_s": 2.5)");
  const pid_t first = server_pid(adapter);
  const auto start = steady_clock::now();
  const Outcome lost = adapter.invoke({"Plain.hang_without_mercy", {}});
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(lost.status, ASSAY_INTERNAL);
  EXPECT_TRUE(contains(lost.message, "no answer within 2.5 s")) << lost.message;
  EXPECT_TRUE(vanishes(first));
  EXPECT_EQ(adapter.invoke({"Plain.add", {1.0, 2.0}}).status, ASSAY_OK);
}

TEST(BridgeFaults, HelpersOfTheFrameworkGoWithTheServer) {
  PlainAdapter adapter(R"("call_timeout_s": 3)");
  (void)take_log();
  EXPECT_EQ(adapter.invoke({"Plain.sleep_with_a_helper", {100.0}}).status, ASSAY_INTERNAL);
  pid_t helper = 0;
  for (const std::string& line : take_log()) {
    if (const std::size_t at = line.find("helper "); at != std::string::npos) helper = std::stoi(line.substr(at + 7));
  }
  ASSERT_GT(helper, 0);
  EXPECT_TRUE(vanishes(helper));
}

TEST(BridgeFaults, PrintsGoToTheLogAndNeverIntoTheProtocol) {
  PlainAdapter adapter;
  (void)take_log();
  EXPECT_EQ(adapter.invoke({"Plain.chatter", {std::int64_t{5000}}}).output(0).as.integer, 5000);
  EXPECT_EQ(adapter.invoke({"Plain.write_to_every_descriptor", {}}).status, ASSAY_OK);
  EXPECT_EQ(adapter.invoke({"Plain.add", {1.0, 2.0}}).output(0).as.real, 3.0);
  EXPECT_GT(take_log().size(), 1000u);
}

TEST(BridgeFaults, AResultThatCannotBeReadCostsTheServer) {
  PlainAdapter adapter;
  const pid_t first = server_pid(adapter);
  EXPECT_NE(adapter.invoke({"Plain.lying_tensor", {tensor<float>({2}, {1, 2})}}).status, ASSAY_OK);
  EXPECT_NE(server_pid(adapter), first);
}

TEST(BridgeFaults, ExceptionsOfACallKeepTheServer) {
  PlainAdapter adapter;
  const pid_t first = server_pid(adapter);
  const auto fail = [&](const char* kind, const char* message) {
    return adapter.invoke({"Plain.fail", {std::string(kind), std::string(message)}});
  };
  const Outcome refused = fail("value", "\n-----\nshapes differ\nstack: 1\n");
  EXPECT_EQ(refused.status, ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(refused.message, "shapes differ");
  EXPECT_EQ(fail("value", "no kernel for it").status, ASSAY_UNSUPPORTED);
  EXPECT_EQ(fail("not implemented", "later").status, ASSAY_UNSUPPORTED);
  EXPECT_EQ(fail("memory", "").status, ASSAY_OUT_OF_MEMORY);
  EXPECT_EQ(fail("key", "lost").status, ASSAY_INTERNAL);
  EXPECT_EQ(server_pid(adapter), first);
}

TEST(BridgeFaults, NamesFromADumpReachNothingButTheListedFunctions) {
  PlainAdapter adapter;
  for (const char* api : {"Plain.os.system", "Plain.system", "Plain.os", "Plain.Thing", "Plain.__import__", "Plain._private_calls",
                          "Plain.add.__call__", "Other.add", "add", "", ".", "Plain."}) {
    EXPECT_EQ(adapter.supports(api).status, ASSAY_NOT_FOUND) << api;
    EXPECT_EQ(adapter.invoke({api, {std::string("touch /tmp/never")}}).status, ASSAY_NOT_FOUND) << api;
  }
  EXPECT_EQ(adapter.supports("Plain.nothing").status, ASSAY_UNSUPPORTED);
  EXPECT_EQ(adapter.supports("Plain.add").status, ASSAY_OK);
}

TEST(BridgeFaults, NoServerAndNoMemoryStayBehind) {
  pid_t pid = 0;
  {
    PlainAdapter adapter;
    pid = server_pid(adapter);
    (void)adapter.invoke({"Plain.arguments", {tensor<float>({2}, {1, 2})}});
    EXPECT_EQ(child_processes().size(), 1u);
  }
  EXPECT_TRUE(vanishes(pid));
  EXPECT_TRUE(child_processes().empty());
  EXPECT_EQ(shared_mappings(), 0u);
}

TEST(BridgeFaults, AServerDoesNotOutliveAKilledHost) {
  int report[2];
  ASSERT_EQ(::pipe(report), 0);
  const pid_t host = ::fork();
  if (host == 0) {
    PlainAdapter adapter;
    const pid_t server = server_pid(adapter);
    if (::write(report[1], &server, sizeof server) != sizeof server) ::_exit(1);
    (void)adapter.invoke({"Plain.hang_without_mercy", {}});
    ::_exit(0);
  }
  pid_t server = 0;
  ASSERT_EQ(::read(report[0], &server, sizeof server), static_cast<ssize_t>(sizeof server));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ::kill(host, SIGKILL);
  ::waitpid(host, nullptr, 0);
  EXPECT_TRUE(vanishes(server));
}

TEST(BridgeStart, AMissingPythonIsUnsupportedAndSaysWhatToSet) {
  const AdapterUnderTest adapter("assay.mint", R"({"python": "/no/such/python"})");
  EXPECT_EQ(adapter.status(), ASSAY_UNSUPPORTED);
  EXPECT_TRUE(contains(adapter.message(), "/no/such/python")) << adapter.message();
  EXPECT_TRUE(contains(adapter.message(), "ASSAY_PYTHON")) << adapter.message();
}

TEST(BridgeStart, TheEnvironmentNamesThePython) {
  ::setenv("ASSAY_PYTHON", "/named/by/environment", 1);
  const AdapterUnderTest adapter("assay.mint", "{}");
  EXPECT_TRUE(contains(adapter.message(), "/named/by/environment")) << adapter.message();
  EXPECT_TRUE(contains(AdapterUnderTest("assay.python-torch", "{}").message(), "/named/by/environment"));
  ::setenv("ASSAY_TORCH_PYTHON", "/named/for/pytorch", 1);
  EXPECT_TRUE(contains(AdapterUnderTest("assay.python-torch", "{}").message(), "/named/for/pytorch"));
  EXPECT_TRUE(contains(AdapterUnderTest("assay.mint", "{}").message(), "/named/by/environment"));
  ::unsetenv("ASSAY_TORCH_PYTHON");
  ::unsetenv("ASSAY_PYTHON");
}

TEST(BridgeStart, AProgramThatIsNoPythonIsUnsupported) {
  const AdapterUnderTest adapter("assay.mint", R"({"python": "/bin/false"})");
  EXPECT_EQ(adapter.status(), ASSAY_UNSUPPORTED);
  EXPECT_TRUE(contains(adapter.message(), "exited with code 1")) << adapter.message();
}

TEST(BridgeStart, GarbageInThePlaceOfAnAnswerIsUnsupported) {
  const AdapterUnderTest adapter("assay.mint", R"({"python": ")" ASSAY_MINT_TESTS R"(/fakes/garbage_server.sh"})");
  EXPECT_EQ(adapter.status(), ASSAY_UNSUPPORTED);
  EXPECT_TRUE(contains(adapter.message(), "wrong header")) << adapter.message();
}

TEST(BridgeStart, AMissingFrameworkIsUnsupportedWithThePipCommand) {
  ::setenv("PYTHONPATH", "/nowhere", 1);
  const AdapterUnderTest adapter("assay.mint", R"({"python": "/usr/bin/python3"})");
  EXPECT_EQ(adapter.status(), ASSAY_UNSUPPORTED);
  EXPECT_TRUE(contains(adapter.message(), "No module named 'mindspore'") || contains(adapter.message(), "numpy"))
      << adapter.message();
  EXPECT_TRUE(contains(adapter.message(), "-m pip install mindspore")) << adapter.message();
  EXPECT_TRUE(child_processes().empty());
}

TEST(BridgeStart, AFrameworkThatRaisesOnImportIsUnsupportedWithItsReason) {
  ::setenv("PYTHONPATH", ASSAY_MINT_TESTS "/fakes", 1);
  ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  const AdapterUnderTest adapter("assay.mint", R"({"python": "/usr/bin/python3"})");
  EXPECT_EQ(adapter.status(), ASSAY_UNSUPPORTED);
  EXPECT_TRUE(contains(adapter.message(), "libmindspore_core.so is broken")) << adapter.message();
  EXPECT_EQ(adapter.message().find('\n'), std::string::npos);
}

TEST(BridgeStart, AFaultyMapIsRefused) {
  const AdapterUnderTest missing("assay.mint", R"({"map": "no-such-map"})");
  EXPECT_EQ(missing.status(), ASSAY_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(missing.message(), "share/assay/apis/no-such-map.json")) << missing.message();
  const AdapterUnderTest foreign("assay.mint", R"({"map": ")" ASSAY_MINT_TESTS R"(/modules/bridge_ops.py"})");
  EXPECT_EQ(foreign.status(), ASSAY_INVALID_ARGUMENT);
}

TEST(BridgeStart, LimitsOutsideTheirRangeAreRefused) {
  EXPECT_EQ(AdapterUnderTest("assay.mint", R"({"call_timeout_s": 0})").status(), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(AdapterUnderTest("assay.mint", R"({"keep_mib": -1})").status(), ASSAY_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace assay::bridge
