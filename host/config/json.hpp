// Reads the JSON documents of the configuration side: pipelines, standards, manifests, schemas. Small files, read as a whole.
//
//   Result<rapidjson::Document> config = load_json(path);
//   if (!config) return config.failure();  // "read pipeline.json:12:5: missing a comma or '}' after an object member"
#pragma once

#include <rapidjson/document.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

/// `origin` names the text in messages: a file, or "configuration of 'assay.torch'".
/// errors  kInput: not JSON (line and column are named), nested deeper than 100 levels, a key twice in one object
Result<rapidjson::Document> parse_json(std::string_view text, const std::string& origin);

/// Reads a file of at most 16 MiB; messages name its path.
Result<rapidjson::Document> load_json(const std::filesystem::path& path);

/// Compact JSON text of a value.
std::string json_text(const rapidjson::Value& value);

/// JSON text of a value for people: a member a line, indented by 2.
std::string indented_json(const rapidjson::Value& value);

/// A JSON value as a message shows it: at most 40 bytes, control characters escaped.
std::string json_excerpt(const rapidjson::Value& value);

/// `pointer` + "/" + `key`, with the escapes of JSON pointers.
std::string pointer_below(const std::string& pointer, std::string_view key);

}  // namespace assay
