#include "config/pipeline_config.hpp"

#include <algorithm>

#include "base/locations.hpp"
#include "base/text.hpp"
#include "config/json.hpp"
#include "config/layers.hpp"
#include "config/schema.hpp"

namespace assay {

namespace {

using Json = rapidjson::Value;
using Allocator = rapidjson::Document::AllocatorType;

Json text(const std::string& value, Allocator& allocator) { return Json(value, allocator); }

Json source_from_flag(const std::string& name, const char* precision, Allocator& allocator) {
  Json source(rapidjson::kObjectType);
  if (name == "recorded" || name == "auto") {
    source.AddMember("source", text(name, allocator), allocator);
  } else {
    source.AddMember("adapter", text(name, allocator), allocator);
    source.AddMember("precision", text(precision, allocator), allocator);
  }
  return source;
}

Json texts(const std::vector<std::string>& values, Allocator& allocator) {
  Json array(rapidjson::kArrayType);
  for (const std::string& value : values) array.PushBack(text(value, allocator), allocator);
  return array;
}

void set(Json& object, const char* key, Json value, Allocator& allocator) {
  object.RemoveMember(key);
  object.AddMember(Json(key, allocator), std::move(value), allocator);
}

void apply_flags(Json& config, const ConfigFlags& flags, Allocator& allocator) {
  if (flags.target) set(config, "target", source_from_flag(*flags.target, "as-recorded", allocator), allocator);
  if (flags.reference) set(config, "reference", source_from_flag(*flags.reference, "float64", allocator), allocator);
  if (flags.precision && config.HasMember("reference") && config["reference"].IsObject()) {
    set(config["reference"], "precision", text(*flags.precision, allocator), allocator);
  }
  if (flags.standard) set(config, "standard", text(*flags.standard, allocator), allocator);
  if (flags.inputs) set(config, "inputs", text(*flags.inputs, allocator), allocator);
  if (flags.seed) set(config, "seed", Json(*flags.seed), allocator);
  if (flags.threads) set(config, "threads", Json(*flags.threads), allocator);
  if (!flags.api.empty()) set(config, "only", texts(flags.api, allocator), allocator);
  if (!flags.skip.empty()) set(config, "skip", texts(flags.skip, allocator), allocator);
  if (flags.dedup) set(config, "dedup", Json(true), allocator);
  if (flags.sample) set(config, "sample", Json(*flags.sample), allocator);
  if (!flags.formats.empty()) set(config, "formats", texts(flags.formats, allocator), allocator);
}

SourceConfig read_source(const Json& source) {
  SourceConfig out;
  if (source.HasMember("adapter")) {
    out.kind = SourceConfig::Kind::kAdapter;
    out.adapter = component_id(source["adapter"].GetString());
    out.precision = read_text_or(source, "precision", "as-recorded");
    out.config_json = read_object_or_empty(source, "config");
  } else {
    out.kind = read_text_or(source, "source", "auto") == "recorded" ? SourceConfig::Kind::kRecorded : SourceConfig::Kind::kAuto;
  }
  return out;
}

bool any_match(const std::vector<std::string>& globs, const std::string& stem, const std::string& api) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return glob_match(glob, stem) || glob_match(glob, api); });
}

}  // namespace

std::string component_id(const std::string& name) {
  const bool has_domain = name.substr(0, name.find('@')).find('.') != std::string::npos;
  return has_domain ? name : "assay." + name;
}

Result<PipelineConfig> PipelineConfig::load(const std::string& pipeline, const std::filesystem::path& user_file,
                                            const ConfigFlags& flags) {
  Result<Schema> schema = Schema::load(share_folder() / "schemas" / "pipeline.schema.json");
  if (!schema) return schema.failure();
  const std::filesystem::path shipped = share_folder() / "pipelines" / (pipeline + ".json");
  Result<rapidjson::Document> document = load_json(shipped);
  if (!document) return document.failure();
  if (Status s = schema->check(*document, shipped.string()); !s) return s.failure();
  if (!user_file.empty()) {
    Result<rapidjson::Document> user = load_json(user_file);
    if (!user) return user.failure();
    if (Status s = schema->check(*user, user_file.string()); !s) return s.failure();
    merge_layer(*document, *user, document->GetAllocator());
  }
  apply_flags(*document, flags, document->GetAllocator());
  if (Status s = schema->check(*document, "command line"); !s) return s.failure();

  const Json& merged = *document;
  PipelineConfig config;
  if (merged.HasMember("target")) config.target = read_source(merged["target"]);
  if (merged.HasMember("reference")) config.reference = read_source(merged["reference"]);
  if (merged.HasMember("reference") && config.reference.kind != SourceConfig::Kind::kAdapter) {
    return input_failure("use the configured reference: expected an adapter such as \"torch\", got \"" +
                         read_text_or(merged["reference"], "source", "auto") + "\"");
  }
  for (const Json& comparison : merged["comparisons"].GetArray()) {
    config.comparisons.push_back({component_id(comparison["component"].GetString()), read_object_or_empty(comparison, "config")});
  }
  config.standard = merged["standard"].GetString();
  if (merged.HasMember("overrides")) config.overrides_json = json_text(merged["overrides"]);
  config.inputs = read_text_or(merged, "inputs", "assay") == "msprobe" ? InputRule::kMsprobe : InputRule::kAssay;
  if (merged.HasMember("seed")) config.seed = merged["seed"].GetUint64();
  if (merged.HasMember("threads")) config.threads = merged["threads"].GetUint();
  config.only = read_texts(merged, "only");
  config.skip = read_texts(merged, "skip");
  config.dedup = merged.HasMember("dedup") && merged["dedup"].GetBool();
  if (merged.HasMember("sample")) config.sample = merged["sample"].GetUint();
  config.formats = read_texts(merged, "formats");
  config.json = indented_json(merged);
  return config;
}

bool PipelineConfig::selects(const std::string& stem, const std::string& api) const {
  return (only.empty() || any_match(only, stem, api)) && !any_match(skip, stem, api);
}

}  // namespace assay
