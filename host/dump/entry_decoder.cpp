#include "dump/entry_decoder.hpp"

#include <rapidjson/error/en.h>

#include <cctype>

#include "assay/abi/value.h"
#include "base/text.hpp"
#include "dump/element_decoder.hpp"
#include "dump/json_scanner.hpp"

namespace assay {

namespace {

/// The entry and its lists lie around the elements, whose own nesting is limited.
constexpr std::size_t kMaxDepth = ASSAY_VALUE_MAX_DEPTH + 2;

class EntryDecoder {
 public:
  EntryDecoder(const Json& entry, const JsonPlace& place) : entry_(entry), place_(place) {}

  RecordedDirection run(bool backward) {
    if (!entry_.IsObject()) fail(place_, "expected an object, got " + kind_of(entry_));
    require_plain_names(entry_, place_);
    RecordedDirection direction;
    direction.has_inputs = list(backward ? "input" : "input_args", direction.inputs);
    direction.has_outputs = list("output", direction.outputs);
    if (!backward) keywords(direction);
    const auto recompute = entry_.FindMember("is_recompute");
    if (recompute != entry_.MemberEnd()) direction.is_recompute = boolean_of(recompute->value, place_.below("is_recompute"));
    return direction;
  }

 private:
  bool list(const char* name, std::vector<Element>& out) {
    const auto found = entry_.FindMember(name);
    if (found == entry_.MemberEnd() || found->value.IsNull()) return false;
    const JsonPlace place = place_.below(name);
    const Json& value = found->value;
    // A result that is itself one element may stand without a list around it.
    if (value.IsObject() && !value.ObjectEmpty()) {
      out.push_back(elements_.decode(value, place));
      return true;
    }
    if (!value.IsArray()) fail(place, "expected a list, got " + kind_of(value));
    out.reserve(value.Size());
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) out.push_back(elements_.decode(value[i], place.below(i)));
    return true;
  }

  void keywords(RecordedDirection& direction) {
    const auto found = entry_.FindMember("input_kwargs");
    if (found == entry_.MemberEnd() || found->value.IsNull()) return;
    const JsonPlace place = place_.below("input_kwargs");
    if (!found->value.IsObject()) fail(place, "expected an object, got " + kind_of(found->value));
    require_plain_names(found->value, place);
    for (const auto& member : found->value.GetObject()) {
      std::string name(member.name.GetString(), member.name.GetStringLength());
      Element element = elements_.decode(member.value, place.below(name));
      direction.kwargs.emplace_back(std::move(name), std::move(element));
    }
  }

  const Json& entry_;
  const JsonPlace& place_;
  ElementDecoder elements_;
};

RecordedDirection decode_or_throw(std::string_view json, const JsonPlace& place, bool backward) {
  JsonScanner scanner(json);
  if (scanner.value() && scanner.depth() > kMaxDepth) {
    fail(place, "nested " + std::to_string(scanner.depth()) + " levels deep, at most " + std::to_string(kMaxDepth));
  }
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag | rapidjson::kParseFullPrecisionFlag>(json.data(),
                                                                                                                       json.size());
  if (document.HasParseError()) {
    std::string reason = rapidjson::GetParseError_En(document.GetParseError());
    reason.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(reason.front())));
    fail(place, "not JSON at byte " + std::to_string(document.GetErrorOffset()) + " of the entry: " + reason);
  }
  return EntryDecoder(document, place).run(backward);
}

}  // namespace

RecordedDirection decode_entry(std::string_view json, std::string_view key, bool backward) {
  const JsonPlace data{nullptr, "data"};
  const JsonPlace place = data.below(std::string(key));
  try {
    return decode_or_throw(json, place, backward);
  } catch (const DecodeError& error) {
    RecordedDirection direction;
    direction.error = escape_control(error.what());
    return direction;
  }
}

}  // namespace assay
