// How the decoders of dump entries give up: with the place (a JSON pointer) and the reason. Never leaves decode_entry.
#pragma once

#include <rapidjson/document.h>

#include <stdexcept>
#include <string>

namespace assay {

using Json = rapidjson::Value;

struct DecodeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A JSON pointer built while walking down; the parts live on the stack of the walk.
struct JsonPlace {
  const JsonPlace* parent = nullptr;
  std::string part;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] JsonPlace below(std::string name) const { return {this, std::move(name)}; }
  [[nodiscard]] JsonPlace below(std::size_t i) const { return {this, std::to_string(i)}; }
};

[[noreturn]] void fail(const JsonPlace& place, const std::string& message);

/// "an object", "a list", "a string", "null", "a boolean", "an integer", "a number".
std::string kind_of(const Json& json);

/// Each of them fails when the member is missing or of another kind.
std::string text_of(const Json& json, const JsonPlace& place);
std::int64_t integer_of(const Json& json, const JsonPlace& place);
bool boolean_of(const Json& json, const JsonPlace& place);
const Json& member_of(const Json& json, const char* name, const JsonPlace& place);

}  // namespace assay
