// assay/sdk/config.hpp: reads a component's configuration. The host has validated it against the component's schema.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <string>
#include <vector>

#include "assay/sdk/error.hpp"

namespace assay {

/// The configuration object of one instance. `get` returns the fallback where the key is absent and throws
/// Error(ASSAY_INVALID_ARGUMENT) where the value has another type.
class Config {
 public:
  explicit Config(const char* json) {
    document_.Parse<rapidjson::kParseNanAndInfFlag | rapidjson::kParseIterativeFlag>(json);
    if (document_.HasParseError() || !document_.IsObject())
      throw Error(ASSAY_INVALID_ARGUMENT, "configuration is not a JSON object");
  }

  template <class T>
  [[nodiscard]] T get(const char* key, const T& fallback) const {
    const auto member = document_.FindMember(key);
    if (member == document_.MemberEnd()) return fallback;
    T value{};
    if (!read(member->value, value))
      throw Error(ASSAY_INVALID_ARGUMENT, "configuration '" + std::string(key) + "' has the wrong type");
    return value;
  }

  [[nodiscard]] const rapidjson::Document& json() const { return document_; }

 private:
  using Json = rapidjson::Value;
  static bool read(const Json& json, bool& out) { return json.IsBool() && (out = json.GetBool(), true); }
  static bool read(const Json& json, double& out) { return json.IsNumber() && (out = json.GetDouble(), true); }
  static bool read(const Json& json, std::int64_t& out) { return json.IsInt64() && (out = json.GetInt64(), true); }
  static bool read(const Json& json, std::string& out) {
    return json.IsString() && (out.assign(json.GetString(), json.GetStringLength()), true);
  }
  template <class T>
  static bool read(const Json& json, std::vector<T>& out) {
    if (!json.IsArray()) return false;
    for (const Json& item : json.GetArray()) {
      T value{};
      if (!read(item, value)) return false;
      out.push_back(std::move(value));
    }
    return true;
  }

  rapidjson::Document document_;
};

}  // namespace assay
