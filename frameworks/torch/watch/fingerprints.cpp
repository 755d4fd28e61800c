#include "fingerprints.hpp"

#include <cstring>

#include "assay/sdk/random.hpp"
#include "tensors.hpp"

namespace assay::watch {

namespace {

/// Over the bytes from the first to the last element; four sums side by side keep the processor busy.
std::uint64_t sum_of(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return 0;
  std::size_t bytes = static_cast<std::size_t>(tensor.element_size());
  for (std::int64_t d = 0; d < tensor.dim(); ++d) {
    bytes += static_cast<std::size_t>((tensor.size(d) - 1) * tensor.stride(d)) * static_cast<std::size_t>(tensor.element_size());
  }
  const auto* data = static_cast<const char*>(tensor.data_ptr());
  std::uint64_t sums[4] = {1, 2, 3, 4};
  std::size_t at = 0;
  for (; at + sizeof sums <= bytes; at += sizeof sums) {
    std::uint64_t words[4];
    std::memcpy(words, data + at, sizeof words);
    for (int i = 0; i < 4; ++i) sums[i] = (sums[i] ^ words[i]) * 0x9e3779b97f4a7c15u;
  }
  for (; at < bytes; ++at) sums[0] = (sums[0] ^ static_cast<unsigned char>(data[at])) * 0x9e3779b97f4a7c15u;
  return mix64(sums[0]) ^ mix64(sums[1] + 1) ^ mix64(sums[2] + 2) ^ mix64(sums[3] + 3);
}

}  // namespace

Fingerprints::Fingerprints(c10::ArrayRef<c10::IValue> arguments, const std::vector<bool>& written) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (written[i]) continue;
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      if (refusal_of(tensor) == nullptr) entries_.push_back({i, tensor, sum_of(tensor)});
    });
  }
}

std::optional<std::size_t> Fingerprints::first_changed() const {
  for (const Entry& entry : entries_) {
    if (sum_of(entry.tensor) != entry.sum) return entry.argument;
  }
  return std::nullopt;
}

}  // namespace assay::watch
