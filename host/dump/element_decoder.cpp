#include "dump/element_decoder.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "dump/dtype_text.hpp"

namespace assay {

namespace {

/// More elements in one entry are a fault of the file: each costs a few hundred bytes here.
constexpr std::size_t kMaxElements = 1'000'000;

constexpr std::array<std::string_view, 6> kTensorTypes{"torch.Tensor",
                                                       "torch.nn.parameter.Parameter",
                                                       "mindspore.Tensor",
                                                       "mindspore.Parameter",
                                                       "mindspore.common.parameter.Parameter",
                                                       "torch.distributed._functional_collectives.AsyncCollectiveTensor"};

constexpr std::array<std::string_view, 4> kMemoryFormats{"contiguous_format", "channels_last", "channels_last_3d",
                                                         "preserve_format"};

template <class Range>
bool contains(const Range& range, std::string_view text) {
  return std::find(range.begin(), range.end(), text) != range.end();
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

Element opaque(std::string reason) { return {OpaqueElement{std::move(reason)}}; }

Element integer_value(const Json& json, const JsonPlace& place) {
  if (json.IsUint64() && !json.IsInt64()) return opaque("an integer beyond 64 signed bits");
  if (json.IsDouble()) return opaque("an integer beyond 64 bits or not whole");
  return {Value(integer_of(json, place))};
}

Element float_value(const Json& json, const JsonPlace& place) {
  if (!json.IsNumber()) fail(place, "expected a number, got " + kind_of(json));
  return {Value(json.GetDouble())};
}

Element slice_value(const Json& json, const JsonPlace& place) {
  if (!json.IsArray() || json.Size() != 3) fail(place, "expected [start, stop, step], got " + kind_of(json));
  assay_slice slice{};
  std::int64_t* const bounds[] = {&slice.start, &slice.stop, &slice.step};
  for (rapidjson::SizeType i = 0; i < 3; ++i) {
    if (json[i].IsNull()) continue;
    *bounds[i] = integer_of(json[i], place.below(i));
    slice.present |= 1u << i;
  }
  return {Value(slice)};
}

Element size_value(const Json& json, const JsonPlace& place) {
  if (!json.IsArray()) fail(place, "expected a list, got " + kind_of(json));
  Tuple sizes;
  for (rapidjson::SizeType i = 0; i < json.Size(); ++i) sizes.items.emplace_back(integer_of(json[i], place.below(i)));
  return {Value(std::move(sizes))};
}

Element dtype_value(const Json& json, const JsonPlace& place) {
  if (json.IsNull()) return {Value()};
  const std::string text = text_of(json, place);
  if (text == "None") return {Value()};
  if (const std::optional<assay_dtype> dtype = parse_dtype(text)) return {Value(*dtype)};
  return opaque("dtype '" + escape_control(text) + "' is not supported");
}

Element device_value(const Json& json, const JsonPlace& place) {
  if (json.IsNull()) return {Value()};
  if (json.IsInt()) {
    if (json.GetInt() < 0) fail(place, "a device of index " + std::to_string(json.GetInt()));
    return {Value(assay_device{ASSAY_DEVICE_EXTENSION, json.GetInt()})};
  }
  const std::string text = text_of(json, place);
  if (text == "None") return {Value()};
  if (const std::optional<assay_device> device = parse_device(text)) return {Value(*device)};
  return opaque("device '" + escape_control(text) + "' is not supported");
}

Element memory_format_value(const Json& json, const JsonPlace& place) {
  std::string name = text_of(member_of(json, "format", place), place.below("format"));
  if (starts_with(name, "torch.")) name.erase(0, std::string_view("torch.").size());
  if (!contains(kMemoryFormats, name)) return opaque("memory format '" + escape_control(name) + "' is not supported");
  return {Value(MemoryFormat{std::move(name)})};
}

/// NumPy scalars by their bare or prefixed type name; nothing for other types.
std::optional<Element> numpy_scalar(const Json& json, std::string_view type, const JsonPlace& place) {
  if (starts_with(type, "numpy.")) type.remove_prefix(std::string_view("numpy.").size());
  const JsonPlace at = place.below("value");
  if (type == "str_" || type == "unicode_") return Element{Value(text_of(member_of(json, "value", place), at))};
  if (type == "longlong" || type == "ulonglong" || type == "intc" || type == "uintc") type = "int64";
  const std::optional<assay_dtype> dtype = parse_dtype(type);
  if (!dtype) return std::nullopt;
  if (is_complex(*dtype)) return opaque("a complex NumPy scalar, which the format does not keep");
  const Json& value = member_of(json, "value", place);
  if (*dtype == kBool) return Element{Value(boolean_of(value, at))};
  return is_integer(*dtype) ? integer_value(value, at) : float_value(value, at);
}

/// Types that are known and have no value to hand on; nothing for other types.
std::optional<std::string> known_opaque(const Json& json, std::string_view type) {
  if (ends_with(type, ".ProcessGroup")) return "a process group";
  if (ends_with(type, ".ReduceOp")) return "a reduction of a collective";
  if (ends_with(type, ".P2POp") || json.HasMember("class_type")) return "a point-to-point operation";
  if (ends_with(type, "Tensor")) return "a tensor of type '" + escape_control(type) + "', which can't be rebuilt from the dump";
  return std::nullopt;
}

}  // namespace

void require_plain_names(const Json& object, const JsonPlace& place) {
  std::vector<std::string_view> names;
  for (const auto& member : object.GetObject()) names.emplace_back(member.name.GetString(), member.name.GetStringLength());
  for (const std::string_view name : names) {
    if (name.find('\0') != std::string_view::npos) fail(place, "'" + escape_control(name) + "' holds a zero byte");
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) fail(place, "'" + escape_control(*twice) + "' occurs twice");
}

Element ElementDecoder::decode(const Json& json, const JsonPlace& place) {
  if (++count_ > kMaxElements) fail(place, "more than " + std::to_string(kMaxElements) + " elements in one entry");
  if (json.IsNull()) return {Value()};
  if (json.IsArray()) {
    ElementList list;
    list.items.reserve(json.Size());
    for (rapidjson::SizeType i = 0; i < json.Size(); ++i) list.items.push_back(decode(json[i], place.below(i)));
    return {std::move(list)};
  }
  if (!json.IsObject()) fail(place, "expected an element (an object, a list or null), got " + kind_of(json));
  if (json.ObjectEmpty()) {
    return opaque("an empty object: a dtype or device passed by position, or an empty dict; the recording lost it");
  }
  const auto type = json.FindMember("type");
  if (type != json.MemberEnd() && type->value.IsString()) {
    return tagged(json, {type->value.GetString(), type->value.GetStringLength()}, place);
  }
  if (json.HasMember("class_type")) return opaque("a point-to-point operation");
  return dict(json, place);
}

Element ElementDecoder::dict(const Json& json, const JsonPlace& place) {
  require_plain_names(json, place);
  ElementDict dict;
  for (const auto& member : json.GetObject()) {
    std::string name(member.name.GetString(), member.name.GetStringLength());
    Element item = decode(member.value, place.below(name));
    dict.items.emplace_back(std::move(name), std::move(item));
  }
  return {std::move(dict)};
}

Element ElementDecoder::tagged(const Json& json, const std::string& type, const JsonPlace& place) {
  if (contains(kTensorTypes, type)) return {decode_tensor(json, type, place)};
  if (type == "numpy.ndarray") {
    TensorElement array = decode_tensor(json, type, place);
    if (!array.dtype) return opaque("a NumPy array of dtype '" + escape_control(array.dtype_text) + "'");
    return {std::move(array)};
  }
  if (type == "torch.memory_format") return memory_format_value(json, place);
  if (type == "ellipsis") return {Value(Ellipsis{})};

  const JsonPlace at = place.below("value");
  const auto value = [&]() -> const Json& { return member_of(json, "value", place); };
  if (type == "int") return integer_value(value(), at);
  if (type == "float") return float_value(value(), at);
  if (type == "bool") return {Value(boolean_of(value(), at))};
  if (type == "str") return {Value(text_of(value(), at))};
  if (type == "slice") return slice_value(value(), at);
  if (type == "torch.Size") return size_value(value(), at);
  if (type == "torch.dtype" || type == "mindspore.dtype") return dtype_value(value(), at);
  if (type == "torch.device") return device_value(value(), at);
  if (std::optional<Element> scalar = numpy_scalar(json, type, place)) return std::move(*scalar);
  if (std::optional<std::string> reason = known_opaque(json, type)) return opaque(std::move(*reason));
  return opaque("an element of unknown type '" + escape_control(type) + "'");
}

}  // namespace assay
