// A MindStudio Probe config.json as a configuration of the watch.
#include "base/text.hpp"
#include "config/json.hpp"
#include "watch/watch_config.hpp"

namespace assay {

namespace {

using Json = rapidjson::Value;

/// Builds the layer member by member; the first problem wins.
class Translation {
 public:
  Translation(const Json& section, std::string origin) : section_(section), origin_(std::move(origin)) { layer_.SetObject(); }

  void fail(const std::string& key, const std::string& what) {
    if (problem_.empty()) problem_ = origin_ + ": /free_benchmark/" + key + ": " + what;
  }

  /// The text of a field that has a fixed set of values.
  std::string choice(const char* key, const std::string& fallback, std::initializer_list<const char*> allowed) {
    const auto found = section_.FindMember(key);
    if (found == section_.MemberEnd()) return fallback;
    std::vector<std::string> names(allowed.begin(), allowed.end());
    for (const std::string& name : names) {
      if (found->value.IsString() && name == found->value.GetString()) return name;
    }
    fail(key, "expected one of " + join(names, ", ") + ", got " + json_excerpt(found->value));
    return fallback;
  }

  std::int64_t positive(const char* key, std::int64_t fallback) {
    const auto found = section_.FindMember(key);
    if (found == section_.MemberEnd()) return fallback;
    if (!found->value.IsInt64() || found->value.GetInt64() <= 0 || found->value.GetInt64() > 10000) {
      fail(key, "expected a whole number from 1 to 10000, got " + json_excerpt(found->value));
      return fallback;
    }
    return found->value.GetInt64();
  }

  bool flag(const char* key) {
    const auto found = section_.FindMember(key);
    if (found == section_.MemberEnd()) return false;
    if (!found->value.IsBool()) fail(key, "expected true or false, got " + json_excerpt(found->value));
    return found->value.IsBool() && found->value.GetBool();
  }

  bool has_names(const char* key) const {
    const auto found = section_.FindMember(key);
    return found != section_.MemberEnd() && found->value.IsArray() && !found->value.Empty();
  }

  void copy_list(const Json& from, const char* key, const char* as) {
    const auto found = from.FindMember(key);
    if (found == from.MemberEnd() || !found->value.IsArray() || found->value.Empty()) return;
    set(as, Json(found->value, allocator()));
  }
  void copy_list(const char* key, const char* as) { copy_list(section_, key, as); }

  void set(const char* key, Json value) { layer_.AddMember(Json(key, allocator()), std::move(value), allocator()); }
  void set_text(const char* key, const std::string& value) { set(key, Json(value, allocator())); }
  rapidjson::Document::AllocatorType& allocator() { return layer_.GetAllocator(); }

  Result<rapidjson::Document> finish() {
    if (!problem_.empty()) return input_failure(problem_);
    return std::move(layer_);
  }

 private:
  const Json& section_;
  std::string origin_;
  std::string problem_;
  rapidjson::Document layer_;
};

/// "add_noise" -> "add-noise".
std::string component_of(std::string mode) {
  for (char& c : mode) {
    if (c == '_') c = '-';
  }
  return mode;
}

}  // namespace

bool is_msprobe_config(const Json& document) {
  if (!document.IsObject()) return false;
  const auto task = document.FindMember("task");
  return document.HasMember("free_benchmark") ||
         (task != document.MemberEnd() && task->value.IsString() && std::string_view(task->value.GetString()) == "free_benchmark");
}

Result<rapidjson::Document> watch_layer_of(const Json& msprobe, const std::string& origin) {
  const auto task = msprobe.FindMember("task");
  if (task != msprobe.MemberEnd() && (!task->value.IsString() || std::string_view(task->value.GetString()) != "free_benchmark")) {
    return input_failure(origin + ": /task: expected \"free_benchmark\", got " + json_excerpt(task->value));
  }
  const Json none(rapidjson::kObjectType);
  const auto member = msprobe.FindMember("free_benchmark");
  const Json& section = member == msprobe.MemberEnd() ? none : member->value;
  if (!section.IsObject()) return input_failure(origin + ": /free_benchmark: expected an object, got " + json_excerpt(section));
  Translation out(section, origin);
  const std::string mode = out.choice("pert_mode", "improve_precision",
                                      {"improve_precision", "add_noise", "bit_noise", "change_value", "no_change", "to_cpu"});
  const std::string device = out.choice("fuzz_device", mode == "to_cpu" ? "cpu" : "npu", {"npu", "cpu"});
  if ((device == "cpu") != (mode == "to_cpu"))
    out.fail("fuzz_device", "\"cpu\" goes with the pert_mode \"to_cpu\" and with no other");
  const std::string handler = out.choice("handler_type", "check", {"check", "fix"});
  const std::string stage = out.choice("fuzz_stage", "forward", {"forward", "backward"});
  out.choice("fuzz_level", "L1", {"L1"});
  const bool preheat = out.flag("if_preheat");
  if (out.has_names("scope") && out.has_names("list")) out.fail("scope", "can't be used together with \"list\"");
  if (stage == "backward" && !out.has_names("list")) {
    out.fail("list", "expected the names of APIs; the backward stage of a whole network is too heavy");
  }
  if (handler == "fix" && (preheat || stage == "backward"))
    out.fail("handler_type", "\"fix\" is for the forward stage without preheating");

  Json part(rapidjson::kObjectType);
  part.AddMember("component", Json(component_of(mode), out.allocator()), out.allocator());
  Json list(rapidjson::kArrayType);
  list.PushBack(part, out.allocator());
  out.set("perturbations", std::move(list));
  out.set_text("compat", "msprobe");
  out.set_text("stage", stage);
  out.set_text("handler", preheat ? "preheat" : handler);
  Json preheating(rapidjson::kObjectType);
  preheating.AddMember("steps", Json(out.positive("preheat_step", 15)), out.allocator());
  preheating.AddMember("max_samples", Json(out.positive("max_sample", 20)), out.allocator());
  out.set("preheat", std::move(preheating));
  out.set_text("budget", "none");
  out.copy_list("scope", "only");
  out.copy_list("list", "contains");
  out.copy_list(msprobe, "step", "steps");
  out.copy_list(msprobe, "rank", "ranks");
  const auto path = msprobe.FindMember("dump_path");
  if (path != msprobe.MemberEnd() && path->value.IsString()) out.set_text("peer_path", path->value.GetString());
  Json formats(rapidjson::kArrayType);
  formats.PushBack("msprobe", out.allocator());
  out.set("formats", std::move(formats));
  return out.finish();
}

}  // namespace assay
