#include "watch/watch_config.hpp"

#include <algorithm>
#include <charconv>

#include "base/locations.hpp"
#include "base/text.hpp"
#include "config/json.hpp"
#include "config/layers.hpp"
#include "config/schema.hpp"

namespace assay {

namespace {

using Json = rapidjson::Value;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "5%" -> 0.05, "none" -> nothing.
Result<std::optional<double>> read_budget(const std::string& text, const std::string& origin) {
  if (text == "none") return std::optional<double>();
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || std::string_view(end) != "%" || !(percent > 0) || percent > 1000) {
    return input_failure(origin + ": /budget: expected a share such as \"5%\", or \"none\", got \"" + escape_control(text) + "\"");
  }
  return std::optional<double>(percent / 100);
}

Status read_ranges(const Json& document, const char* key, const std::string& origin, NumberRanges& out) {
  if (!document.HasMember(key)) return Done{};
  for (const Json& item : document[key].GetArray()) {
    if (item.IsInt64()) {
      out.add(item.GetInt64());
    } else if (Status s = out.add(item.GetString()); !s) {
      return input_failure(origin + ": /" + key + ": " + s.failure().message);
    }
  }
  return Done{};
}

WatchInputs read_inputs(const std::string& name) {
  if (name == "first") return WatchInputs::kFirst;
  if (name == "each") return WatchInputs::kEach;
  return name == "all" ? WatchInputs::kAll : WatchInputs::kRotate;
}

PerturbHandler read_handler(const std::string& name) {
  if (name == "fix") return PerturbHandler::kFix;
  return name == "preheat" ? PerturbHandler::kPreheat : PerturbHandler::kCheck;
}

CallSites read_call_sites(const std::string& name) {
  if (name == "none") return CallSites::kNone;
  return name == "all" ? CallSites::kAll : CallSites::kFindings;
}

/// Rules between settings that a schema can't say.
Status check_rules(const WatchConfig& config, const std::string& origin) {
  const auto problem = [&](const std::string& what) { return input_failure(origin + ": " + what); };
  if (config.compat && config.backward && config.only.empty() && config.contains.empty()) {
    return problem(
        "/only: expected the names of APIs, got an empty list; the peer's backward stage of a whole network is too "
        "heavy, name some with \"only\" (in its own config: \"list\")");
  }
  if (config.handler != PerturbHandler::kFix) return Done{};
  if (config.backward) return problem("/stage: expected \"forward\"; the handler \"fix\" works on forward results only");
  if (config.stages.size() != 1) return problem("/perturbations: expected one; the handler \"fix\" has one replacement to give");
  const PerturbationStage& stage = config.stages.front();
  const std::string& component = stage.chain.front().component;
  if (stage.chain.size() != 1 || (component != "assay.improve-precision" && component != "assay.to-cpu")) {
    return problem("/perturbations: expected improve-precision or to-cpu, got '" + stage.name +
                   "'; the handler \"fix\" replaces results, so they must not be noisy");
  }
  return Done{};
}

bool matches(const std::vector<std::string>& globs, std::initializer_list<const std::string*> names) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return std::any_of(names.begin(), names.end(), [&](const std::string* name) { return glob_match(glob, *name); });
  });
}

}  // namespace

Status NumberRanges::add(std::string_view text) {
  const std::size_t dash = text.find('-', 1);
  const auto first = number_of(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number_of(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first) {
    return input_failure("expected a number or a range such as \"2-5\", got \"" + escape_control(text) + "\"");
  }
  ranges_.emplace_back(*first, *last);
  return Done{};
}

bool NumberRanges::holds(std::int64_t number) const {
  return ranges_.empty() || std::any_of(ranges_.begin(), ranges_.end(),
                                        [&](const auto& range) { return number >= range.first && number <= range.second; });
}

Result<WatchConfig> WatchConfig::load(std::string_view text, const std::string& origin) {
  Result<Schema> schema = Schema::load(share_folder() / "schemas" / "watch.schema.json");
  if (!schema) return schema.failure();
  const std::filesystem::path shipped = share_folder() / "pipelines" / "watch.json";
  Result<rapidjson::Document> document = load_json(shipped);
  if (!document) return document.failure();
  if (Status s = schema->check(*document, shipped.string()); !s) return s.failure();
  WatchConfig config;
  if (!text.empty()) {
    Result<rapidjson::Document> user = parse_json(text, origin);
    if (!user) return user.failure();
    if (is_msprobe_config(*user)) {
      Result<rapidjson::Document> layer = watch_layer_of(*user, origin);
      if (!layer) return layer.failure();
      user = std::move(*layer);
    }
    if (Status s = schema->check(*user, origin); !s) return s.failure();
    merge_layer(*document, *user, document->GetAllocator());
  }
  const Json& merged = *document;
  config.compat = read_text_or(merged, "compat", "none") == "msprobe";
  for (const Json& stage : merged["perturbations"].GetArray()) config.stages.push_back(read_stage(stage));
  config.inputs = config.compat ? WatchInputs::kFirst : read_inputs(read_text_or(merged, "inputs", "rotate"));
  const std::string stage = read_text_or(merged, "stage", "both");
  config.handler = read_handler(read_text_or(merged, "handler", "check"));
  config.forward = stage != "backward";
  config.backward = stage != "forward";
  if (merged.HasMember("preheat")) {
    const Json& preheat = merged["preheat"];
    if (preheat.HasMember("steps")) config.preheat_steps = preheat["steps"].GetInt();
    if (preheat.HasMember("max_samples")) config.preheat_samples = preheat["max_samples"].GetUint();
  }
  config.stability = read_text_or(merged, "stability", "stability");
  Result<std::optional<double>> budget = read_budget(read_text_or(merged, "budget", "10%"), origin);
  if (!budget) return budget.failure();
  config.budget = *budget;
  config.memory_limit = merged["memory_limit_mib"].GetUint64() << 20;
  config.only = read_texts(merged, "only");
  config.skip = read_texts(merged, "skip");
  config.contains = read_texts(merged, "contains");
  config.modules = read_texts(merged, "modules");
  config.namespaces = read_texts(merged, "namespaces");
  if (Status s = read_ranges(merged, "steps", origin, config.steps); !s) return s.failure();
  if (Status s = read_ranges(merged, "ranks", origin, config.ranks); !s) return s.failure();
  config.call_sites = read_call_sites(read_text_or(merged, "call_sites", "findings"));
  config.all_rows = read_text_or(merged, "rows", "findings") == "all";
  for (const std::string& format : read_texts(merged, "formats")) {
    config.msprobe_file = config.msprobe_file || format == "msprobe";
    config.jsonl = config.jsonl || format == "jsonl";
  }
  if (merged.HasMember("seed")) config.seed = merged["seed"].GetUint64();
  config.dump_path = read_text_or(merged, "peer_path", "");
  config.json = indented_json(merged);
  if (config.compat) {
    if (Status s = make_compatible(config.stages); !s) return input_failure(origin + ": " + s.failure().message);
  }
  if (Status s = check_rules(config, origin); !s) return s.failure();
  return config;
}

bool WatchConfig::selects(const std::string& stem, const std::string& api, const std::string& op,
                          const std::string& full_name) const {
  if (!only.empty() && !matches(only, {&stem, &api, &op, &full_name})) return false;
  if (!contains.empty() && std::none_of(contains.begin(), contains.end(), [&](const std::string& part) {
        return full_name.find(part) != std::string::npos || op.find(part) != std::string::npos;
      })) {
    return false;
  }
  return skip.empty() || !matches(skip, {&stem, &api, &op, &full_name});
}

}  // namespace assay
