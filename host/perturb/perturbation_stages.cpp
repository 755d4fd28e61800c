#include "perturb/perturbation_stages.hpp"

#include "base/text.hpp"
#include "config/layers.hpp"
#include "config/pipeline_config.hpp"

namespace assay {

using Json = rapidjson::Value;

namespace {

PerturbationConfig read_part(const Json& part) {
  return {component_id(part["component"].GetString()), read_object_or_empty(part, "config")};
}

}  // namespace

PerturbationStage read_stage(const Json& json) {
  PerturbationStage stage;
  if (json.HasMember("chain")) {
    std::vector<std::string> names;
    for (const Json& part : json["chain"].GetArray()) {
      stage.chain.push_back(read_part(part));
      names.emplace_back(part["component"].GetString());
    }
    stage.name = join(names, "+");
  } else {
    stage.chain.push_back(read_part(json));
    stage.name = json["component"].GetString();
  }
  stage.name = read_text_or(json, "name", stage.name);
  stage.classes = read_texts(json, "classes");
  return stage;
}

Status make_compatible(std::vector<PerturbationStage>& stages) {
  for (PerturbationStage& stage : stages) {
    for (PerturbationConfig& part : stage.chain) {
      if (part.config_json != "{}") {
        return input_failure("/perturbations: '" + stage.name +
                             "' has a configuration of its own; \"compat\": \"msprobe\" fixes it, " + "remove \"config\"");
      }
      part.config_json = R"({"compat": "msprobe"})";
    }
  }
  return Done{};
}

}  // namespace assay
