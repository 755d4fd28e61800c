// An adapter whose operators do, by name, everything that a broken framework can do: the tests of workers run on it. Beside them
// it has sound ones that cost next to nothing ("identity", "double"), take a time ("busy_20": 20 ms) or do some work ("work_20": 20
// million multiplications). Configured as sound it does none of the faults; it runs whatever version it is told to.
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "assay/sdk/adapter.hpp"

namespace assay {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Ways to end the process. What they use is volatile, so that no compiler sees through them.

void segv() {
  int* volatile nowhere = nullptr;
  *nowhere = 1;
}

void fpe() {
  const volatile int zero = 0;
  volatile int result = 1;
  result = result / zero;
}

void double_free() {
  char* volatile memory = static_cast<char*>(std::malloc(100));
  std::free(memory);
  std::free(memory);
}

int overflow(int depth) {
  if (depth < 0) return 0;
  // So large that it is this function's store that hits the end of the stack, and never a call's: one backtrace every time.
  volatile char frame[1 << 19];
  frame[0] = static_cast<char>(depth);
  return overflow(depth + 1) + frame[0];
}

// Ways not to come back.

void hang() {
  std::signal(SIGTERM, SIG_IGN);
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

void spin() {
  volatile std::uint64_t count = 0;
  while (true) count = count + 1;
}

// Ways to disturb the others.

void leak() {
  for (std::size_t mib = 0; mib < 10240; mib += 16) {
    char* memory = new char[16 * kMiB];
    std::memset(memory, 1, 16 * kMiB);
  }
}

void print(std::size_t bytes) {
  const std::string line = std::string(79, 'x') + "\n";
  for (std::size_t i = 0; i < bytes; i += line.size()) std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

void write_garbage() {
  const std::string garbage(100, '\xff');
  if (::write(4, garbage.data(), garbage.size()) < 0) std::abort();
}

void close_pipes() {
  ::close(3);
  ::close(4);
}

void leave_a_child() {
  if (::fork() == 0) {
    ::execlp("sleep", "sleep", "1000", static_cast<char*>(nullptr));
    ::_exit(1);
  }
}

/// A copy of the first half of a tensor that claims to be the whole, with unreadable memory right behind it.
Tensor half(const TensorView& input) {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::mprotect(static_cast<char*>(memory) + page, page, PROT_NONE);
  const std::size_t half = static_cast<std::size_t>(input.numel()) * sizeof(float) / 2;
  char* start = static_cast<char*>(memory) + page - half;
  return Tensor::wrap(start, kFloat32, input.shape(), {}, std::shared_ptr<void>(memory, [page](void* p) { ::munmap(p, 2 * page); }),
                      false);
}

class HostileAdapter final : public Adapter {
 public:
  explicit HostileAdapter(const Context& context)
      : info_{"Hostile", context.config.get<std::string>("version", "1.0"), "faults by name", {{ASSAY_DEVICE_CPU, 0}}},
        sound_(context.config.get<bool>("sound", false)) {}

  const AdapterInfo& describe() override { return info_; }
  void require_support(const std::string&, std::int32_t) override {}

  Results invoke(const assay_call& call) override {
    if (call.arg_count < 1 || call.args[0].kind != ASSAY_VALUE_TENSOR) throw Error(ASSAY_INVALID_ARGUMENT, "expected a tensor");
    const TensorView input(*call.args[0].as.tensor);
    const std::string name = std::string(call.api).substr(std::string(call.api).rfind('.') + 1);
    if (device_lost_) throw Error(ASSAY_INTERNAL, "the device is lost");
    if (!sound_) misbehave(name);
    Results results;
    if (name == "environment") results.notes.push_back(environment());
    if (name == "half" && !sound_) {
      results.outputs.emplace_back(half(input));
    } else if (name == "other_shape" && !sound_) {
      results.outputs.emplace_back(Tensor::allocate(input.dtype(), {input.numel() + 1}));
    } else {
      results.outputs.emplace_back(scaled(input, name == "double" ? 2 : 1));
    }
    return results;
  }

  /// Hides the base class's: what can't be done through the C++ layer is done to its results.
  static const void* extension(const char* id) {
    const auto* base = static_cast<const assay_adapter*>(Adapter::extension(id));
    if (base == nullptr) return nullptr;
    static assay_adapter table;
    table = *base;
    table.invoke = [](assay_instance* self, const assay_call* call, assay_results* out, assay_error* err) {
      const std::string api = call->api;
      const bool faulty = !static_cast<HostileAdapter*>(static_cast<Adapter*>(self->impl))->sound_;
      if (faulty && api.ends_with(".throw")) throw std::runtime_error("thrown across the boundary");
      if (faulty && api.ends_with(".throw_number")) throw 42;
      const auto* sound = static_cast<const assay_adapter*>(Adapter::extension(ASSAY_EXT_ADAPTER));
      const assay_status status = sound->invoke(self, call, out, err);
      if (faulty && status == ASSAY_OK) lie(api.substr(api.rfind('.') + 1), *out);
      return status;
    };
    return &table;
  }

 private:
  void misbehave(const std::string& name) {
    static const std::map<std::string, std::function<void()>> kFaults = {
        {"segv", segv},
        {"fpe", fpe},
        {"abort", [] { std::abort(); }},
        {"ill", [] { __builtin_trap(); }},
        {"double_free", double_free},
        {"overflow", [] { overflow(0); }},
        {"exit_3", [] { std::exit(3); }},
        {"leave", [] { ::_exit(0); }},
        {"hang", hang},
        {"spin", spin},
        {"stop", [] { ::raise(SIGSTOP); }},
        {"leak", leak},
        {"print_1_mib", [] { print(kMiB); }},
        {"flood", [] { print(24 * kMiB); }},
        {"write_garbage", write_garbage},
        {"close_pipes", close_pipes},
        {"leave_a_child", leave_a_child},
        {"refuse", [] { throw Error(ASSAY_INVALID_ARGUMENT, "don't like it"); }},
    };
    if (const auto fault = kFaults.find(name); fault != kFaults.end()) fault->second();
    if (name == "lose_device") {
      device_lost_ = true;
      throw Error(ASSAY_INTERNAL, "the device is lost");
    }
    if (name.rfind("work_", 0) == 0) {
      volatile double work = 1;
      for (long i = std::stol(name.substr(5)) * 1000000; i > 0; --i) work = work * 1.0000001;
    }
    if (name.rfind("busy_", 0) == 0) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(std::stol(name.substr(5)));
      volatile double work = 1;
      while (std::chrono::steady_clock::now() < until) {
        for (int i = 0; i < 1000; ++i) work = work * 1.0000001;
      }
    }
  }

  static void lie(const std::string& name, assay_results& results) {
    auto* tensor = const_cast<assay_tensor*>(results.output_count == 1 ? results.outputs[0].as.tensor : nullptr);
    if (tensor == nullptr || tensor->dl.ndim < 1) return;
    if (name == "negative_shape") tensor->dl.shape[0] = -1;
    if (name == "endless_shape") tensor->dl.shape[0] = std::int64_t{1} << 62;
    if (name == "no_data") tensor->dl.data = nullptr;
    if (name == "no_such_dtype") tensor->dl.dtype = {99, 7, 3};
    if (name == "many_outputs") results.output_count = std::uint64_t{1} << 60;
    if (name == "no_outputs") results.outputs = nullptr;
    if (name == "many_dimensions") tensor->dl.ndim = 1 << 30;
  }

  static std::string environment() {
    std::string text;
    for (const char* name : {"OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"}) {
      const char* value = std::getenv(name);
      text += (text.empty() ? "" : " ") + std::string(name) + "=" + (value != nullptr ? value : "");
    }
    return text;
  }

  static Tensor scaled(const TensorView& input, double factor) {
    Tensor output = Tensor::allocate(kFloat32, input.shape());
    input.for_each_offset([&](std::int64_t index, std::int64_t offset) {
      output.data_as<float>()[index] = static_cast<float>(factor * input.number_at(offset));
    });
    return output;
  }

  AdapterInfo info_;
  bool sound_;
  bool device_lost_ = false;
};

}  // namespace
}  // namespace assay

ASSAY_EXPORT_PLUGIN("example.hostile", "0.1.0",
                    ASSAY_COMPONENT(assay::HostileAdapter, "example.hostile", "0.1.0", "every fault of a framework, by name",
                                    R"({"type": "object", "additionalProperties": false,
                                        "properties": {"version": {"type": "string"}, "sound": {"type": "boolean"}}})"))
