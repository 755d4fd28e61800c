#include "dump/decode_error.hpp"

namespace assay {

std::string JsonPlace::text() const {
  std::string out = parent == nullptr ? "" : parent->text();
  out += '/';
  for (const char c : part) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

void fail(const JsonPlace& place, const std::string& message) { throw DecodeError(place.text() + ": " + message); }

std::string kind_of(const Json& json) {
  switch (json.GetType()) {
    case rapidjson::kObjectType: return "an object";
    case rapidjson::kArrayType: return "a list";
    case rapidjson::kStringType: return "a string";
    case rapidjson::kNullType: return "null";
    case rapidjson::kNumberType: return json.IsDouble() ? "a number" : "an integer";
    default: return "a boolean";
  }
}

std::string text_of(const Json& json, const JsonPlace& place) {
  if (!json.IsString()) fail(place, "expected a string, got " + kind_of(json));
  return {json.GetString(), json.GetStringLength()};
}

std::int64_t integer_of(const Json& json, const JsonPlace& place) {
  if (json.IsInt64()) return json.GetInt64();
  if (json.IsUint64()) fail(place, "an integer beyond 64 signed bits");
  fail(place, "expected an integer, got " + kind_of(json));
}

bool boolean_of(const Json& json, const JsonPlace& place) {
  if (!json.IsBool()) fail(place, "expected a boolean, got " + kind_of(json));
  return json.GetBool();
}

const Json& member_of(const Json& json, const char* name, const JsonPlace& place) {
  const auto found = json.FindMember(name);
  if (found == json.MemberEnd()) fail(place, std::string("'") + name + "' is missing");
  return found->value;
}

}  // namespace assay
