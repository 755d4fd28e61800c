// What the adapter adds to a call of an operator: torch.add through the adapter, and the same calls of the vendor's functions in a
// bare loop, in turn, in one run.
//
//   build/release/bin/bench_npu build/release/lib/emulators/npu
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "acl/aclnn.h"
#include "assay/abi/adapter.h"
#include "assay/sdk/error.hpp"
#include "assay/sdk/tensor.hpp"

namespace {

constexpr int kRounds = 21;
constexpr int kCalls = 400;
constexpr std::int64_t kElements = 256;
constexpr std::size_t kBytes = kElements * sizeof(float);

void check(int code, const char* what) {
  if (code != 0) throw std::runtime_error(std::string(what) + " gives " + std::to_string(code));
}

template <class F>
F symbol(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string("no ") + name);
  return reinterpret_cast<F>(found);
}

void* open(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_LAZY);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

/// The calls that a program written for this one operator would make; device memory is allocated beforehand.
class BareLoop {
 public:
  explicit BareLoop(const std::string& home)
      : runtime_(open(home + "/lib64/libascendcl.so")),
        objects_(open(home + "/lib64/libnnopbase.so")),
        operators_(open(home + "/lib64/libopapi.so")) {
    const auto allocate = symbol<decltype(&aclrtMalloc)>(runtime_, "aclrtMalloc");
    check(symbol<decltype(&aclrtCreateStream)>(runtime_, "aclrtCreateStream")(&stream_), "aclrtCreateStream");
    for (void** memory : {&left_, &right_, &out_}) check(allocate(memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  }
  ~BareLoop() {
    for (void* memory : {left_, right_, out_}) symbol<decltype(&aclrtFree)>(runtime_, "aclrtFree")(memory);
    symbol<decltype(&aclrtDestroyStream)>(runtime_, "aclrtDestroyStream")(stream_);
  }
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  void run(const float* left, const float* right, float* out) {
    check(copy_(left_, kBytes, left, kBytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    check(copy_(right_, kBytes, right, kBytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    std::int64_t one = 1;
    aclTensor* const a = tensor(left_);
    aclTensor* const b = tensor(right_);
    aclTensor* const c = tensor(out_);
    aclScalar* const alpha = make_scalar_(&one, ACL_INT64);
    std::uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    check(plan_(a, b, alpha, c, &bytes, &executor), "aclnnAddGetWorkspaceSize");
    if (bytes != 0) throw std::runtime_error("aclnnAdd wants a workspace");
    check(launch_(nullptr, 0, executor, stream_), "aclnnAdd");
    for (aclTensor* one_of : {a, b, c}) destroy_tensor_(one_of);
    destroy_scalar_(alpha);
    check(wait_(stream_), "aclrtSynchronizeStream");
    check(copy_(out, kBytes, out_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
  }

 private:
  using Plan = aclnnStatus (*)(const aclTensor*, const aclTensor*, const aclScalar*, aclTensor*, std::uint64_t*, aclOpExecutor**);

  aclTensor* tensor(void* memory) {
    const std::int64_t stride = 1;
    return make_tensor_(&kElements, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &kElements, 1, memory);
  }

  void* runtime_;
  void* objects_;
  void* operators_;
  decltype(&aclrtMemcpy) copy_ = symbol<decltype(&aclrtMemcpy)>(runtime_, "aclrtMemcpy");
  decltype(&aclrtSynchronizeStream) wait_ = symbol<decltype(&aclrtSynchronizeStream)>(runtime_, "aclrtSynchronizeStream");
  decltype(&aclCreateTensor) make_tensor_ = symbol<decltype(&aclCreateTensor)>(objects_, "aclCreateTensor");
  decltype(&aclDestroyTensor) destroy_tensor_ = symbol<decltype(&aclDestroyTensor)>(objects_, "aclDestroyTensor");
  decltype(&aclCreateScalar) make_scalar_ = symbol<decltype(&aclCreateScalar)>(objects_, "aclCreateScalar");
  decltype(&aclDestroyScalar) destroy_scalar_ = symbol<decltype(&aclDestroyScalar)>(objects_, "aclDestroyScalar");
  Plan plan_ = symbol<Plan>(operators_, "aclnnAddGetWorkspaceSize");
  aclnnLaunch launch_ = symbol<aclnnLaunch>(operators_, "aclnnAdd");
  aclrtStream stream_ = nullptr;
  void* left_ = nullptr;
  void* right_ = nullptr;
  void* out_ = nullptr;
};

/// The adapter through its C interface, as the host calls it.
class Adapted {
 public:
  explicit Adapted(const std::string& home) {
    const auto entry = symbol<const assay_plugin* (*)(std::uint32_t)>(open(ASSAY_NPU_LIBRARY), "assay_plugin_entry");
    host_.struct_size = sizeof host_;
    host_.log = [](const assay_host*, std::int32_t, const char*, const char*) {};
    host_.get_extension = [](const assay_host*, const char*) -> const void* { return nullptr; };
    const std::string config = "{\"home\": \"" + home + "\", \"apis\": \"" ASSAY_NPU_TABLE "\"}";
    assay::ErrorSlot error;
    if (entry(ASSAY_ABI_MAJOR)->components[0]->create(&host_, config.c_str(), &instance_, error.get()) != ASSAY_OK)
      throw std::runtime_error(error.message());
    table_ = static_cast<const assay_adapter*>(instance_->get_extension(instance_, ASSAY_EXT_ADAPTER));
  }
  ~Adapted() { instance_->destroy(instance_); }
  Adapted(const Adapted&) = delete;
  Adapted& operator=(const Adapted&) = delete;

  void run(const assay::Tensor& left, const assay::Tensor& right) {
    assay_value args[2] = {};
    args[0].kind = args[1].kind = ASSAY_VALUE_TENSOR;
    args[0].as.tensor = &left.abi();
    args[1].as.tensor = &right.abi();
    assay_call call{};
    call.struct_size = sizeof call;
    call.api = "Torch.add";
    call.args = args;
    call.arg_count = 2;
    assay_results results{};
    results.struct_size = sizeof results;
    assay::ErrorSlot error;
    if (table_->invoke(instance_, &call, &results, error.get()) != ASSAY_OK) throw std::runtime_error(error.message());
    results.release(&results);
  }

 private:
  assay_host host_{};
  assay_instance* instance_ = nullptr;
  const assay_adapter* table_ = nullptr;
};

template <class F>
double microseconds_a_call(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) f();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / kCalls;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(const std::string& home) {
  Adapted adapted(home);
  BareLoop bare(home);  // after the adapter, which initialises the runtime and sets the device
  assay::Tensor left = assay::Tensor::allocate(assay::kFloat32, {kElements});
  assay::Tensor right = assay::Tensor::allocate(assay::kFloat32, {kElements});
  std::fill_n(left.data_as<float>(), kElements, 1.0F);
  std::fill_n(right.data_as<float>(), kElements, 2.0F);
  std::vector<float> out(kElements);
  std::vector<double> alone;
  std::vector<double> through;
  std::vector<double> added;
  for (int round = 0; round < kRounds; ++round) {
    alone.push_back(microseconds_a_call([&] { bare.run(left.data_as<float>(), right.data_as<float>(), out.data()); }));
    through.push_back(microseconds_a_call([&] { adapted.run(left, right); }));
    added.push_back(through.back() - alone.back());
  }
  if (out[0] != 3.0F) throw std::runtime_error("1 + 2 is not 3");
  std::printf("bare loop %.1f us, adapter %.1f us, it adds %.1f us a call (medians of %d rounds of %d calls, %d floats)\n",
              median(alone), median(through), median(added), kRounds, kCalls, static_cast<int>(kElements));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench_npu FOLDER (with lib64)\n");
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_npu: %s\n", e.what());
    return 1;
  }
}
