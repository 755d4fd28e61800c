#include "watch/api_names.hpp"

#include "base/locations.hpp"
#include "config/json.hpp"

namespace assay {

Result<ApiNames> ApiNames::load() {
  const std::filesystem::path path = share_folder() / "apis" / "watch.json";
  Result<rapidjson::Document> document = load_json(path);
  if (!document) return document.failure();
  const auto malformed = [&] {
    return input_failure("read " + path.string() + ": expected \"functional\" (names) and \"renamed\" (name to name)");
  };
  if (!document->IsObject() || !document->HasMember("functional") || !document->HasMember("renamed")) return malformed();
  const rapidjson::Value& functional = (*document)["functional"];
  const rapidjson::Value& renamed = (*document)["renamed"];
  if (!functional.IsArray() || !renamed.IsObject()) return malformed();
  ApiNames out;
  for (const rapidjson::Value& name : functional.GetArray()) {
    if (!name.IsString()) return malformed();
    out.functional_.insert(name.GetString());
  }
  for (const auto& member : renamed.GetObject()) {
    if (!member.value.IsString()) return malformed();
    out.renamed_[member.name.GetString()] = member.value.GetString();
  }
  return out;
}

std::string ApiNames::api_of(const std::string& op) const {
  const std::size_t colons = op.find("::");
  if (colons == std::string::npos) return op;
  std::string name = op.substr(colons + 2);
  if (op.compare(0, colons, "aten") != 0) return op.substr(0, colons) + "." + name;
  if (const auto found = renamed_.find(name); found != renamed_.end()) name = found->second;
  const bool in_place = name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_';
  if (functional_.count(name) != 0) return "Functional." + name;
  return (in_place ? "Tensor." : "Torch.") + name;
}

}  // namespace assay
