#include "config/json_fields.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace assay {

using Json = rapidjson::Value;

void write_text(LineWriter& writer, const char* key, const std::string& value) {
  if (value.empty()) return;
  writer.Key(key);
  writer.String(value);
}

void write_number(LineWriter& writer, double value) {
  if (std::isnan(value)) {
    writer.String("nan");
  } else if (std::isinf(value)) {
    writer.String(value < 0 ? "-inf" : "inf");
  } else {
    writer.Double(value);
  }
}

void write_number(LineWriter& writer, const char* key, double value) {
  writer.Key(key);
  write_number(writer, value);
}

void write_integers(LineWriter& writer, const char* key, const std::vector<std::int64_t>& values) {
  writer.Key(key);
  writer.StartArray();
  for (const std::int64_t value : values) writer.Int64(value);
  writer.EndArray();
}

const Json& member(const Json& object, const char* key) {
  const auto found = object.FindMember(key);
  if (found == object.MemberEnd()) throw std::runtime_error(std::string("no field '") + key + "'");
  return found->value;
}

const Json* optional_member(const Json& object, const char* key) {
  const auto found = object.FindMember(key);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

std::string text_of(const Json& value, const char* what) {
  if (!value.IsString()) throw std::runtime_error(std::string("field '") + what + "' is not a string");
  return {value.GetString(), value.GetStringLength()};
}

std::string read_text(const Json& object, const char* key) {
  const Json* value = optional_member(object, key);
  return value == nullptr ? std::string() : text_of(*value, key);
}

double number_of(const Json& value, const char* what) {
  if (value.IsNumber()) return value.GetDouble();
  if (value.IsString()) {
    const std::string text = value.GetString();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
  }
  throw std::runtime_error(std::string("field '") + what + "' is not a number");
}

std::uint64_t count_of(const Json& value, const char* what) {
  if (!value.IsUint64()) throw std::runtime_error(std::string("field '") + what + "' is not a whole number");
  return value.GetUint64();
}

const Json& array_of(const Json& value, const char* what) {
  if (!value.IsArray()) throw std::runtime_error(std::string("field '") + what + "' is not a list");
  return value;
}

const Json& object_of(const Json& value, const char* what) {
  if (!value.IsObject()) throw std::runtime_error(std::string("field '") + what + "' is not an object");
  return value;
}

std::vector<std::int64_t> read_integers(const Json& value, const char* what) {
  std::vector<std::int64_t> out;
  for (const Json& item : array_of(value, what).GetArray()) {
    if (!item.IsInt64()) throw std::runtime_error(std::string("field '") + what + "' holds something that is not an integer");
    out.push_back(item.GetInt64());
  }
  return out;
}

}  // namespace assay
