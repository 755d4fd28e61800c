#include "counting_allocator.hpp"

#include <c10/core/Allocator.h>
#include <malloc.h>
#include <stdlib.h>

#include <atomic>
#include <new>

namespace assay::bench {

namespace {

std::atomic<std::size_t> now{0};
std::atomic<std::size_t> peak{0};

void release(void* memory) {
  if (memory == nullptr) return;
  now -= ::malloc_usable_size(memory);
  ::free(memory);
}

class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t size) const override {
    void* memory = nullptr;
    if (size != 0 && ::posix_memalign(&memory, 64, size) != 0) throw std::bad_alloc();
    if (memory != nullptr) {
      const std::size_t taken = now += ::malloc_usable_size(memory);
      std::size_t most = peak;
      while (taken > most && !peak.compare_exchange_weak(most, taken)) {
      }
    }
    return {memory, memory, &release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
};

}  // namespace

void count_tensor_memory() {
  static CountingAllocator allocator;
  c10::SetAllocator(c10::kCPU, &allocator, 100);
}

std::size_t take_tensor_peak() { return peak.exchange(now); }

}  // namespace assay::bench
