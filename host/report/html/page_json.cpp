#include "report/html/page_json.hpp"

#include <cmath>

#include "base/text.hpp"

namespace assay::html {

void write_text(Writer& writer, const std::string& text) { writer.String(escape_control(text)); }

void write_texts(Writer& writer, const std::vector<std::string>& texts) {
  writer.StartArray();
  for (const std::string& text : texts) write_text(writer, text);
  writer.EndArray();
}

void write_number(Writer& writer, const std::optional<double>& value) {
  if (!value) {
    writer.Null();
  } else if (std::isfinite(*value)) {
    writer.Double(*value);
  } else {
    writer.String(format_number(*value));
  }
}

std::string script_safe(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace assay::html
