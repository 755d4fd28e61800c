// Every mistake a caller can make is reported, by the rule it breaks.
#include <cstring>
#include <thread>

#include "tests/emulator_test.hpp"

namespace {

TEST_F(Npu, ReportsNothingForACorrectCaller) {
  const Tensor a = upload({2, 2}, {-1, 2, -3, 4});
  const Tensor out = upload({2, 2}, {0, 0, 0, 0});
  ASSERT_EQ(call("aclnnAbs", a.get(), out.get()), 0);
  EXPECT_EQ(download(out), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(report(), "");
}

TEST_F(Npu, ReportsCallsOutsideOfInitAndFinalize) {
  aclrtDestroyStream(stream_);
  stream_ = nullptr;
  ASSERT_EQ(aclrtResetDevice(0), 0);
  ASSERT_EQ(aclFinalize(), 0);
  finalised_ = true;
  EXPECT_FALSE(reported("leak"));
  EXPECT_NE(report().find("\"event\":\"finalised\""), std::string::npos);
  void* address = nullptr;
  EXPECT_EQ(aclrtMalloc(&address, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_UNINITIALIZE);
  EXPECT_TRUE(reported("call-after-finalize"));
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_TRUE(reported("finalize-twice"));
}

TEST_F(Npu, SecondInitIsAnsweredAndNotAMistake) {
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(report(), "");
}

TEST_F(Npu, ReportsAThreadWithoutContext) {
  std::thread([&] {
    void* address = nullptr;
    EXPECT_EQ(aclrtMalloc(&address, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
  }).join();
  EXPECT_TRUE(reported("no-context"));
}

TEST_F(Npu, ReportsAStreamOfAnotherContext) {
  aclrtContext first = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&first), 0);
  aclrtContext second = nullptr;
  ASSERT_EQ(aclrtCreateContext(&second, 0), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_TRUE(reported("stream-of-another-context"));
  ASSERT_EQ(aclrtDestroyContext(second), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_TRUE(reported("use-after-destroy"));
  ASSERT_EQ(aclrtSetCurrentContext(first), 0);
}

TEST_F(Npu, ReportsUseAfterDestroy) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  ASSERT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_NE(aclrtSynchronizeStream(stream), 0);
  EXPECT_NE(aclrtDestroyStream(stream), 0);
  EXPECT_TRUE(reported("use-after-destroy"));
}

TEST_F(Npu, ReportsWrongFrees) {
  EXPECT_NE(aclrtFree(nullptr), 0);
  EXPECT_TRUE(reported("free-null"));
  void* address = allocate(100);
  release(address);
  EXPECT_NE(aclrtFree(address), 0);
  EXPECT_TRUE(reported("double-free"));
  int on_host = 0;
  EXPECT_NE(aclrtFree(&on_host), 0);
  EXPECT_TRUE(reported("free-unknown"));
}

TEST_F(Npu, ReportsCopiesThatDontFit) {
  std::vector<char> host(200);
  void* address = allocate(100);
  EXPECT_EQ(aclrtMemcpy(address, 50, host.data(), 100, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_TRUE(reported("copy-too-large"));
  EXPECT_NE(aclrtMemcpy(address, 200, host.data(), 200, ACL_MEMCPY_HOST_TO_DEVICE), 0);
  EXPECT_TRUE(reported("outside-allocation"));
  EXPECT_NE(aclrtMemcpy(address, 100, host.data(), 100, ACL_MEMCPY_DEVICE_TO_HOST), 0);
  EXPECT_TRUE(reported("copy-kind"));
}

TEST_F(Npu, ReportsAReadBeforeSynchronizing) {
  const Tensor a = upload({1}, {-5});
  const Tensor out = upload({1}, {7});
  aclOpExecutor* executor = plan("aclnnAbs", a.get(), out.get());
  ASSERT_EQ(launch("aclnnAbs", executor), 0);
  EXPECT_EQ(download(out), std::vector<float>{7}) << "the kernel has not run yet";
  EXPECT_TRUE(reported("read-before-synchronize"));
  ASSERT_EQ(aclrtSynchronizeStream(stream_), 0);
  EXPECT_EQ(download(out), std::vector<float>{5});
}

TEST_F(Npu, ReportsMemoryFreedUnderPendingWork) {
  const Tensor a = upload({1}, {-5});
  const Tensor out = upload({1}, {7});
  ASSERT_EQ(launch("aclnnAbs", plan("aclnnAbs", a.get(), out.get())), 0);
  release(out.address);
  EXPECT_TRUE(reported("free-while-pending"));
}

TEST_F(Npu, ReportsAHostBufferChangedUnderAnAsynchronousCopy) {
  std::vector<float> host = {1, 2};
  void* address = allocate(8);
  ASSERT_EQ(aclrtMemcpyAsync(address, 8, host.data(), 8, ACL_MEMCPY_HOST_TO_DEVICE, stream_), 0);
  host[0] = 9;
  ASSERT_EQ(aclrtSynchronizeStream(stream_), 0);
  EXPECT_TRUE(reported("host-buffer-changed"));
}

TEST_F(Npu, ReportsTensorsOutsideTheirMemory) {
  void* address = allocate(16);
  const Tensor out = upload({8}, std::vector<float>(8, 0));
  const Handle beyond_allocation = describe({64}, address);
  EXPECT_EQ(call("aclnnAbs", beyond_allocation.get(), out.get()), ACLNN_ERR_PARAM_INVALID);
  EXPECT_TRUE(reported("outside-allocation"));
  const std::int64_t shape[] = {4};
  const std::int64_t stride[] = {2};
  const std::int64_t storage[] = {4};
  const Handle beyond_storage = {aclCreateTensor(shape, 1, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, storage, 1, address),
                                 aclDestroyTensor};
  EXPECT_EQ(call("aclnnAbs", beyond_storage.get(), out.get()), ACLNN_ERR_PARAM_INVALID);
  EXPECT_TRUE(reported("outside-storage"));
  float on_host[4] = {};
  const Handle host = describe({4}, on_host);
  EXPECT_EQ(call("aclnnAbs", host.get(), out.get()), ACLNN_ERR_PARAM_INVALID);
  EXPECT_TRUE(reported("host-memory"));
}

TEST_F(Npu, ReportsUseOfFreedMemory) {
  const Tensor a = upload({1}, {1});
  const Tensor out = upload({1}, {1});
  release(a.address);
  EXPECT_EQ(call("aclnnAbs", a.get(), out.get()), ACLNN_ERR_PARAM_INVALID);
  EXPECT_TRUE(reported("use-after-free"));
}

TEST_F(Npu, ReportsNullParametersAndExplainsThem) {
  const Tensor a = upload({1}, {1});
  EXPECT_EQ(call("aclnnAbs", a.get(), static_cast<aclTensor*>(nullptr)), ACLNN_ERR_PARAM_NULLPTR);
  EXPECT_TRUE(reported("null-parameter"));
  EXPECT_NE(message().find("'out'"), std::string::npos);
  EXPECT_EQ(message(), "") << "reading clears it";
}

TEST_F(Npu, ReportsExecutorsUsedTwiceNeverOrByAnotherOperator) {
  const Tensor a = upload({1}, {1});
  const Tensor out = upload({1}, {1});
  aclOpExecutor* executor = plan("aclnnAbs", a.get(), out.get());
  EXPECT_NE(launch("aclnnExp", executor), 0);
  EXPECT_TRUE(reported("executor-of-another-operator"));
  EXPECT_EQ(launch("aclnnAbs", executor), 0);
  EXPECT_NE(launch("aclnnAbs", executor), 0);
  EXPECT_TRUE(reported("use-after-destroy"));
  ASSERT_EQ(aclrtSynchronizeStream(stream_), 0);
  aclOpExecutor* unused = plan("aclnnAbs", a.get(), out.get());
  EXPECT_EQ(aclDestroyAclOpExecutor(unused), 0);
  EXPECT_NE(aclDestroyAclOpExecutor(unused), 0);
}

TEST_F(Npu, ARepeatableExecutorRunsAgainWithNewAddresses) {
  const Tensor a = upload({1}, {-1});
  const Tensor b = upload({1}, {-2});
  const Tensor out = upload({1}, {0});
  aclOpExecutor* executor = plan("aclnnAbs", a.get(), out.get());
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), 0);
  ASSERT_EQ(launch("aclnnAbs", executor), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), 0);
  ASSERT_EQ(aclSetInputTensorAddr(executor, 0, a.get(), b.address), 0);
  ASSERT_EQ(launch("aclnnAbs", executor), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), 0);
  EXPECT_EQ(download(out), std::vector<float>{2});
  ASSERT_EQ(aclDestroyAclOpExecutor(executor), 0);
  EXPECT_EQ(report(), "");
}

TEST_F(Npu, ReportsParametersDestroyedBetweenThePhases) {
  Tensor a = upload({1}, {1});
  const Tensor out = upload({1}, {1});
  aclOpExecutor* executor = plan("aclnnAbs", a.get(), out.get());
  a.handle.reset();
  EXPECT_TRUE(reported("destroyed-in-use"));
  EXPECT_NE(launch("aclnnAbs", executor), 0);
  EXPECT_TRUE(reported("parameter-destroyed"));
}

TEST_F(Npu, ReportsMembersOfAListDestroyedByHand) {
  Tensor a = upload({1}, {1});
  const aclTensor* members[] = {a.get()};
  aclTensorList* list = aclCreateTensorList(members, 1);
  a.handle.reset();
  EXPECT_TRUE(reported("destroyed-in-list"));
  EXPECT_EQ(aclDestroyTensorList(list), 0);
}

TEST_F(Npu, ReportsWorkspaceThatIsMissingSmallOrShared) {
  const Tensor a = upload({2, 2}, {1, 2, 3, 4});
  const Tensor out = upload({2, 2}, {0, 0, 0, 0});
  const std::int8_t precise = 0;
  aclOpExecutor* executor = plan("aclnnMm", a.get(), a.get(), out.get(), precise);
  ASSERT_GT(workspace_size, 0U);
  EXPECT_EQ(launch("aclnnMm", executor), ACLNN_ERR_PARAM_NULLPTR);
  EXPECT_TRUE(reported("workspace-null"));
  void* small = allocate(16);
  executor = plan("aclnnMm", a.get(), a.get(), out.get(), precise);
  EXPECT_NE(launch("aclnnMm", executor, small, 16), 0);
  EXPECT_TRUE(reported("workspace-too-small"));
  void* shared = allocate(workspace_size + 64);
  const Handle overlapping = describe({2, 2}, shared);
  executor = plan("aclnnMm", a.get(), a.get(), overlapping.get(), precise);
  EXPECT_NE(launch("aclnnMm", executor, shared, workspace_size), 0);
  EXPECT_TRUE(reported("workspace-overlaps"));
}

TEST_F(Npu, ReportsShapesAskedBeforeTheyAreKnown) {
  const Tensor a = upload({4}, {0, 1, 0, 2});
  void* address = allocate(4 * sizeof(std::int64_t));
  const Handle out = describe({4, 1}, address, ACL_INT64);
  ASSERT_EQ(launch("aclnnNonzero", plan("aclnnNonzero", a.get(), out.get())), 0);
  std::int64_t* dims = nullptr;
  std::uint64_t rank = 0;
  EXPECT_NE(aclGetViewShape(out.get(), &dims, &rank), 0);
  EXPECT_TRUE(reported("shape-before-synchronize"));
  ASSERT_EQ(aclrtSynchronizeStream(stream_), 0);
  ASSERT_EQ(aclGetViewShape(out.get(), &dims, &rank), 0);
  EXPECT_EQ(std::vector<std::int64_t>(dims, dims + rank), (std::vector<std::int64_t>{2, 1}));
  delete[] dims;
}

#ifdef __x86_64__
TEST_F(Npu, ReportsDirtyUpperBits) {
  const Tensor a = upload({2}, {1, 2});
  const Tensor out = upload({1}, {0});
  aclIntArray* dims = aclCreateIntArray(nullptr, 0);
  // A caller that widens by hand: the low byte says false, the register something else.
  const std::uint32_t dirty = 0xff00;
  const std::int32_t dtype = ACL_FLOAT;
  EXPECT_EQ(call("aclnnReduceSum", a.get(), dims, dirty, dtype, out.get()), ACLNN_ERR_PARAM_INVALID);
  EXPECT_TRUE(reported("dirty-bits"));
  EXPECT_EQ(aclDestroyIntArray(dims), 0);
}
#endif

TEST_F(Npu, ReportsLeaksAtFinalize) {
  void* address = nullptr;
  ASSERT_EQ(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  const std::int64_t value = 1;
  ASSERT_NE(aclCreateIntArray(&value, 1), nullptr);
  aclrtDestroyStream(stream_);
  stream_ = nullptr;
  ASSERT_EQ(aclFinalize(), 0);
  finalised_ = true;
  EXPECT_TRUE(reported("leak"));
  for (const char* what : {"device 0", "aclIntArray", "device memory"}) {
    EXPECT_NE(report().find(what), std::string::npos) << what;
  }
}

TEST_F(Npu, DeviceMemoryIsOutOfTheHostsReach) {
  const auto* address = static_cast<const volatile float*>(allocate(16));
  EXPECT_DEATH(static_cast<void>(*address), "");
}

}  // namespace
