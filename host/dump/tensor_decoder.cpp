#include "dump/dtype_text.hpp"
#include "dump/element_decoder.hpp"

namespace assay {

namespace {

constexpr std::size_t kMaxDims = 64;
/// Elements a shape may name: with 16 bytes each their size still fits 63 bits.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 58;

std::vector<std::int64_t> shape_of(const Json& json, const JsonPlace& place) {
  if (!json.IsArray()) fail(place, "expected a list, got " + kind_of(json));
  if (json.Size() > kMaxDims) fail(place, std::to_string(json.Size()) + " dimensions, at most " + std::to_string(kMaxDims));
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
  for (rapidjson::SizeType i = 0; i < json.Size(); ++i) {
    const std::int64_t size = integer_of(json[i], place.below(i));
    if (size < 0) fail(place.below(i), "a dimension of " + std::to_string(size) + ", expected 0 or more");
    if (size != 0 && elements > kMaxElements / size) fail(place, "names more elements than a memory can hold");
    elements *= size == 0 ? 1 : size;
    shape.push_back(size);
  }
  return shape;
}

Statistic statistic_of(const Json& json, const char* name) {
  const auto found = json.FindMember(name);
  if (found == json.MemberEnd()) return std::nullopt;
  if (found->value.IsBool()) return found->value.GetBool() ? 1.0 : 0.0;
  if (found->value.IsNumber()) return found->value.GetDouble();
  return std::nullopt;
}

/// The statistic if it was written as an integer or a boolean.
std::optional<std::int64_t> whole_statistic_of(const Json& json, const char* name) {
  const auto found = json.FindMember(name);
  if (found == json.MemberEnd()) return std::nullopt;
  if (found->value.IsBool()) return found->value.GetBool() ? 1 : 0;
  if (found->value.IsInt64()) return found->value.GetInt64();
  return std::nullopt;
}

std::string optional_text(const Json& json, const char* name, const JsonPlace& place) {
  const auto found = json.FindMember(name);
  if (found == json.MemberEnd() || found->value.IsNull()) return {};
  return text_of(found->value, place.below(name));
}

}  // namespace

TensorElement decode_tensor(const Json& json, std::string type, const JsonPlace& place) {
  TensorElement tensor;
  tensor.type = std::move(type);
  tensor.dtype_text = text_of(member_of(json, "dtype", place), place.below("dtype"));
  tensor.dtype = parse_dtype(tensor.dtype_text);
  tensor.shape = shape_of(member_of(json, "shape", place), place.below("shape"));
  tensor.max = statistic_of(json, "Max");
  tensor.min = statistic_of(json, "Min");
  tensor.mean = statistic_of(json, "Mean");
  tensor.norm = statistic_of(json, "Norm");
  tensor.max_finite = statistic_of(json, "Max_except_inf_nan");
  tensor.min_finite = statistic_of(json, "Min_except_inf_nan");
  const std::optional<std::int64_t> max_integer = whole_statistic_of(json, "Max");
  const std::optional<std::int64_t> min_integer = whole_statistic_of(json, "Min");
  tensor.bounds_are_integers = max_integer && min_integer;
  tensor.max_integer = max_integer.value_or(0);
  tensor.min_integer = min_integer.value_or(0);
  const auto grad = json.FindMember("requires_grad");
  if (grad != json.MemberEnd() && !grad->value.IsNull())
    tensor.requires_grad = boolean_of(grad->value, place.below("requires_grad"));
  tensor.data_name = optional_text(json, "datapath", place);
  if (tensor.data_name.empty()) tensor.data_name = optional_text(json, "data_name", place);
  tensor.md5 = optional_text(json, "md5", place);
  return tensor;
}

}  // namespace assay
