// Reads a JSON document of known shape and gathers every problem with its JSON pointer instead of stopping at the first.
//
//   Problems problems("standard.json");
//   JsonCursor root(document, "", problems);
//   const std::string name = root.text("name");
//   root.refuse_unknown_keys();
#pragma once

#include <rapidjson/document.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace assay {

/// What is wrong with one file.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}
  void add(const std::string& pointer, const std::string& what) {
    lines_.push_back(file_ + ": " + (pointer.empty() ? "/" : pointer) + ": " + what);
  }
  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] std::string text() const { return join(lines_, "\n"); }

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

/// A place in the document. Keys that were never asked for are reported by refuse_unknown_keys.
class JsonCursor {
 public:
  JsonCursor(const rapidjson::Value& value, std::string pointer, Problems& problems)
      : value_(&value), pointer_(std::move(pointer)), problems_(&problems) {}

  [[nodiscard]] const rapidjson::Value& value() const { return *value_; }
  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  void problem(const std::string& what) const { problems_->add(pointer_, what); }

  /// False, with a problem, when the value is not an object.
  bool require_object() const {
    if (value_->IsObject()) return true;
    problem("expected an object, got " + describe(*value_));
    return false;
  }

  [[nodiscard]] bool has(const char* key) const { return value_->IsObject() && value_->HasMember(key); }
  [[nodiscard]] std::optional<JsonCursor> member(const char* key) {
    asked_.emplace_back(key);
    if (!value_->IsObject()) return std::nullopt;
    const auto found = value_->FindMember(key);
    if (found == value_->MemberEnd()) return std::nullopt;
    return JsonCursor(found->value, pointer_ + "/" + key, *problems_);
  }
  std::string text(const char* key, const std::string& fallback = {}) {
    const auto at = member(key);
    if (!at) return fallback;
    if (at->value().IsString()) return {at->value().GetString(), at->value().GetStringLength()};
    at->problem("expected a string, got " + describe(at->value()));
    return fallback;
  }
  std::string required_text(const char* key) {
    if (value_->IsObject() && !has(key)) problem("'" + std::string(key) + "' is missing");
    return text(key);
  }
  bool flag(const char* key, bool fallback) {
    const auto at = member(key);
    if (!at) return fallback;
    if (at->value().IsBool()) return at->value().GetBool();
    at->problem("expected true or false, got " + describe(at->value()));
    return fallback;
  }
  std::optional<double> number(const char* key) {
    const auto at = member(key);
    if (!at) return std::nullopt;
    if (at->value().IsNumber()) return at->value().GetDouble();
    at->problem("expected a number, got " + describe(at->value()));
    return std::nullopt;
  }
  std::optional<std::int64_t> integer(const char* key) {
    const auto at = member(key);
    if (!at) return std::nullopt;
    if (at->value().IsInt64()) return at->value().GetInt64();
    at->problem("expected a whole number, got " + describe(at->value()));
    return std::nullopt;
  }
  /// Calls f(JsonCursor&) for every item of a list; a missing key is an empty list.
  template <class F>
  void for_each(const char* key, F&& f) {
    auto at = member(key);
    if (!at) return;
    if (!at->value().IsArray()) {
      at->problem("expected a list, got " + describe(at->value()));
      return;
    }
    for (rapidjson::SizeType i = 0; i < at->value().Size(); ++i) {
      JsonCursor item(at->value()[i], at->pointer() + "/" + std::to_string(i), *problems_);
      f(item);
    }
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> out;
    for_each(key, [&](JsonCursor& item) {
      if (item.value().IsString()) {
        out.emplace_back(item.value().GetString(), item.value().GetStringLength());
      } else {
        item.problem("expected a string, got " + describe(item.value()));
      }
    });
    return out;
  }
  /// A value out of a table of names.
  template <class T, std::size_t N>
  T choice(const char* key, T fallback, const std::pair<std::string_view, T> (&table)[N]) {
    const auto at = member(key);
    if (!at) return fallback;
    std::vector<std::string> known;
    for (const auto& [name, value] : table) {
      if (at->value().IsString() && name == std::string_view(at->value().GetString(), at->value().GetStringLength())) return value;
      known.emplace_back(name);
    }
    at->problem("expected one of " + join(known, ", ") + ", got " + describe(at->value()));
    return fallback;
  }

  void refuse_unknown_keys() const {
    if (!value_->IsObject()) return;
    for (const auto& entry : value_->GetObject()) {
      const std::string key(entry.name.GetString(), entry.name.GetStringLength());
      bool known = false;
      for (const std::string& asked : asked_) known = known || asked == key;
      if (known) continue;
      const auto similar = similar_names(key, asked_);
      problem("unknown key '" + escape_control(key) + "'" + (similar.empty() ? "" : "; did you mean '" + similar.front() + "'?"));
    }
  }

  static std::string describe(const rapidjson::Value& value) {
    switch (value.GetType()) {
      case rapidjson::kNullType: return "null";
      case rapidjson::kFalseType: return "false";
      case rapidjson::kTrueType: return "true";
      case rapidjson::kObjectType: return "an object";
      case rapidjson::kArrayType: return "a list";
      case rapidjson::kStringType: return "'" + escape_control({value.GetString(), value.GetStringLength()}) + "'";
      default: return format_number(value.GetDouble());
    }
  }

 private:
  const rapidjson::Value* value_;
  std::string pointer_;
  Problems* problems_;
  std::vector<std::string> asked_;
};

}  // namespace assay
