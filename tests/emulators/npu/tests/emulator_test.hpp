// A caller of the emulator for its own tests: what was reported, and operators called by name.
//
//   TEST_F(Npu, ...) { Tensor a = upload({2}, {1.0F, 2.0F}); ... ASSERT_EQ(call("aclnnAbs", a.get(), out.get()), 0); }
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "acl/aclnn.h"
#include "acl/error.h"
#include "core/config.hpp"
#include "core/process.hpp"

class Npu : public testing::Test {
 protected:
  using Handle = std::unique_ptr<aclTensor, decltype(&aclDestroyTensor)>;
  struct Tensor {
    Handle handle;
    void* address;
    std::size_t count;
    aclTensor* get() const { return handle.get(); }
  };

  void SetUp() override {
    report_ = testing::TempDir() + "npu_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
    std::remove(report_.c_str());
    ::setenv("ASSAY_NPU_EMULATOR_REPORT", report_.c_str(), 1);
    assay::emulator::config() = {};
    assay::emulator::process().broken = 0;
    assay::emulator::process().lost = false;
    ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    aclGetRecentErrMsg();
  }

  /// Leaves the runtime as a correct caller does. Tests that break it end with what they expect in the report.
  void TearDown() override {
    assay::emulator::process().broken = 0;
    assay::emulator::process().lost = false;
    for (void* address : memory_) {
      aclrtFree(address);
    }
    memory_.clear();
    if (stream_ != nullptr) {
      aclrtDestroyStream(stream_);
    }
    if (!finalised_) {
      aclrtResetDevice(0);
      aclFinalize();
    }
    std::remove(report_.c_str());
  }

  std::string report() const {
    std::ifstream file(report_);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  bool reported(const std::string& rule) const { return report().find("\"rule\":\"" + rule + "\"") != std::string::npos; }

  void* allocate(std::size_t size) {
    void* address = nullptr;
    EXPECT_EQ(aclrtMalloc(&address, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    memory_.push_back(address);
    return address;
  }
  void release(void* address) {
    std::erase(memory_, address);
    aclrtFree(address);
  }

  static Handle describe(const std::vector<std::int64_t>& shape, void* address, aclDataType dtype = ACL_FLOAT) {
    return {aclCreateTensor(shape.data(), shape.size(), dtype, nullptr, 0, ACL_FORMAT_ND, shape.data(), shape.size(), address),
            aclDestroyTensor};
  }
  Tensor upload(const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    void* address = allocate(values.size() * sizeof(float) + 1);
    EXPECT_EQ(aclrtMemcpy(address, values.size() * sizeof(float), values.data(), values.size() * sizeof(float),
                          ACL_MEMCPY_HOST_TO_DEVICE),
              0);
    return {describe(shape, address), address, values.size()};
  }
  std::vector<float> download(const Tensor& tensor) {
    std::vector<float> values(tensor.count);
    EXPECT_EQ(aclrtMemcpy(values.data(), values.size() * sizeof(float), tensor.address, values.size() * sizeof(float),
                          ACL_MEMCPY_DEVICE_TO_HOST),
              0);
    return values;
  }

  /// The executor of phase 1; `status` is what it answered.
  template <class... A>
  aclOpExecutor* plan(const std::string& name, A... arguments) {
    using Phase1 = aclnnStatus (*)(A..., std::uint64_t*, aclOpExecutor**);
    auto* function = reinterpret_cast<Phase1>(::dlsym(RTLD_DEFAULT, (name + "GetWorkspaceSize").c_str()));
    EXPECT_NE(function, nullptr) << name;
    aclOpExecutor* executor = nullptr;
    status = function == nullptr ? -1 : function(arguments..., &workspace_size, &executor);
    return status == 0 ? executor : nullptr;
  }
  aclnnStatus launch(const std::string& name, aclOpExecutor* executor, void* workspace = nullptr, std::uint64_t size = 0) {
    auto* function = reinterpret_cast<aclnnLaunch>(::dlsym(RTLD_DEFAULT, name.c_str()));
    return function(workspace, size, executor, stream_);
  }
  /// Both phases and a synchronise.
  template <class... A>
  aclnnStatus call(const std::string& name, A... arguments) {
    aclOpExecutor* executor = plan(name, arguments...);
    if (status != 0) {
      return status;
    }
    void* workspace = workspace_size > 0 ? allocate(workspace_size) : nullptr;
    const aclnnStatus launched = launch(name, executor, workspace, workspace_size);
    const aclError waited = aclrtSynchronizeStream(stream_);
    if (workspace != nullptr) {
      release(workspace);
    }
    return launched != 0 ? launched : waited;
  }
  /// Whether the last message for this thread says so.
  static std::string message() {
    const char* text = aclGetRecentErrMsg();
    return text == nullptr ? "" : text;
  }

  static void fault(const std::string& json) {
    assay::emulator::config().faults = assay::emulator::parse_config("{\"faults\":[" + json + "]}").faults;
  }

  aclrtStream stream_ = nullptr;
  bool finalised_ = false;
  aclnnStatus status = 0;
  std::uint64_t workspace_size = 0;

 private:
  std::string report_;
  std::vector<void*> memory_;
};
