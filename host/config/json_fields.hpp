// Writing and reading the fields of our own JSON lines. Numbers that JSON lacks are the strings "nan", "inf" and "-inf".
//
// Reading throws std::runtime_error with the field's name, to be turned into a Result at the reader's door.
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

using LineWriter = rapidjson::Writer<rapidjson::StringBuffer>;

/// Nothing for an empty text.
void write_text(LineWriter& writer, const char* key, const std::string& value);
void write_number(LineWriter& writer, double value);
void write_number(LineWriter& writer, const char* key, double value);
void write_integers(LineWriter& writer, const char* key, const std::vector<std::int64_t>& values);

const rapidjson::Value& member(const rapidjson::Value& object, const char* key);
/// Null if there is none.
const rapidjson::Value* optional_member(const rapidjson::Value& object, const char* key);

std::string text_of(const rapidjson::Value& value, const char* what);
/// Empty if there is none.
std::string read_text(const rapidjson::Value& object, const char* key);
double number_of(const rapidjson::Value& value, const char* what);
std::uint64_t count_of(const rapidjson::Value& value, const char* what);
const rapidjson::Value& array_of(const rapidjson::Value& value, const char* what);
const rapidjson::Value& object_of(const rapidjson::Value& value, const char* what);
std::vector<std::int64_t> read_integers(const rapidjson::Value& value, const char* what);

}  // namespace assay
