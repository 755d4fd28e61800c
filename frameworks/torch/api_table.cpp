#include "api_table.hpp"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "assay/sdk/error.hpp"

namespace assay::torch_adapter {
namespace {

using Json = rapidjson::Value;

/// Reads members of the table's objects; every failure names the file and the JSON pointer.
class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& pointer, const std::string& problem) const {
    throw Error(ASSAY_INVALID_ARGUMENT, path_ + ": " + pointer + ": " + problem);
  }

  std::string text(const Json& json, const std::string& pointer) const {
    if (!json.IsString()) fail(pointer, "expected a string");
    return {json.GetString(), json.GetStringLength()};
  }

  std::size_t index(const Json& json, const std::string& pointer) const {
    if (!json.IsUint()) fail(pointer, "expected a non-negative integer");
    return json.GetUint();
  }

  /// A list of strings, or one string.
  std::vector<std::string> texts(const Json& json, const std::string& pointer) const {
    if (json.IsString()) return {text(json, pointer)};
    if (!json.IsArray()) fail(pointer, "expected a string or a list of strings");
    std::vector<std::string> out;
    for (const Json& item : json.GetArray()) out.push_back(text(item, pointer + "/" + std::to_string(out.size())));
    return out;
  }

  template <class F>
  void members(const Json& json, const std::string& pointer, F&& f) const {
    if (!json.IsObject()) fail(pointer.empty() ? "/" : pointer, "expected an object");
    for (const auto& member : json.GetObject())
      f(text(member.name, pointer), member.value, pointer + "/" + text(member.name, pointer));
  }

 private:
  std::string path_;
};

ApiEntry read_entry(const Reader& reader, const Json& json, const std::string& pointer) {
  ApiEntry entry;
  if (json.IsString()) {
    entry.operators = {reader.text(json, pointer)};
    return entry;
  }
  reader.members(json, pointer, [&](const std::string& key, const Json& value, const std::string& at) {
    if (key == "as") {
      entry.alias = reader.text(value, at);
    } else if (key == "operator") {
      entry.operators = reader.texts(value, at);
    } else if (key == "function") {
      entry.functions = reader.texts(value, at);
    } else if (key == "fallback") {
      entry.fallbacks = reader.texts(value, at);
    } else if (key == "defaults") {
      reader.members(value, at, [&](const std::string& name, const Json& number, const std::string& where) {
        entry.defaults[name] = static_cast<std::int64_t>(reader.index(number, where));
      });
    } else if (key == "hook") {
      entry.hook = reader.text(value, at);
    } else if (key == "order") {
      if (!value.IsArray()) reader.fail(at, "expected a list of positions");
      for (const Json& item : value.GetArray()) entry.order.push_back(reader.index(item, at));
    } else if (key == "rename") {
      reader.members(value, at, [&](const std::string& from, const Json& to, const std::string& where) {
        entry.rename[from] = reader.text(to, where);
      });
    } else if (key == "drop") {
      entry.drop = reader.texts(value, at);
    } else if (key == "variadic") {
      entry.variadic = reader.index(value, at);
    } else if (key == "returns" && reader.text(value, at) == "list") {
      entry.returns_list = true;
    } else if (key == "returns" && reader.text(value, at) == "tuple") {
      entry.returns_tuple = true;
    } else if (key == "precision" && reader.text(value, at) == "as-recorded") {
      entry.as_recorded = true;
    } else if (key == "unsupported") {
      entry.unsupported = reader.text(value, at);
    } else if (key != "comment") {
      reader.fail(at, "unknown key or value");
    }
  });
  return entry;
}

}  // namespace

ApiTable ApiTable::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ASSAY_INVALID_ARGUMENT, "no API table at '" + path + "'; set the key 'apis' of the configuration");
  std::stringstream content;
  content << file.rdbuf();
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseCommentsFlag>(content.str());
  if (document.HasParseError()) {
    throw Error(ASSAY_INVALID_ARGUMENT, path + ": byte " + std::to_string(document.GetErrorOffset()) + ": " +
                                            rapidjson::GetParseError_En(document.GetParseError()));
  }

  const Reader reader(path);
  ApiTable table;
  reader.members(document, "", [&](const std::string& key, const Json& value, const std::string& pointer) {
    if (key == "format") {
      if (reader.index(value, pointer) != 1) reader.fail(pointer, "expected 1, the only format that this adapter reads");
    } else if (key == "functions") {
      const std::filesystem::path folder = std::filesystem::path(path).parent_path();
      for (const std::string& name : reader.texts(value, pointer)) table.function_files_.push_back((folder / name).string());
    } else if (key == "argument_names") {
      reader.members(value, pointer, [&](const std::string& name, const Json& others, const std::string& at) {
        table.argument_names_[name] = reader.texts(others, at);
      });
    } else if (key == "ignored_keywords") {
      table.ignored_keywords_ = reader.texts(value, pointer);
    } else if (key == "hidden_overloads") {
      for (const std::string& name : reader.texts(value, pointer)) table.hidden_overloads_.insert(name);
    } else if (key == "since") {
      reader.members(value, pointer, [&](const std::string& name, const Json& version, const std::string& at) {
        table.since_[name] = reader.text(version, at);
      });
    } else if (key == "as_recorded") {
      for (const std::string& name : reader.texts(value, pointer)) table.apis_[name].as_recorded = true;
    } else if (key == "apis") {
      reader.members(value, pointer, [&](const std::string& api, const Json& entry, const std::string& at) {
        const bool as_recorded = table.apis_[api].as_recorded;
        table.apis_[api] = read_entry(reader, entry, at);
        table.apis_[api].as_recorded = table.apis_[api].as_recorded || as_recorded;
      });
    } else if (key != "comment") {
      reader.fail(pointer, "unknown key");
    }
  });
  return table;
}

const ApiEntry* ApiTable::find(const std::string& api) const {
  const auto found = apis_.find(api);
  return found == apis_.end() ? nullptr : &found->second;
}

}  // namespace assay::torch_adapter
