// Configuration in layers: a shipped document, the user's file, the command line; each overrides the one before.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <vector>

namespace assay {

/// Members of `layer` replace those of `base`; objects merge, except that a source or component that names another adapter replaces
/// the whole object, since its configuration belongs to the old one.
void merge_layer(rapidjson::Value& base, const rapidjson::Value& layer, rapidjson::Document::AllocatorType& allocator);

std::vector<std::string> read_texts(const rapidjson::Value& config, const char* key);
std::string read_text_or(const rapidjson::Value& object, const char* key, const std::string& fallback);
/// The member as compact JSON text; "{}" where it is absent.
std::string read_object_or_empty(const rapidjson::Value& object, const char* key);

}  // namespace assay
