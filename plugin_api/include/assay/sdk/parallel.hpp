// assay/sdk/parallel.hpp: splits a range over a few threads: the host's where it offers them, else some of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "assay/abi/parallel.h"

namespace assay {

namespace detail {

/// The host's threads; null: it has none to offer.
inline std::atomic<const assay_parallel*>& host_threads() {
  static std::atomic<const assay_parallel*> table{nullptr};
  return table;
}

/// Calls run(part) for all parts, on threads of our own beside the caller's.
template <class Run>
void run_on_own_threads(std::uint64_t parts, const Run& run) {
  std::vector<std::thread> helpers;
  helpers.reserve(parts);
  std::uint64_t started = 1;
  try {
    for (; started < parts; ++started) helpers.emplace_back(run, started);
  } catch (const std::system_error&) {
    // No more threads to be had: the caller does the rest.
  }
  run(0);
  for (std::uint64_t part = started; part < parts; ++part) run(part);
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace detail

/// Calls body(first, last) for parts of [0, count) that together cover it, on at most max_threads threads, the caller's included.
/// A part is a multiple of `grain` long (but for the last) and there are no more parts than threads. The first exception of a body
/// is thrown again after all of them have ended.
///
/// grain  at least 1; large enough that a thread (some 20 microseconds) is worth starting for it
template <class Body>
void parallel_ranges(std::uint64_t count, std::uint64_t grain, std::uint32_t max_threads, Body&& body) {
  const std::uint64_t grains = (count + grain - 1) / grain;
  const std::uint64_t threads = std::max<std::uint64_t>(1, std::min<std::uint64_t>(max_threads, grains));
  if (threads == 1) {
    body(std::uint64_t{0}, count);
    return;
  }
  std::vector<std::exception_ptr> failures(threads);
  const auto run = [&](std::uint64_t part) {
    try {
      // Split by whole grains; the first `grains % threads` parts get one more.
      const auto bound = [&](std::uint64_t k) {
        return std::min(count, (grains / threads * k + std::min(k, grains % threads)) * grain);
      };
      body(bound(part), bound(part + 1));
    } catch (...) {
      failures[part] = std::current_exception();
    }
  };
  if (const assay_parallel* host = detail::host_threads()) {
    using Run = decltype(run);
    host->run(
        threads, [](void* context, std::uint64_t part) { (*static_cast<const Run*>(context))(part); },
        const_cast<void*>(static_cast<const void*>(&run)));
  } else {
    detail::run_on_own_threads(threads, run);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace assay
