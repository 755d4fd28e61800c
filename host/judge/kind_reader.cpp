// Decodes the kinds of judgement that are not by value.
#include <algorithm>

#include "judge/factor_recipes.hpp"
#include "judge/standard_reader.hpp"

namespace assay {

namespace {

constexpr std::pair<std::string_view, KindName> kKinds[] = {
    {"dropout", KindName::kDropout},        {"distribution", KindName::kDistribution},   {"range", KindName::kRange},
    {"zero_counts", KindName::kZeroCounts}, {"uninitialised", KindName::kUninitialised}, {"indices", KindName::kIndices},
    {"factors", KindName::kFactors}};

std::size_t read_count(JsonCursor& at, const char* key, std::size_t fallback) {
  const auto number = at.integer(key);
  if (!number) return fallback;
  if (*number >= 0) return static_cast<std::size_t>(*number);
  at.problem("'" + std::string(key) + "' must not be negative");
  return fallback;
}

}  // namespace

ArgumentSpec read_argument(JsonCursor& at) {
  ArgumentSpec out;
  if (at.has("position")) out.position = read_count(at, "position", 0);
  out.name = at.text("name");
  if (auto fallback = at.member("default")) {
    if (fallback->value().IsNumber()) {
      out.fallback = fallback->value().GetDouble();
    } else if (fallback->value().IsBool()) {
      out.fallback = fallback->value().GetBool() ? 1.0 : 0.0;
    } else if (!fallback->value().IsNull()) {
      fallback->problem("expected a number, true, false or null");
    }
  }
  at.refuse_unknown_keys();
  return out;
}

std::optional<ArgumentSpec> read_argument(JsonCursor& parent, const char* key) {
  auto at = parent.member(key);
  if (!at || !at->require_object()) return std::nullopt;
  return read_argument(*at);
}

Kind read_kind(JsonCursor& at) {
  Kind out;
  if (!at.require_object()) return out;
  if (!at.has("kind")) at.problem("'kind' is missing");
  out.kind = at.choice("kind", KindName::kUninitialised, kKinds);
  out.apis = at.texts("apis");
  if (out.apis.empty()) at.problem("'apis' names no API");
  out.direction = at.choice<std::string>("direction", "", {{"forward", "forward"}, {"backward", "backward"}});
  out.when = read_argument(at, "when");
  out.above = at.number("above").value_or(0);
  switch (out.kind) {
    case KindName::kDropout:
      if (const auto p = read_argument(at, "probability")) {
        out.probability = *p;
      } else {
        at.problem("'probability' is missing");
      }
      out.unit_dims = read_count(at, "unit_dims", 0);
      [[fallthrough]];
    case KindName::kDistribution:
      out.training = read_argument(at, "training");
      out.pass_sigma = at.number("pass_sigma").value_or(3);
      out.warning_sigma = at.number("warning_sigma").value_or(5);
      break;
    case KindName::kZeroCounts:
      out.max_share = at.number("max_share").value_or(0.1);
      out.min_elements = at.number("min_elements").value_or(0);
      break;
    case KindName::kIndices:
      out.input = read_count(at, "input", 0);
      at.for_each("index_outputs", [&](JsonCursor& item) {
        if (item.value().IsUint()) {
          out.index_outputs.push_back(item.value().GetUint());
        } else {
          item.problem("expected the position of an output, got " + JsonCursor::describe(item.value()));
        }
      });
      if (out.index_outputs.empty()) at.problem("'index_outputs' is missing or empty");
      out.dim = read_argument(at, "dim");
      out.distinct = at.flag("distinct", false);
      out.spatial_dims = read_count(at, "spatial_dims", 0);
      break;
    case KindName::kFactors: {
      out.recipe = at.required_text("recipe");
      std::vector<std::string> known{"eig", "eigvals", "gradient"};
      for (const std::string_view name : recipe_names()) known.emplace_back(name);
      if (std::find(known.begin(), known.end(), out.recipe) == known.end())
        at.problem("'recipe' must be one of " + join(known, ", "));
      break;
    }
    case KindName::kRange: out.training = read_argument(at, "training"); break;
    case KindName::kUninitialised: out.if_grown = at.flag("if_grown", false); break;
  }
  at.refuse_unknown_keys();
  return out;
}

}  // namespace assay
