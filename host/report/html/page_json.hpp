// The JSON that a page carries for its script.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::html {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

/// Control characters are shown escaped.
void write_text(Writer& writer, const std::string& text);
void write_texts(Writer& writer, const std::vector<std::string>& texts);
/// Numbers that JSON lacks are strings, a missing one is null.
void write_number(Writer& writer, const std::optional<double>& value);

/// JSON in which no text can end the element that it stands in.
std::string script_safe(std::string_view json);

}  // namespace assay::html
