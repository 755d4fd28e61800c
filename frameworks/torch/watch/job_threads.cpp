// Compiled with OpenMP: LibTorch's parallel loops are templates that are serial without it.
#include "job_threads.hpp"

#include <ATen/Parallel.h>

namespace assay::watch {

namespace {

void run_parts(std::uint64_t count, void (*body)(void*, std::uint64_t), void* context) {
  at::parallel_for(0, static_cast<std::int64_t>(count), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t part = first; part < last; ++part) body(context, static_cast<std::uint64_t>(part));
  });
}

}  // namespace

const assay_parallel* job_threads() {
  static const assay_parallel table = {sizeof(assay_parallel), 0, run_parts};
  return &table;
}

}  // namespace assay::watch
