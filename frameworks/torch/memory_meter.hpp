// How much memory LibTorch's allocators hold for what runs while a meter is in place.
//
//   MemoryMeter meter;
//   { const MemoryMeter::Scope scope(meter); run_something(); }
//   meter.peak_bytes();
#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

namespace assay::torch_adapter {

class MemoryMeter {
 public:
  /// Counts what this thread, and the threads that LibTorch works with for it, allocate and free.
  class Scope {
   public:
    explicit Scope(const MemoryMeter& meter) : guard_(c10::DebugInfoKind::PROFILER_STATE, meter.counter_) {}

   private:
    c10::DebugInfoGuard guard_;
  };

  /// Allocated in scopes since the last reset and not freed in them. Results are freed after their scope, so what counts is the
  /// growth within one.
  [[nodiscard]] std::uint64_t current_bytes() const { return positive(counter_->current.load()); }
  [[nodiscard]] std::uint64_t peak_bytes() const { return positive(counter_->peak.load()); }
  void reset_peak() {
    counter_->current.store(0);
    counter_->peak.store(0);
  }

 private:
  // LibTorch 1.13 and later versions differ in the type of two arguments.
  template <class Function>
  struct TotalOf;
  template <class Class, class Total>
  struct TotalOf<void (Class::*)(void*, std::int64_t, Total, Total, c10::Device)> {
    using Type = Total;
  };
  using Total = typename TotalOf<decltype(&c10::MemoryReportingInfoBase::reportMemoryUsage)>::Type;

  struct Counter final : c10::MemoryReportingInfoBase {
    void reportMemoryUsage(void*, std::int64_t size, Total, Total, c10::Device) override {
      const std::int64_t now = current.fetch_add(size) + size;
      std::int64_t known = peak.load();
      while (now > known && !peak.compare_exchange_weak(known, now)) {
      }
    }
    [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }

    std::atomic<std::int64_t> current{0};
    std::atomic<std::int64_t> peak{0};
  };

  static std::uint64_t positive(std::int64_t bytes) { return static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)); }

  std::shared_ptr<Counter> counter_ = std::make_shared<Counter>();
};

}  // namespace assay::torch_adapter
