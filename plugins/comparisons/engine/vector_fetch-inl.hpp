// plugins/comparisons/engine/vector_fetch-inl.hpp: asking for the next block's memory while the walks over this one compute.
// Included once for each instruction set.
#if defined(ASSAY_VECTOR_FETCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_VECTOR_FETCH_INL
#undef ASSAY_VECTOR_FETCH_INL
#else
#define ASSAY_VECTOR_FETCH_INL
#endif

#include "float_kernel.hpp"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace assay::engine::HWY_NAMESPACE {

/// Which lines of those that 64 elements take (4 of float32, 2 of 16 bits) a walk asks for: each line is some walk's.
struct FetchShare {
  std::size_t first_line;
  std::size_t line_count;
};
inline constexpr FetchShare kFetchInBits{0, 1};
inline constexpr FetchShare kFetchInRelative{1, 1};
inline constexpr FetchShare kFetchInSums{2, 2};

/// To be called by each walk for every 64 elements.
HWY_INLINE void fetch_next(const FloatBlock& block, int element, FetchShare share) {
  if (block.next_actual == nullptr || share.first_line >= block.element_size) return;
  constexpr std::size_t kLine = 64;
  const std::size_t begin = static_cast<std::size_t>(element) * block.element_size + share.first_line * kLine;
  for (std::size_t line = 0; line < share.line_count; ++line) {
    hwy::Prefetch(block.next_actual + begin + line * kLine);
    hwy::Prefetch(block.next_expected + begin + line * kLine);
  }
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
