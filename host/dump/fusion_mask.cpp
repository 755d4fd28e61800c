#include "dump/fusion_mask.hpp"

#include <algorithm>
#include <string_view>

namespace assay {

namespace {

constexpr std::int64_t kSize = 2048;

}  // namespace

bool is_compressed_mask(const RecordedCall& call, const std::string& path) {
  if (path != "atten_mask" || std::string_view(call.api).substr(call.api.rfind('.') + 1) != "npu_fusion_attention") return false;
  if (!call.forward) return false;
  const auto& kwargs = call.forward->kwargs;
  const auto find = [&kwargs](std::string_view name) {
    const auto found = std::find_if(kwargs.begin(), kwargs.end(), [name](const auto& item) { return item.first == name; });
    return found == kwargs.end() ? nullptr : &found->second;
  };
  const Element* mask = find("atten_mask");
  const auto* tensor = mask == nullptr ? nullptr : mask->get_if<TensorElement>();
  const Element* sparse_mode = find("sparse_mode");
  const auto* value = sparse_mode == nullptr ? nullptr : sparse_mode->get_if<Value>();
  const auto* mode = value == nullptr ? nullptr : value->get_if<std::int64_t>();
  return tensor != nullptr && tensor->data_name.empty() && mode != nullptr && *mode >= 2 && *mode <= 4;
}

Tensor compressed_mask() {
  Tensor mask = Tensor::allocate(kBool, {kSize, kSize});
  auto* data = mask.data_as<std::uint8_t>();
  for (std::int64_t row = 0; row < kSize; ++row) {
    for (std::int64_t column = 0; column < kSize; ++column) *data++ = column > row ? 1 : 0;
  }
  return mask;
}

}  // namespace assay
