// Injected faults: where they show, what they answer, and that they are not the caller's mistakes.
#include <chrono>
#include <fstream>

#include "tests/emulator_test.hpp"

namespace {

TEST_F(Npu, AnErrorOfPhaseOneHitsTheNthCallOfItsOperator) {
  const Tensor a = upload({1}, {-1});
  const Tensor out = upload({1}, {0});
  fault(R"({"at":"phase1","operator":"aclnnAbs","nth":2,"error":561002})");
  EXPECT_EQ(call("aclnnAbs", a.get(), out.get()), 0);
  EXPECT_EQ(call("aclnnExp", a.get(), out.get()), 0);
  EXPECT_EQ(call("aclnnAbs", a.get(), out.get()), 561002);
  EXPECT_EQ(call("aclnnAbs", a.get(), out.get()), 0);
  EXPECT_EQ(report(), "");
}

TEST_F(Npu, AnErrorOfPhaseTwoIsAnsweredThere) {
  const Tensor a = upload({1}, {-1});
  const Tensor out = upload({1}, {0});
  fault(R"({"at":"phase2","operator":"aclnnAbs"})");
  EXPECT_EQ(launch("aclnnAbs", plan("aclnnAbs", a.get(), out.get())), ACLNN_ERR_RUNTIME_ERROR);
  EXPECT_EQ(report(), "");
}

TEST_F(Npu, AFailedKernelShowsAtTheSynchroniseAndBreaksTheContext) {
  const Tensor a = upload({1}, {-1});
  const Tensor out = upload({1}, {0});
  fault(R"({"at":"kernel","operator":"aclnnAbs"})");
  ASSERT_EQ(launch("aclnnAbs", plan("aclnnAbs", a.get(), out.get())), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_AICORE_EXCEPTION);
  EXPECT_EQ(call("aclnnExp", a.get(), out.get()), ACL_ERROR_RT_AICORE_EXCEPTION);
  EXPECT_EQ(report(), "");
}

TEST_F(Npu, ALostDeviceFailsEveryCall) {
  fault(R"({"at":"synchronize","do":"device_lost"})");
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_LOST_HEARTBEAT);
  void* address = nullptr;
  EXPECT_EQ(aclrtMalloc(&address, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_LOST_HEARTBEAT);
  EXPECT_NE(message().find("lost"), std::string::npos);
  EXPECT_EQ(report(), "");
}

TEST_F(Npu, AWrongKernelIsWrongForItsOperatorAndShapeOnly) {
  const Tensor small = upload({1}, {-1});
  const Tensor small_out = upload({1}, {0});
  const Tensor large = upload({2}, {-1, -2});
  const Tensor large_out = upload({2}, {0, 0});
  fault(R"({"at":"kernel","operator":"aclnnAbs","shape":[2],"do":"wrong","times":0})");
  ASSERT_EQ(call("aclnnAbs", small.get(), small_out.get()), 0);
  ASSERT_EQ(call("aclnnAbs", large.get(), large_out.get()), 0);
  EXPECT_EQ(download(small_out), std::vector<float>{1});
  EXPECT_EQ(download(large_out), (std::vector<float>{1.125, 2.1875}));
}

TEST_F(Npu, AHangEndsWithTheTimeout) {
  const Tensor a = upload({1}, {-1});
  const Tensor out = upload({1}, {0});
  fault(R"({"at":"kernel","operator":"aclnnAbs","do":"hang"})");
  ASSERT_EQ(launch("aclnnAbs", plan("aclnnAbs", a.get(), out.get())), 0);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  ASSERT_EQ(aclrtStreamAbort(stream_), 0);
}

TEST_F(Npu, MemoryRunsOutByFaultAndByTheDevicesSize) {
  void* address = nullptr;
  fault(R"({"at":"malloc","nth":1})");
  EXPECT_EQ(aclrtMalloc(&address, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
  std::size_t left = 0;
  std::size_t total = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total), 0);
  EXPECT_EQ(aclrtMalloc(&address, total + 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
}

TEST_F(Npu, ACopyFails) {
  float value = 1;
  void* address = allocate(4);
  fault(R"({"at":"memcpy"})");
  EXPECT_EQ(aclrtMemcpy(address, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
}

TEST_F(Npu, AFaultForOneProcessShowsOnce) {
  const std::string marker = testing::TempDir() + "npu_once";
  std::remove(marker.c_str());
  const Tensor a = upload({1}, {-1});
  const Tensor out = upload({1}, {0});
  const std::string json = R"({"at":"phase1","operator":"aclnnAbs","once":")" + marker + "\"}";
  fault(json);
  EXPECT_NE(call("aclnnAbs", a.get(), out.get()), 0);
  fault(json);
  EXPECT_EQ(call("aclnnAbs", a.get(), out.get()), 0) << "another process has shown it";
  std::remove(marker.c_str());
}

TEST_F(Npu, SumsDifferFromRunToRunWhenAsked) {
  std::vector<float> values(40000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1.0F / static_cast<float>(i + 1) * (i % 3 == 0 ? -1.0F : 1.0F);
  }
  const Tensor a = upload({40000}, values);
  const Tensor out = upload({1}, {0});
  aclIntArray* dims = aclCreateIntArray(nullptr, 0);
  const bool keep = true;
  fault(R"({"at":"kernel","do":"nondeterministic","times":0})");
  std::vector<float> sums;
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(call("aclnnReduceSum", a.get(), dims, keep, ACL_FLOAT, out.get()), 0);
    sums.push_back(download(out).at(0));
  }
  EXPECT_NE(std::vector<float>(sums.size(), sums[0]), sums);
  ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), 0);
  for (float& sum : sums) {
    ASSERT_EQ(call("aclnnReduceSum", a.get(), dims, keep, ACL_FLOAT, out.get()), 0);
    sum = download(out).at(0);
  }
  EXPECT_EQ(std::vector<float>(sums.size(), sums[0]), sums);
  ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0), 0);
  EXPECT_EQ(aclDestroyIntArray(dims), 0);
}

TEST_F(Npu, AConfigurationWithATypoIsRefused) {
  EXPECT_THROW(assay::emulator::parse_config(R"({"fautls":[]})"), std::runtime_error);
  EXPECT_THROW(assay::emulator::parse_config(R"({"faults":[{"at":"phase3"}]})"), std::runtime_error);
}

}  // namespace
