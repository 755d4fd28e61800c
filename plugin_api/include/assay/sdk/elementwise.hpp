// assay/sdk/elementwise.hpp: runs a kernel over all elements of a tensor, whatever its strides and alignment, on several threads.
//
//   changed = assay::transform(input, output, max_threads, [&](const assay::Block& block) -> std::uint64_t { ... });
//
// A kernel sees compact, aligned blocks of at most kBlockSize components (a complex element has two). A component's result may
// depend on its value and its index only: then results don't depend on the number of threads.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "assay/sdk/float_format.hpp"
#include "assay/sdk/parallel.hpp"
#include "assay/sdk/tensor.hpp"

namespace assay {

/// Components in a block; blocks start at multiples of it.
inline constexpr std::size_t kBlockSize = 2048;

struct Block {
  const void* input;    ///< compact, aligned to the component
  void* output;         ///< compact, aligned to the component, not overlapping the input; null where nothing is written
  std::uint64_t first;  ///< row-major index of the first component
  std::size_t count;
};

namespace detail {

inline constexpr std::size_t kLargestBlockBytes = kBlockSize * 8;
/// Results larger than this don't fit the caches anyway: written past them.
inline constexpr std::uint64_t kStreamBytes = std::uint64_t{8} << 20;
inline constexpr std::uint64_t kBytesPerThread = std::uint64_t{1} << 20;

inline bool is_aligned(const void* p, std::size_t alignment) { return reinterpret_cast<std::uintptr_t>(p) % alignment == 0; }

/// Asks for the start of the block that comes next, so that memory has something to do while this one is worked on; from there on
/// the processor sees the pattern.
inline void prefetch(const char* next) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kAhead = kBlockSize;
  for (std::size_t i = 0; i < kAhead; i += kLine) __builtin_prefetch(next + i);
}

/// Writes past the caches where the machine can; both sides aligned to 16 bytes.
inline void stream_out(void* to, const void* from, std::size_t bytes) {
#if defined(__SSE2__)
  const std::size_t vectors = bytes / 16;
  for (std::size_t i = 0; i < vectors; ++i) {
    _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_load_si128(static_cast<const __m128i*>(from) + i));
  }
  const std::size_t done = vectors * 16;
  std::memcpy(static_cast<char*>(to) + done, static_cast<const char*>(from) + done, bytes - done);
#else
  std::memcpy(to, from, bytes);
#endif
}

inline void stream_end() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Calls f(address, stride in bytes, run) for the elements [first, first + count) of a tensor in runs along its last dimension.
template <class F>
void for_each_run(const assay_tensor& tensor, std::uint64_t first, std::uint64_t count, F&& f) {
  const assay_dltensor& dl = tensor.dl;
  const auto size = static_cast<std::int64_t>(dtype_size(dl.dtype));
  char* const base = static_cast<char*>(dl.data) + dl.byte_offset;
  const TensorView view(tensor);
  if (view.is_contiguous()) {
    f(base + static_cast<std::int64_t>(first) * size, size, count);
    return;
  }
  const auto dims = static_cast<std::size_t>(dl.ndim);
  std::vector<std::int64_t> position(dims);
  auto rest = static_cast<std::int64_t>(first);
  std::int64_t offset = 0;
  for (std::size_t d = dims; d-- > 0;) {
    position[d] = rest % dl.shape[d];
    rest /= dl.shape[d];
    offset += position[d] * dl.strides[d];
  }
  const std::size_t last = dims - 1;
  while (count > 0) {
    const auto run = std::min(count, static_cast<std::uint64_t>(dl.shape[last] - position[last]));
    f(base + offset * size, dl.strides[last] * size, run);
    count -= run;
    offset += dl.strides[last] * static_cast<std::int64_t>(run);
    position[last] += static_cast<std::int64_t>(run);
    for (std::size_t d = last; d > 0 && position[d] == dl.shape[d]; --d) {
      offset += dl.strides[d - 1] - dl.strides[d] * dl.shape[d];
      position[d] = 0;
      ++position[d - 1];
    }
  }
}

template <std::size_t kSize>
void copy_elements(char* to, std::int64_t to_stride, const char* from, std::int64_t from_stride, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i, to += to_stride, from += from_stride) std::memcpy(to, from, kSize);
}

inline void copy_strided(char* to, std::int64_t to_stride, const char* from, std::int64_t from_stride, std::uint64_t count,
                         std::size_t size) {
  if (to_stride == static_cast<std::int64_t>(size) && from_stride == to_stride) {
    std::memcpy(to, from, count * size);
    return;
  }
  switch (size) {
    case 1: return copy_elements<1>(to, to_stride, from, from_stride, count);
    case 2: return copy_elements<2>(to, to_stride, from, from_stride, count);
    case 4: return copy_elements<4>(to, to_stride, from, from_stride, count);
    case 8: return copy_elements<8>(to, to_stride, from, from_stride, count);
    default: return copy_elements<16>(to, to_stride, from, from_stride, count);
  }
}

inline void gather(const assay_tensor& tensor, std::uint64_t first, std::uint64_t count, char* out) {
  const std::size_t size = dtype_size(tensor.dl.dtype);
  for_each_run(tensor, first, count, [&](const char* from, std::int64_t stride, std::uint64_t run) {
    copy_strided(out, static_cast<std::int64_t>(size), from, stride, run, size);
    out += run * size;
  });
}

inline void scatter(const char* in, std::uint64_t first, std::uint64_t count, const assay_tensor& tensor) {
  const std::size_t size = dtype_size(tensor.dl.dtype);
  for_each_run(tensor, first, count, [&](char* to, std::int64_t stride, std::uint64_t run) {
    copy_strided(to, stride, in, static_cast<std::int64_t>(size), run, size);
    in += run * size;
  });
}

/// Elements [first, last) of the input through the kernel, block by block; `combine` folds the kernel's results.
template <class Kernel, class Combine>
std::uint64_t run_range(const assay_tensor& input, assay_tensor* output, std::uint64_t first, std::uint64_t last, bool stream,
                        Kernel& kernel, Combine& combine) {
  alignas(64) char in_buffer[kLargestBlockBytes];
  alignas(64) char out_buffer[kLargestBlockBytes];
  const auto components = static_cast<std::uint64_t>(components_of(input.dl.dtype));
  const std::size_t in_size = dtype_size(input.dl.dtype);
  const TensorView in(input);
  const bool direct_in = in.is_contiguous() && is_aligned(in.data(), in_size / components);
  std::size_t out_size = 0;
  char* out_base = nullptr;
  bool compact_out = false;
  if (output != nullptr) {
    out_size = dtype_size(output->dl.dtype);
    out_base = static_cast<char*>(output->dl.data) + output->dl.byte_offset;
    compact_out = TensorView(*output).is_contiguous() && is_aligned(out_base, out_size / components);
  }
  // Bytes take so much work each that ordinary writes, which go on meanwhile, are faster.
  stream = stream && compact_out && out_size > 1 && is_aligned(out_base, 16);
  std::uint64_t result = 0;
  const std::uint64_t step = kBlockSize / components;
  for (; first < last; first += step) {
    const std::uint64_t count = std::min(step, last - first);
    Block block{in_buffer, nullptr, first * components, static_cast<std::size_t>(count * components)};
    if (direct_in) {
      block.input = static_cast<const char*>(in.data()) + first * in_size;
      if (last - first > count) prefetch(static_cast<const char*>(block.input) + count * in_size);
    } else {
      gather(input, first, count, in_buffer);
    }
    if (output != nullptr) block.output = compact_out && !stream ? out_base + first * out_size : out_buffer;
    result = combine(result, kernel(static_cast<const Block&>(block)));
    if (stream) {
      stream_out(out_base + first * out_size, out_buffer, count * out_size);
    } else if (output != nullptr && !compact_out) {
      scatter(out_buffer, first, count, *output);
    }
  }
  if (stream) stream_end();
  return result;
}

template <class Kernel, class Combine>
std::uint64_t run_blocks(const assay_tensor& input, assay_tensor* output, std::uint32_t max_threads, Kernel& kernel,
                         Combine combine) {
  const auto count = static_cast<std::uint64_t>(TensorView(input).numel());
  if (count == 0) return 0;
  const std::uint64_t out_bytes = output == nullptr ? 0 : count * dtype_size(output->dl.dtype);
  // Ranges begin at multiples of a block, so that blocks are the same for any number of threads.
  const std::uint64_t step = kBlockSize / static_cast<std::uint64_t>(components_of(input.dl.dtype));
  const std::uint64_t bytes = std::max(out_bytes, count * dtype_size(input.dl.dtype));
  const std::uint64_t grain = std::max<std::uint64_t>(1, kBytesPerThread * count / bytes / step) * step;
  std::vector<std::uint64_t> results((count + grain - 1) / grain, 0);
  parallel_ranges(count, grain, max_threads, [&](std::uint64_t first, std::uint64_t last) {
    results[first / grain] = run_range(input, output, first, last, out_bytes >= kStreamBytes, kernel, combine);
  });
  std::uint64_t total = 0;
  for (const std::uint64_t result : results) total = combine(total, result);
  return total;
}

}  // namespace detail

/// Runs kernel(block) over all blocks and returns the sum of its results (the number of changed elements). The kernel is called
/// from several threads at once. The shapes are the same; see require_output.
template <class Kernel>
std::uint64_t transform(const TensorView& input, assay_tensor& output, std::uint32_t max_threads, Kernel&& kernel) {
  return detail::run_blocks(input.abi(), &output, max_threads, kernel, [](std::uint64_t l, std::uint64_t r) { return l + r; });
}

/// The largest result of kernel(block) over all blocks; nothing is written.
template <class Kernel>
std::uint64_t largest(const TensorView& input, std::uint32_t max_threads, Kernel&& kernel) {
  return detail::run_blocks(input.abi(), nullptr, max_threads, kernel,
                            [](std::uint64_t l, std::uint64_t r) { return std::max(l, r); });
}

/// How many of the masks mask(0), ..., mask(count - 1), each of no bits or all, are set. Counted in lanes of T's width, so that
/// loops over T vectorise; mask(i) may write what belongs to i.
template <class T, class Mask>
ASSAY_ALWAYS_INLINE std::uint64_t count_masks(std::size_t count, Mask&& mask) {
  // What a group counts fits a lane.
  constexpr std::size_t kGroup = sizeof(T) == 1 ? 128 : kBlockSize;
  std::uint64_t total = 0;
  for (std::size_t first = 0; first < count; first += kGroup) {
    const std::size_t last = std::min(count, first + kGroup);
    T sum = 0;
    for (std::size_t i = first; i < last; ++i) sum = static_cast<T>(sum - mask(i));
    total += sum;
  }
  return total;
}

/// How many elements of a block differ in value; `components` in a row are one element.
template <class Format>
ASSAY_ALWAYS_INLINE std::uint64_t count_changed(const void* before, const void* after, std::size_t count, int components) {
  using T = typename Format::Storage;
  const T* const l = static_cast<const T*>(before);
  const T* const r = static_cast<const T*>(after);
  if (components == 1) return count_masks<T>(count, [&](std::size_t i) { return Format::differ_mask(l[i], r[i]); });
  return count_masks<T>(count / 2, [&](std::size_t i) {
    return static_cast<T>(Format::differ_mask(l[2 * i], r[2 * i]) | Format::differ_mask(l[2 * i + 1], r[2 * i + 1]));
  });
}

/// Copies a tensor of any dtype into another of the same dtype and shape, each with its own strides.
inline void copy_tensor(const TensorView& input, assay_tensor& output, std::uint32_t max_threads) {
  const std::size_t size = dtype_size(input.dtype());
  const auto components = static_cast<std::size_t>(components_of(input.dtype()));
  if (input.is_contiguous() && TensorView(output).is_contiguous()) {
    const auto bytes = static_cast<std::uint64_t>(input.numel()) * size;
    char* const to = static_cast<char*>(output.dl.data) + output.dl.byte_offset;
    parallel_ranges(bytes, detail::kBytesPerThread, max_threads, [&](std::uint64_t first, std::uint64_t last) {
      if (last > first) std::memcpy(to + first, static_cast<const char*>(input.data()) + first, last - first);
    });
    return;
  }
  transform(input, output, max_threads, [&](const Block& block) -> std::uint64_t {
    std::memcpy(block.output, block.input, block.count * size / components);
    return 0;
  });
}

/// Throws Error(ASSAY_INVALID_ARGUMENT) if the output isn't what was planned: CPU memory that may be written, of this dtype and the
/// input's shape, no two elements at the same place.
inline void require_output(const TensorView& input, const assay_tensor& output, assay_dtype dtype) {
  const TensorView out(output);
  if (!out.on_cpu() || !input.on_cpu()) throw Error(ASSAY_INVALID_ARGUMENT, "tensor memory is not the CPU's");
  if (out.dtype() != dtype) {
    throw Error(ASSAY_INVALID_ARGUMENT,
                "output has dtype " + std::string(dtype_name(out.dtype())) + ", planned was " + std::string(dtype_name(dtype)));
  }
  if ((output.flags & ASSAY_TENSOR_READ_ONLY) != 0) throw Error(ASSAY_INVALID_ARGUMENT, "output is read-only");
  if (out.shape() != input.shape()) throw Error(ASSAY_INVALID_ARGUMENT, "output has another shape than the input");
  if (output.dl.strides == nullptr || out.numel() == 0) return;
  for (int d = 0; d < out.ndim(); ++d) {
    if (out.size(d) > 1 && output.dl.strides[d] == 0) throw Error(ASSAY_INVALID_ARGUMENT, "output has a stride of 0");
  }
}

}  // namespace assay
