// plugins/comparisons/engine/vector_fetch-inl.hpp: asking for the next block's memory while the walks over this one compute.
// Included once for each instruction set.
#if defined(ASSAY_VECTOR_FETCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_VECTOR_FETCH_INL
#undef ASSAY_VECTOR_FETCH_INL
#else
#define ASSAY_VECTOR_FETCH_INL
#endif

#include <algorithm>

#include "float_kernel.hpp"

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
/// Where walk_relative does the work of walk_sums.
inline constexpr FetchShare kFetchInRelativeAndSums{1, 3};

/// To be called by each walk for every 64 elements.
HWY_INLINE void fetch_next(const FloatBlock& block, int element, FetchShare share) {
  if (block.next_actual == nullptr) return;
  constexpr std::size_t kLine = 64;
  const std::size_t begin = static_cast<std::size_t>(element) * block.element_size;
  const std::size_t end_line = std::min(share.first_line + share.line_count, block.element_size);
  for (std::size_t line = share.first_line; line < end_line; ++line) {
    __builtin_prefetch(block.next_actual + begin + line * kLine, 0, 2);
    __builtin_prefetch(block.next_expected + begin + line * kLine, 0, 2);
  }
}

}  // namespace assay::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
