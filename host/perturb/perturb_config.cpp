#include "perturb/perturb_config.hpp"

#include <algorithm>

#include "base/locations.hpp"
#include "base/text.hpp"
#include "config/json.hpp"
#include "config/layers.hpp"
#include "config/schema.hpp"
#include "perturb/perturbation_stages.hpp"

namespace assay {

namespace {

using Json = rapidjson::Value;
using Allocator = rapidjson::Document::AllocatorType;

/// A layer made of the command line.
class FlagLayer {
 public:
  explicit FlagLayer(const PerturbFlags& flags) {
    document_.SetObject();
    if (flags.engine) {
      Json engine(rapidjson::kObjectType);
      engine.AddMember("adapter", text(*flags.engine), allocator());
      engine.AddMember("precision", text(flags.precision.value_or("as-recorded")), allocator());
      set("engine", std::move(engine));
    } else if (flags.precision) {
      Json engine(rapidjson::kObjectType);
      engine.AddMember("precision", text(*flags.precision), allocator());
      set("engine", std::move(engine));
    }
    if (!flags.perturbations.empty()) {
      Json list(rapidjson::kArrayType);
      for (const std::string& name : flags.perturbations) {
        Json stage(rapidjson::kObjectType);
        stage.AddMember("component", text(name), allocator());
        list.PushBack(stage, allocator());
      }
      set("perturbations", std::move(list));
    }
    set_text("inputs", flags.inputs);
    set_text("stage", flags.stage);
    set_text("handler", flags.handler);
    set_text("compat", flags.compat);
    set_text("stability", flags.stability);
    set_text("made_inputs", flags.made_inputs);
    if (flags.seeds) set("seeds", Json(*flags.seeds));
    if (flags.seed) set("seed", Json(*flags.seed));
    if (flags.threads) set("threads", Json(*flags.threads));
    set_texts("only", flags.api);
    set_texts("skip", flags.skip);
    set_texts("formats", flags.formats);
  }

  [[nodiscard]] const rapidjson::Document& document() const { return document_; }

 private:
  Allocator& allocator() { return document_.GetAllocator(); }
  Json text(const std::string& value) { return Json(value, allocator()); }
  void set(const char* key, Json value) { document_.AddMember(Json(key, allocator()), std::move(value), allocator()); }
  void set_text(const char* key, const std::optional<std::string>& value) {
    if (value) set(key, text(*value));
  }
  void set_texts(const char* key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    Json list(rapidjson::kArrayType);
    for (const std::string& value : values) list.PushBack(text(value), allocator());
    set(key, std::move(list));
  }

  rapidjson::Document document_;
};

InputChoice read_inputs(const std::string& name) {
  if (name == "first") return InputChoice::kFirst;
  return name == "all" ? InputChoice::kAll : InputChoice::kEach;
}

PerturbHandler read_handler(const std::string& name) {
  if (name == "fix") return PerturbHandler::kFix;
  return name == "preheat" ? PerturbHandler::kPreheat : PerturbHandler::kCheck;
}

/// Rules between settings that a schema can't say. `origin` names the layer that was applied last.
Status check_rules(const PerturbConfig& config, const std::string& origin) {
  const auto problem = [&](const std::string& what) { return input_failure(origin + ": " + what); };
  if (config.compat && config.backward && config.only.empty()) {
    return problem(
        "/only: expected the names of APIs, got an empty list; the backward stage of a whole network is too heavy, name some with "
        "\"only\" or --api");
  }
  if (config.handler == PerturbHandler::kFix) {
    if (config.backward) return problem("/stage: expected \"forward\"; the handler \"fix\" works on forward results only");
    for (const PerturbationStage& stage : config.stages) {
      const std::string& component = stage.chain.front().component;
      if (stage.chain.size() != 1 || (component != "assay.improve-precision" && component != "assay.to-cpu")) {
        return problem("/perturbations: expected improve-precision or to-cpu, got '" + stage.name +
                       "'; the handler \"fix\" replaces results, so they must not be noisy");
      }
    }
  }
  return Done{};
}

}  // namespace

Result<PerturbConfig> PerturbConfig::load(const std::filesystem::path& user_file, const PerturbFlags& flags) {
  Result<Schema> schema = Schema::load(share_folder() / "schemas" / "perturb.schema.json");
  if (!schema) return schema.failure();
  const std::filesystem::path shipped = share_folder() / "pipelines" / "perturb.json";
  Result<rapidjson::Document> document = load_json(shipped);
  if (!document) return document.failure();
  if (Status s = schema->check(*document, shipped.string()); !s) return s.failure();
  std::string origin = shipped.string();
  bool own_list = false;
  const auto apply = [&](const rapidjson::Document& layer, const std::string& from) -> Status {
    if (Status s = schema->check(layer, from); !s) return s;
    merge_layer(*document, layer, document->GetAllocator());
    origin = from;
    own_list = own_list || layer.HasMember("perturbations");
    return Done{};
  };
  if (!user_file.empty()) {
    Result<rapidjson::Document> user = load_json(user_file);
    if (!user) return user.failure();
    if (Status s = apply(*user, user_file.string()); !s) return s.failure();
  }
  const FlagLayer layer(flags);
  if (layer.document().MemberCount() != 0) {
    if (Status s = apply(layer.document(), "command line"); !s) return s.failure();
  }

  const Json& merged = *document;
  PerturbConfig config;
  config.compat = read_text_or(merged, "compat", "none") == "msprobe";
  const Json& engine = merged["engine"];
  config.engine.kind = SourceConfig::Kind::kAdapter;
  config.engine.adapter = component_id(read_text_or(engine, "adapter", "torch"));
  config.engine.precision = read_text_or(engine, "precision", "as-recorded");
  config.engine.config_json = read_object_or_empty(engine, "config");
  for (const Json& stage : merged["perturbations"].GetArray()) config.stages.push_back(read_stage(stage));
  config.inputs = config.compat ? InputChoice::kPeer : read_inputs(read_text_or(merged, "inputs", "each"));
  const std::string stage = read_text_or(merged, "stage", config.compat ? "forward" : "both");
  config.forward = stage != "backward";
  config.backward = stage != "forward";
  config.handler = read_handler(read_text_or(merged, "handler", "check"));
  if (merged.HasMember("preheat")) {
    const Json& preheat = merged["preheat"];
    if (preheat.HasMember("steps")) config.preheat_steps = preheat["steps"].GetInt();
    if (preheat.HasMember("max_samples")) config.preheat_samples = preheat["max_samples"].GetUint();
  }
  config.stability = read_text_or(merged, "stability", "stability");
  config.made_inputs = read_text_or(merged, "made_inputs", "assay") == "msprobe" ? InputRule::kMsprobe : InputRule::kAssay;
  if (merged.HasMember("seeds")) config.seeds = merged["seeds"].GetUint();
  if (merged.HasMember("seed")) config.seed = merged["seed"].GetUint64();
  if (merged.HasMember("threads")) config.threads = merged["threads"].GetUint();
  config.only = read_texts(merged, "only");
  config.skip = read_texts(merged, "skip");
  config.formats = read_texts(merged, "formats");
  config.json = indented_json(merged);
  if (config.compat) {
    // The shipped list has variants that only we have; the peer knows each component once.
    std::vector<PerturbationStage> plain;
    for (PerturbationStage& each : config.stages) {
      if (own_list || each.chain.front().config_json == "{}") plain.push_back(std::move(each));
    }
    config.stages = std::move(plain);
    if (Status s = make_compatible(config.stages); !s) return input_failure(origin + ": " + s.failure().message);
  }
  if (Status s = check_rules(config, origin); !s) return s.failure();
  return config;
}

bool PerturbConfig::selects(const std::string& stem, const std::string& api) const {
  const auto any = [&](const std::vector<std::string>& globs) {
    return std::any_of(globs.begin(), globs.end(),
                       [&](const std::string& glob) { return glob_match(glob, stem) || glob_match(glob, api); });
  };
  return (only.empty() || any(only)) && !any(skip);
}

}  // namespace assay
