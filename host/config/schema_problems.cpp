#include "config/schema_problems.hpp"

#include <rapidjson/pointer.h>
#include <rapidjson/schema.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/text.hpp"
#include "config/json.hpp"

namespace assay {

namespace {

using Json = rapidjson::Value;
using Problems = std::vector<SchemaProblem>;

std::string_view view(const Json& text) { return {text.GetString(), text.GetStringLength()}; }

const Json* member(const Json& object, const char* key) {
  const auto found = object.FindMember(key);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

/// Whether `value` keeps the rules of `keywords` in `schema` taken alone; RapidJSON is asked, so there is one judge only.
bool keeps(const Json& schema, std::initializer_list<const char*> keywords, const Json& value) {
  rapidjson::Document rule(rapidjson::kObjectType);
  for (const char* keyword : keywords) {
    if (const Json* argument = member(schema, keyword)) {
      rule.AddMember(Json(rapidjson::StringRef(keyword)), Json(*argument, rule.GetAllocator()), rule.GetAllocator());
    }
  }
  const rapidjson::SchemaDocument compiled(rule);
  rapidjson::SchemaValidator validator(compiled);
  return value.Accept(validator);
}

std::string either(const std::vector<std::string>& choices) {
  if (choices.size() < 2) return join(choices, "");
  return join({choices.begin(), choices.end() - 1}, ", ") + " or " + choices.back();
}

std::string with_article(const std::string& type) {
  return type == "null" ? type : (type.find_first_of("aio") == 0 ? "an " : "a ") + type;
}

std::vector<std::string> type_names(const Json& type) {
  std::vector<std::string> names;
  if (type.IsString()) names.emplace_back(view(type));
  if (type.IsArray()) {
    for (const Json& item : type.GetArray()) {
      if (item.IsString()) names.emplace_back(view(item));
    }
  }
  return names;
}

class Finder {
 public:
  explicit Finder(const Json& root) : root_(root) {}

  Problems find(const Json& schema, const Json& value, const std::string& at) const {
    if (!schema.IsObject()) return {};
    if (const Json* ref = member(schema, "$ref"); ref != nullptr && ref->IsString()) {
      const Json* target = rapidjson::Pointer(ref->GetString(), ref->GetStringLength()).Get(root_);
      return target != nullptr ? find(*target, value, at) : Problems();
    }
    Problems found;
    if (!keeps(schema, {"type"}, value)) {
      std::vector<std::string> names = type_names(*member(schema, "type"));
      for (std::string& name : names) name = with_article(name);
      found.push_back({at, "expected " + either(names) + ", got " + json_excerpt(value)});
      return found;
    }
    scalar_rules(schema, value, at, found);
    if (value.IsObject()) object_rules(schema, value, at, found);
    if (value.IsArray()) array_rules(schema, value, at, found);
    combinations(schema, value, at, found);
    return found;
  }

 private:
  void scalar_rules(const Json& schema, const Json& value, const std::string& at, Problems& found) const {
    const auto require = [&](std::initializer_list<const char*> keywords, const std::string& expected) {
      if (!keeps(schema, keywords, value)) found.push_back({at, "expected " + expected + ", got " + json_excerpt(value)});
    };
    const auto argument = [&](const char* keyword) {
      const Json* json = member(schema, keyword);
      return json != nullptr ? json_text(*json) : std::string();
    };
    const auto strictly = [&](const char* keyword) {
      const Json* json = member(schema, keyword);
      return json != nullptr && json->IsBool() && json->GetBool();
    };
    if (!keeps(schema, {"enum"}, value)) found.push_back({at, not_in_enum(*member(schema, "enum"), value)});
    require({"minimum", "exclusiveMinimum"},
            "a number " + std::string(strictly("exclusiveMinimum") ? "> " : ">= ") + argument("minimum"));
    require({"maximum", "exclusiveMaximum"},
            "a number " + std::string(strictly("exclusiveMaximum") ? "< " : "<= ") + argument("maximum"));
    require({"multipleOf"}, "a multiple of " + argument("multipleOf"));
    require({"minLength"}, "text of at least " + argument("minLength") + " characters");
    require({"maxLength"}, "text of at most " + argument("maxLength") + " characters");
    require({"pattern"}, "text that matches " + argument("pattern"));
    require({"minItems"}, "a list of at least " + argument("minItems"));
    require({"maxItems"}, "a list of at most " + argument("maxItems"));
    require({"uniqueItems"}, "a list without repetitions");
    require({"minProperties"}, "an object with at least " + argument("minProperties") + " keys");
    require({"maxProperties"}, "an object with at most " + argument("maxProperties") + " keys");
  }

  static std::string not_in_enum(const Json& choices, const Json& value) {
    std::vector<std::string> shown;
    std::vector<std::string> names;
    for (const Json& choice : choices.GetArray()) {
      shown.push_back(json_excerpt(choice));
      if (choice.IsString()) names.emplace_back(view(choice));
    }
    std::string message = "expected " + either(shown) + ", got " + json_excerpt(value);
    if (value.IsString()) {
      const std::vector<std::string> close = similar_names(view(value), names);
      if (!close.empty()) message += "; did you mean '" + close.front() + "'?";
    }
    return message;
  }

  void object_rules(const Json& schema, const Json& value, const std::string& at, Problems& found) const {
    if (const Json* required = member(schema, "required"); required != nullptr && required->IsArray()) {
      for (const Json& key : required->GetArray()) {
        if (key.IsString() && !value.HasMember(key)) {
          found.push_back({at, "missing '" + std::string(view(key)) + "'; add it" + described(schema, view(key))});
        }
      }
    }
    const Json* properties = member(schema, "properties");
    const Json* patterns = member(schema, "patternProperties");
    const Json* additional = member(schema, "additionalProperties");
    for (const auto& entry : value.GetObject()) {
      const std::string below = pointer_below(at, view(entry.name));
      const Json* own = properties != nullptr && properties->IsObject() ? member_of(*properties, entry.name) : nullptr;
      bool known = own != nullptr;
      if (own != nullptr) append(found, find(*own, entry.value, below));
      if (patterns != nullptr && patterns->IsObject()) {
        for (const auto& pattern : patterns->GetObject()) {
          if (!matches(pattern.name, entry.name)) continue;
          known = true;
          append(found, find(pattern.value, entry.value, below));
        }
      }
      if (known || additional == nullptr) continue;
      if (additional->IsObject()) append(found, find(*additional, entry.value, below));
      if (additional->IsFalse()) found.push_back({below, unknown_key(properties, view(entry.name))});
    }
  }

  static std::string described(const Json& schema, std::string_view key) {
    const Json* properties = member(schema, "properties");
    if (properties == nullptr || !properties->IsObject()) return {};
    const Json* own = member_of(*properties, Json(rapidjson::StringRef(key.data(), static_cast<rapidjson::SizeType>(key.size()))));
    const Json* text = own != nullptr && own->IsObject() ? member(*own, "description") : nullptr;
    return text != nullptr && text->IsString() ? " (" + std::string(view(*text)) + ")" : std::string();
  }

  static const Json* member_of(const Json& object, const Json& key) {
    const auto found = object.FindMember(key);
    return found == object.MemberEnd() ? nullptr : &found->value;
  }

  static bool matches(const Json& pattern, const Json& text) {
    rapidjson::Document rule(rapidjson::kObjectType);
    rule.AddMember("pattern", Json(pattern, rule.GetAllocator()), rule.GetAllocator());
    return keeps(rule, {"pattern"}, text);
  }

  static std::string unknown_key(const Json* properties, std::string_view key) {
    std::vector<std::string> names;
    if (properties != nullptr && properties->IsObject()) {
      for (const auto& property : properties->GetObject()) names.emplace_back(view(property.name));
    }
    const std::vector<std::string> close = similar_names(key, names);
    if (!close.empty()) return "unknown key; did you mean '" + close.front() + "'?";
    return names.empty() ? "unknown key; remove it" : "unknown key; known are " + join(names, ", ");
  }

  void array_rules(const Json& schema, const Json& value, const std::string& at, Problems& found) const {
    const Json* items = member(schema, "items");
    const Json* additional = member(schema, "additionalItems");
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      const std::string below = at + "/" + std::to_string(i);
      if (items != nullptr && items->IsObject()) append(found, find(*items, value[i], below));
      if (items == nullptr || !items->IsArray()) continue;
      if (i < items->Size()) {
        append(found, find((*items)[i], value[i], below));
      } else if (additional != nullptr && additional->IsObject()) {
        append(found, find(*additional, value[i], below));
      } else if (additional != nullptr && additional->IsFalse()) {
        found.push_back({below, "expected at most " + std::to_string(items->Size()) + " items; remove it"});
      }
    }
  }

  void combinations(const Json& schema, const Json& value, const std::string& at, Problems& found) const {
    if (const Json* all = member(schema, "allOf"); all != nullptr && all->IsArray()) {
      for (const Json& part : all->GetArray()) append(found, find(part, value, at));
    }
    for (const char* keyword : {"anyOf", "oneOf"}) {
      const Json* choices = member(schema, keyword);
      if (choices == nullptr || !choices->IsArray() || choices->Empty()) continue;
      append(found, closest_branch(*choices, value, at));
    }
  }

  /// The problems of the branch that the document most likely meant: the one with the fewest. If every branch wants another type,
  /// all the types are named.
  Problems closest_branch(const Json& choices, const Json& value, const std::string& at) const {
    Problems best;
    std::vector<std::string> types;
    bool only_types = true;
    bool first = true;
    for (const Json& choice : choices.GetArray()) {
      Problems problems = find(choice, value, at);
      if (problems.empty()) return {};
      const Json* type = choice.IsObject() ? member(choice, "type") : nullptr;
      if (type != nullptr && !keeps(choice, {"type"}, value)) {
        for (const std::string& name : type_names(*type)) types.push_back(with_article(name));
        continue;
      }
      only_types = false;
      if (first || problems.size() < best.size()) best = std::move(problems);
      first = false;
    }
    if (only_types) best = {{at, "expected " + either(types) + ", got " + json_excerpt(value)}};
    return best;
  }

  static void append(Problems& found, Problems more) {
    found.insert(found.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  const Json& root_;
};

}  // namespace

std::vector<SchemaProblem> find_schema_problems(const rapidjson::Value& schema, const rapidjson::Value& document) {
  return Finder(schema).find(schema, document, "");
}

}  // namespace assay
