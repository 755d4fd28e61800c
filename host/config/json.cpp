#include "config/json.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <unordered_set>

#include "base/files.hpp"
#include "base/text.hpp"

namespace assay {

namespace {

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxFileSize = std::size_t{16} << 20;
constexpr std::size_t kExcerptSize = 40;

std::string_view view(const rapidjson::Value& text) { return {text.GetString(), text.GetStringLength()}; }

/// Brackets outside of strings, so that a hostile document is refused before anything recurses over it.
bool nested_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = last == std::string_view::npos ? before.size() + 1 : before.size() - last;
  return std::to_string(lines + 1) + ":" + std::to_string(column);
}

/// JSON pointers of keys that an object holds twice.
void find_repeated_keys(const rapidjson::Value& value, const std::string& pointer, std::vector<std::string>& found) {
  if (value.IsArray()) {
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      find_repeated_keys(value[i], pointer + "/" + std::to_string(i), found);
    }
  } else if (value.IsObject()) {
    std::unordered_set<std::string_view> seen;
    for (const auto& member : value.GetObject()) {
      const std::string below = pointer_below(pointer, view(member.name));
      if (!seen.insert(view(member.name)).second) found.push_back(below);
      find_repeated_keys(member.value, below, found);
    }
  }
}

}  // namespace

Result<rapidjson::Document> parse_json(std::string_view text, const std::string& origin) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return input_failure("read " + origin + ": empty, expected JSON");
  if (nested_too_deep(text)) {
    return input_failure("read " + origin + ": nested deeper than " + std::to_string(kMaxDepth) + " levels; flatten the document");
  }
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
  if (document.HasParseError()) {
    std::string reason = rapidjson::GetParseError_En(document.GetParseError());
    if (!reason.empty() && reason.back() == '.') reason.pop_back();
    if (!reason.empty() && reason.front() >= 'A' && reason.front() <= 'Z') reason.front() = static_cast<char>(reason.front() + 32);
    return input_failure("read " + origin + ":" + line_and_column(text, document.GetErrorOffset()) + ": not valid JSON: " + reason);
  }
  std::vector<std::string> repeated;
  find_repeated_keys(document, "", repeated);
  if (!repeated.empty()) {
    for (std::string& pointer : repeated)
      pointer = "read " + origin + ": " + escape_control(pointer) + ": key given twice; remove one";
    return input_failure(join(repeated, "\n"));
  }
  return document;
}

Result<rapidjson::Document> load_json(const std::filesystem::path& path) {
  const Result<std::string> text = read_text(path, kMaxFileSize);
  if (!text) return text.failure();
  return parse_json(*text, path.string());
}

std::string json_text(const rapidjson::Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string indented_json(const rapidjson::Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  value.Accept(writer);
  return buffer.GetString();
}

std::string json_excerpt(const rapidjson::Value& value) {
  std::string text = json_text(value);
  if (text.size() > kExcerptSize) {
    std::size_t end = kExcerptSize;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
    text.resize(end);
    text += "...";
  }
  return escape_control(text);
}

std::string pointer_below(const std::string& pointer, std::string_view key) {
  std::string below = pointer + "/";
  for (const char c : key) {
    if (c == '~') {
      below += "~0";
    } else if (c == '/') {
      below += "~1";
    } else {
      below += c;
    }
  }
  return below;
}

}  // namespace assay
