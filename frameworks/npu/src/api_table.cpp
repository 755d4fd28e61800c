#include "api_table.hpp"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "statement_parser.hpp"

namespace assay::npu {

using Json = rapidjson::Value;

namespace {

constexpr std::size_t kGradients = 4;  // outputs of an API that gradients can arrive at
constexpr const char* kFields[] = {"use", "parameters", "forms", "when", "run", "returns", "backward", "writes", "comment"};

[[noreturn]] void refuse(const std::string& what) { throw Error(ASSAY_INVALID_ARGUMENT, what); }

std::string text_of(const Json& json, const char* what) {
  if (!json.IsString()) refuse(std::string(what) + " is not a string");
  return {json.GetString(), json.GetStringLength()};
}

const Json* member(const Json& object, const char* key) {
  const auto found = object.FindMember(key);
  return found != object.MemberEnd() ? &found->value : nullptr;
}

/// One string or a list of them.
std::vector<std::string> texts_of(const Json& json, const char* what) {
  std::vector<std::string> texts;
  if (json.IsString()) return {text_of(json, what)};
  if (!json.IsArray()) refuse(std::string(what) + " is not a list");
  for (const Json& item : json.GetArray()) texts.push_back(text_of(item, what));
  return texts;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) refuse("read operator table '" + path + "': can't be read");
  return text.str();
}

/// Puts the entry's values in the place of $name in every string of a template.
class Substitution {
 public:
  Substitution(const Json& entry, const Json* defaults, rapidjson::Document::AllocatorType& allocator)
      : entry_(entry), defaults_(defaults), allocator_(allocator) {}

  void apply(Json& json) const {
    if (json.IsString()) {
      const std::string text = replaced({json.GetString(), json.GetStringLength()});
      json.SetString(text.c_str(), static_cast<rapidjson::SizeType>(text.size()), allocator_);
    } else if (json.IsArray()) {
      for (Json& item : json.GetArray()) apply(item);
    } else if (json.IsObject()) {
      for (auto& item : json.GetObject()) apply(item.value);
    }
  }

 private:
  [[nodiscard]] std::string replaced(const std::string& text) const {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] != '$') {
        result += text[i++];
        continue;
      }
      std::size_t end = i + 1;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
      const std::string name = text.substr(i + 1, end - i - 1);
      const Json* value = member(entry_, name.c_str());
      if (value == nullptr && defaults_ != nullptr) value = member(*defaults_, name.c_str());
      if (value == nullptr) refuse("its template needs '" + name + "'");
      result += text_of(*value, name.c_str());
      i = end;
    }
    return result;
  }

  const Json& entry_;
  const Json* defaults_;
  rapidjson::Document::AllocatorType& allocator_;
};

}  // namespace

/// Fills a table from its JSON.
class TableReader {
 public:
  explicit TableReader(ApiTable& table) : table_(table) {}

  void read(const std::string& text) {
    document_.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseCommentsFlag>(text.c_str(), text.size());
    if (document_.HasParseError()) {
      refuse(std::string(rapidjson::GetParseError_En(document_.GetParseError())) + " at byte " +
             std::to_string(document_.GetErrorOffset()));
    }
    if (!document_.IsObject()) refuse("it is not a JSON object");
    for (const auto& entry : section("operators")) named(entry, [&](const std::string& name) { read_operator(name, entry.value); });
    for (const auto& entry : section("aliases")) {
      named(entry, [&](const std::string& name) { table_.aliases_[name] = text_of(entry.value, "an alias"); });
    }
    if (const Json* ignored = member(document_, "ignored_keywords")) table_.ignored_ = texts_of(*ignored, "ignored_keywords");
    for (const auto& entry : section("apis")) named(entry, [&](const std::string& name) { read_function(name, entry.value); });
  }

 private:
  rapidjson::Value::ConstObject section(const char* key) {
    const Json* json = member(document_, key);
    if (json == nullptr || !json->IsObject()) refuse(std::string("'") + key + "' is missing or not an object");
    return json->GetObject();
  }

  template <class Entry, class F>
  void named(const Entry& entry, F&& f) {
    const std::string name(entry.name.GetString(), entry.name.GetStringLength());
    try {
      f(name);
    } catch (const Error& e) {
      refuse("'" + name + "': " + e.what());
    }
  }

  void read_operator(const std::string& name, const Json& json) {
    table_.operators_[name] = std::make_unique<AclnnOperator>(name, parse_signature(text_of(json, "a signature")));
  }

  /// The entry with its template filled in; what the entry itself has goes before the template's.
  Json complete(const Json& entry) {
    auto& allocator = document_.GetAllocator();
    const Json* use = member(entry, "use");
    if (use == nullptr) return Json(entry, allocator);
    const Json* templates = member(document_, "templates");
    const Json* model = templates != nullptr && templates->IsObject() ? member(*templates, text_of(*use, "use").c_str()) : nullptr;
    if (model == nullptr || !model->IsObject()) refuse("there is no template '" + text_of(*use, "use") + "'");
    Json result(*model, allocator);
    Substitution(entry, member(*model, "with"), allocator).apply(result);
    result.RemoveMember("with");
    for (const auto& own : entry.GetObject()) {
      const char* const key = own.name.GetString();
      const bool is_field =
          std::any_of(std::begin(kFields), std::end(kFields), [&](const char* f) { return std::string(f) == key; });
      if (!is_field || std::string(key) == "use") continue;
      result.RemoveMember(key);
      result.AddMember(Json(own.name, allocator), Json(own.value, allocator), allocator);
    }
    return result;
  }

  void read_function(const std::string& name, const Json& entry) {
    if (!entry.IsObject()) refuse("it is not an object");
    const Json json = complete(entry);
    ApiFunction function;
    function.name = name;
    Scope scope;
    const Json* parameters = member(json, "parameters");
    if (parameters == nullptr) refuse("'parameters' is missing");
    function.parameters = parse_parameters(text_of(*parameters, "parameters"), scope);
    if (const Json* written = member(json, "writes")) {
      for (const std::string& parameter : texts_of(*written, "writes")) function.written.push_back(index_of(function, parameter));
    }
    for (std::size_t i = 0; i < kGradients; ++i)
      function.gradient_slots.push_back(scope.add(i == 0 ? "grad" : "grad" + std::to_string(i)));
    function.slot_count = scope.size();
    const Json* forms = member(json, "forms");
    if (forms != nullptr) {
      if (!forms->IsArray() || forms->Empty()) refuse("'forms' is not a list");
      for (const Json& form : forms->GetArray()) {
        if (!form.IsObject()) refuse("a form is not an object");
        read_form(form, member(json, "backward"), scope, function);
      }
    } else {
      read_form(json, nullptr, scope, function);
    }
    table_.functions_[name] = std::move(function);
  }

  static std::size_t index_of(const ApiFunction& function, const std::string& parameter) {
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (function.parameters[i].names[0] == parameter) return i;
    }
    refuse("there is no parameter '" + parameter + "'");
  }

  static bool makes_use_of(const Expression& expression, std::size_t slot) {
    if (expression.kind == Expression::Kind::kSlot && expression.slot == slot) return true;
    return std::any_of(expression.children.begin(), expression.children.end(),
                       [&](const Expression& child) { return makes_use_of(child, slot); });
  }

  static bool makes_use_of(const Form& form, std::size_t slot) {
    const auto uses = [&](const Expression& expression) { return makes_use_of(expression, slot); };
    for (const Statement& statement : form.backward) {
      if (uses(statement.value) || std::any_of(statement.arguments.begin(), statement.arguments.end(), uses)) return true;
    }
    return std::any_of(form.gives.begin(), form.gives.end(), [&](const Gradient& gradient) { return uses(gradient.value); });
  }

  std::vector<Statement> statements(const Json& json, const char* key, Scope& scope) {
    std::vector<Statement> result;
    const Json* texts = member(json, key);
    if (texts == nullptr) return result;
    for (const std::string& text : texts_of(*texts, key)) {
      try {
        result.push_back(parse_statement(text, scope, table_.operators_));
      } catch (const Error& e) {
        refuse("statement '" + text + "': " + e.what());
      }
    }
    return result;
  }

  void read_form(const Json& json, const Json* common_backward, const Scope& names, ApiFunction& function) {
    Scope scope = names;  // forms don't see each other's results
    Form form;
    if (const Json* when = member(json, "when")) form.when = parse_expression(text_of(*when, "when"), scope);
    form.run = statements(json, "run", scope);
    if (const Json* returns = member(json, "returns")) {
      for (const std::string& text : texts_of(*returns, "returns")) form.returns.push_back(parse_expression(text, scope));
    } else if (!form.run.empty()) {
      for (const Target& target : form.run.back().targets) {
        if (target.discard) continue;
        Expression value;
        value.kind = Expression::Kind::kSlot;
        value.slot = target.slot;
        form.returns.push_back(std::move(value));
      }
    }
    const Json* own = member(json, "backward");
    if (const Json* backward = own != nullptr ? own : common_backward) read_backward(*backward, scope, function, form);
    function.slot_count = std::max(function.slot_count, scope.size());
    function.forms.push_back(std::move(form));
  }

  void read_backward(const Json& json, Scope& scope, const ApiFunction& function, Form& form) {
    if (json.IsNull()) return;
    if (!json.IsObject()) refuse("'backward' is not an object");
    form.has_backward = true;
    form.backward = statements(json, "run", scope);
    const Json* gives = member(json, "gives");
    if (gives == nullptr || !gives->IsObject()) refuse("'backward' has no 'gives'");
    for (const auto& gradient : gives->GetObject()) {
      const std::string name(gradient.name.GetString(), gradient.name.GetStringLength());
      form.gives.push_back({index_of(function, name), parse_expression(text_of(gradient.value, "a gradient"), scope)});
    }
    for (const std::size_t slot : function.gradient_slots) form.takes_gradient.push_back(makes_use_of(form, slot));
    form.backward_needs_run = needs_run(form);
  }

  static bool needs_run(const Form& form) {
    const auto computed = [](const Expression& value) { return value.kind != Expression::Kind::kSlot; };
    if (std::any_of(form.returns.begin(), form.returns.end(), computed)) return true;
    std::vector<std::size_t> slots;
    for (const Statement& statement : form.run) {
      const auto uses = [&](std::size_t slot) { return makes_use_of(statement.value, slot); };
      if (statement.operation == nullptr) {
        if (std::any_of(slots.begin(), slots.end(), uses)) return true;
        continue;
      }
      // Without a result it writes an argument.
      if (statement.targets.empty()) return true;
      for (const Target& target : statement.targets) {
        if (target.largest || (!target.discard && makes_use_of(form, target.slot))) return true;
        if (!target.discard) slots.push_back(target.slot);
      }
    }
    return false;
  }

  ApiTable& table_;
  rapidjson::Document document_;
};

ApiTable ApiTable::load(const std::string& path) {
  ApiTable table;
  const std::string text = read_file(path);
  try {
    TableReader(table).read(text);
  } catch (const Error& e) {
    refuse("read operator table '" + path + "': " + e.what());
  }
  return table;
}

const ApiFunction* ApiTable::find(const std::string& name) const {
  auto found = functions_.find(name);
  if (found != functions_.end()) return &found->second;
  const auto alias = aliases_.find(name);
  if (alias == aliases_.end()) return nullptr;
  found = functions_.find(alias->second);
  return found != functions_.end() ? &found->second : nullptr;
}

ResolvedApi ApiTable::resolve(const std::string& api) const {
  const std::size_t dot = api.find('.');
  const std::string name = dot == std::string::npos ? api : api.substr(dot + 1);
  for (const std::string& key : {api, name}) {
    if (const ApiFunction* function = find(key)) return {function, false};
    const bool dunder = key.size() > 4 && key.compare(key.size() - 2, 2, "__") == 0;
    if (!dunder && key.size() > 1 && key.back() == '_') {
      if (const ApiFunction* function = find(key.substr(0, key.size() - 1))) return {function, true};
    }
    // __iadd__ is __add__ in place
    if (dunder && key.compare(0, 3, "__i") == 0) {
      if (const ApiFunction* function = find("__" + key.substr(3))) return {function, true};
    }
  }
  throw Error(ASSAY_NOT_FOUND, "the operator table of aclnn has no '" + api + "'");
}

bool ApiTable::is_ignored(const std::string& keyword) const {
  return std::find(ignored_.begin(), ignored_.end(), keyword) != ignored_.end();
}

}  // namespace assay::npu
