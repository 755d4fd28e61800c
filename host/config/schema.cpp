#include "config/schema.hpp"

#include <rapidjson/pointer.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "config/json.hpp"
#include "config/schema_problems.hpp"

namespace assay {

namespace {

constexpr int kMaxRefHops = 16;

const rapidjson::Value* follow(const rapidjson::Value& root, const rapidjson::Value& ref) {
  const rapidjson::Value* target = &ref;
  for (int hop = 0; hop < kMaxRefHops; ++hop) {
    const auto link = target->FindMember("$ref");
    if (link == target->MemberEnd()) return target;
    if (!link->value.IsString() || link->value.GetStringLength() == 0 || link->value.GetString()[0] != '#') return nullptr;
    const rapidjson::Pointer pointer(link->value.GetString(), link->value.GetStringLength());
    if (!pointer.IsValid()) return nullptr;
    target = pointer.Get(root);
    if (target == nullptr || !target->IsObject()) return nullptr;
  }
  return nullptr;
}

/// RapidJSON keeps a null pointer for a reference that it can't resolve, and follows circles for ever.
Status check_refs(const rapidjson::Value& root, const rapidjson::Value& value, const std::string& pointer,
                  const std::string& origin) {
  if (value.IsArray()) {
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      if (Status below = check_refs(root, value[i], pointer + "/" + std::to_string(i), origin); !below) return below;
    }
  } else if (value.IsObject()) {
    const auto ref = value.FindMember("$ref");
    if (ref != value.MemberEnd() && ref->value.IsString() && follow(root, value) == nullptr) {
      return input_failure("read " + origin + ": " + pointer +
                           "/$ref: expected a local reference such as \"#/definitions/x\", got " + json_excerpt(ref->value));
    }
    for (const auto& member : value.GetObject()) {
      const std::string_view key(member.name.GetString(), member.name.GetStringLength());
      if (Status below = check_refs(root, member.value, pointer_below(pointer, key), origin); !below) return below;
    }
  }
  return Done{};
}

}  // namespace

struct Schema::Body {
  explicit Body(rapidjson::Document json) : document(std::move(json)), compiled(document) {}
  rapidjson::Document document;
  rapidjson::SchemaDocument compiled;
};

Result<Schema> Schema::parse(std::string_view text, const std::string& origin) {
  Result<rapidjson::Document> json = parse_json(text, origin);
  if (!json) return json.failure();
  if (!json->IsObject())
    return input_failure("read " + origin + ": expected a JSON Schema (an object), got " + json_excerpt(*json));
  if (const Status refs = check_refs(*json, *json, "", origin); !refs) return refs.failure();
  Schema schema;
  schema.body_ = std::make_shared<const Body>(std::move(*json));
  return schema;
}

Result<Schema> Schema::load(const std::filesystem::path& path) {
  const Result<std::string> text = read_text(path);
  if (!text) return text.failure();
  return parse(*text, path.string());
}

std::vector<std::string> Schema::problems(const rapidjson::Value& document, const std::string& origin,
                                          const std::string& at) const {
  rapidjson::SchemaValidator validator(body_->compiled);
  if (document.Accept(validator)) return {};
  std::vector<SchemaProblem> found = find_schema_problems(body_->document, document);
  if (found.empty()) {
    rapidjson::StringBuffer pointer;
    validator.GetInvalidDocumentPointer().Stringify(pointer);
    found.push_back({pointer.GetString(), std::string("breaks the schema's rule '") + validator.GetInvalidSchemaKeyword() + "'"});
  }
  std::vector<std::string> lines;
  lines.reserve(found.size());
  for (const SchemaProblem& problem : found) {
    const std::string pointer = at + problem.pointer;
    lines.push_back(origin + ": " + (pointer.empty() ? "" : escape_control(pointer) + ": ") + problem.message);
  }
  return lines;
}

Status Schema::check(const rapidjson::Value& document, const std::string& origin, const std::string& at) const {
  std::vector<std::string> lines = problems(document, origin, at);
  for (std::string& line : lines) line.insert(0, "read ");
  if (!lines.empty()) return input_failure(join(lines, "\n"));
  return Done{};
}

}  // namespace assay
