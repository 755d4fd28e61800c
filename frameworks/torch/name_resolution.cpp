#include "name_resolution.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <set>

#include "assay/sdk/error.hpp"

namespace assay::torch_adapter {
namespace {

/// Readings of a name that PyTorch's Python wouldn't look at first.
constexpr int kLinalgHandicap = 1;
constexpr int kInterpreterHandicap = 20;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::size_t from, char separator) {
  std::string out;
  for (std::size_t i = from; i < parts.size(); ++i) out += (i == from ? "" : std::string(1, separator)) + parts[i];
  return out;
}

bool takes_tensor(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(),
                     [](const c10::Argument& argument) { return argument.type()->kind() == c10::TypeKind::TensorType; });
}

/// All overloads of aten::name that the dispatcher or the interpreter has.
std::vector<Candidate> operators_of(const std::string& name, const std::string& overload, int handicap) {
  std::vector<Candidate> out;
  const auto symbol = c10::Symbol::fromQualString("aten::" + name);
  for (const auto& op : torch::jit::getAllOperatorsFor(symbol)) {
    const c10::FunctionSchema& schema = op->schema();
    if (!overload.empty() && schema.overload_name() != overload) continue;
    Candidate candidate;
    candidate.name = schema.name() + (schema.overload_name().empty() ? "" : "." + schema.overload_name());
    candidate.schema = &schema;
    candidate.handicap = handicap;
    const auto handle = c10::Dispatcher::singleton().findSchema(schema.operator_name());
    // The interpreter's operators on plain numbers are not torch's, and some end the process: 1 % 0.
    if (!handle && !takes_tensor(schema)) continue;
    if (handle) {
      candidate.run = [op = *handle](std::vector<c10::IValue>& stack) { op.callBoxed(&stack); };
    } else {
      candidate.handicap += kInterpreterHandicap;
      candidate.run = [op](std::vector<c10::IValue>& stack) { op->getOperation()(stack); };
    }
    out.push_back(std::move(candidate));
  }
  return out;
}

/// The name spaces of torch that have operators of their own under a prefix: torch.linalg.polar is aten::linalg_polar and never
/// aten::polar.
bool is_prefixed_space(const std::string& space) { return space == "linalg" || space == "fft" || space == "special"; }

void append(std::vector<Candidate>& out, std::vector<Candidate> more) {
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// What a name means by itself: "Torch.norm" is aten::norm, and torch.linalg.norm is recorded under the same name.
std::vector<Candidate> natural_operators(const std::string& family, const std::vector<std::string>& parts) {
  const std::string last = parts.back();
  std::vector<Candidate> out;
  if (family == "Aten") {
    append(out, operators_of(parts[1], parts.size() > 2 ? parts[2] : "", 0));
    return out;
  }
  if (parts.size() > 2) append(out, operators_of(join(parts, 1, '_'), "", 0));
  if (parts.size() > 2 && (!out.empty() || is_prefixed_space(parts[parts.size() - 2]))) return out;
  append(out, operators_of(last, "", 0));
  if (family == "Torch") append(out, operators_of("linalg_" + last, "", kLinalgHandicap));
  for (const char* prefix : {"special_", "fft_", "_"}) {
    if (out.empty()) append(out, operators_of(prefix + last, "", 0));
  }
  return out;
}

bool is_family(const std::string& family) {
  static const std::set<std::string> kFamilies = {"Functional", "Tensor", "Torch", "Aten", "VF", "Mint", "MintFunctional"};
  return kFamilies.count(family) != 0;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

NameResolver::NameResolver(ApiTable table, std::string version)
    : table_(std::move(table)), library_(table_.function_files()), version_(std::move(version)) {}

const ResolvedApi& NameResolver::resolve(const std::string& api) {
  auto& slot = cache_[api];
  if (!slot) {
    try {
      slot = std::make_unique<ResolvedApi>(build(api));
    } catch (...) {
      cache_.erase(api);
      throw;
    }
  }
  return *slot;
}

ResolvedApi NameResolver::build(const std::string& api) {
  const std::vector<std::string> parts = split(api, '.');
  const std::string& family = parts[0];
  if (parts.size() < 2 || !is_family(family)) {
    throw Error(ASSAY_NOT_FOUND, "LibTorch has no API '" + api + "': '" + family + "' is not one of its name spaces");
  }

  ResolvedApi resolved;
  resolved.name = api;
  resolved.is_method = family == "Tensor";
  if (const ApiEntry* entry = table_.find(api)) resolved.entry = *entry;
  const ApiEntry& entry = resolved.entry;
  if (!entry.unsupported.empty()) throw Error(ASSAY_UNSUPPORTED, entry.unsupported);

  std::vector<std::string> functions = entry.functions;
  std::string own = api;
  std::replace(own.begin(), own.end(), '.', '_');
  if (functions.empty() && library_.has(own)) functions.push_back(own);
  if (!entry.hook.empty()) {
    const auto hook = hooks().find(entry.hook);
    if (hook == hooks().end()) throw Error(ASSAY_INTERNAL, "the API table names the unknown hook '" + entry.hook + "'");
    resolved.hook = &hook->second;
    return resolved;
  }

  // MindSpore's mint has the names and, but for the table's entries, the arguments of torch.
  const bool is_mint = family == "Mint" || family == "MintFunctional";
  if (functions.empty() && entry.operators.empty() && (is_mint || !entry.alias.empty())) {
    const std::string other =
        !entry.alias.empty() ? entry.alias : (family == "Mint" ? "Torch." : "Functional.") + join(parts, 1, '.');
    try {
      ResolvedApi target = build(other);
      target.name = api;
      target.is_method = resolved.is_method;
      target.entry.rename.insert(entry.rename.begin(), entry.rename.end());
      target.entry.drop.insert(target.entry.drop.end(), entry.drop.begin(), entry.drop.end());
      target.entry.as_recorded = target.entry.as_recorded || entry.as_recorded;
      target.entry.defaults.insert(entry.defaults.begin(), entry.defaults.end());
      if (!entry.order.empty()) target.entry.order = entry.order;
      return target;
    } catch (const Error& e) {
      if (e.code() == ASSAY_NOT_FOUND) throw Error(ASSAY_NOT_FOUND, unknown(api));
      throw;
    }
  }

  std::string& problem = resolved.problem;
  resolved.functions = functions_named(functions, problem);
  resolved.fallbacks = functions_named(entry.fallbacks, problem);
  for (const std::string& name : entry.operators) append(resolved.operators, operators_of(name, "", 0));
  if (entry.operators.empty()) resolved.operators = natural_operators(family, parts);
  if (family != "Aten") {
    const auto is_hidden = [&](const Candidate& candidate) {
      return table_.hidden_overloads().count(candidate.name.substr(6)) != 0;
    };
    auto& operators = resolved.operators;
    operators.erase(std::remove_if(operators.begin(), operators.end(), is_hidden), operators.end());
  }
  if (!resolved.functions.empty() || !resolved.operators.empty()) return resolved;

  auto since = table_.since().find(join(parts, 1, '_'));
  if (since == table_.since().end()) since = table_.since().find(parts.back());
  const std::string need = since == table_.since().end() ? "" : " (PyTorch " + since->second + " brought it)";
  if (!problem.empty()) throw Error(ASSAY_UNSUPPORTED, problem + need);
  if (!need.empty() || !entry.operators.empty()) {
    throw Error(ASSAY_UNSUPPORTED, "LibTorch " + version_ + " has no '" + api + "'" + need);
  }
  throw Error(ASSAY_NOT_FOUND, unknown(api));
}

std::vector<Candidate> NameResolver::functions_named(const std::vector<std::string>& names, std::string& problem) {
  std::vector<Candidate> out;
  for (const std::string& name : names) {
    if (!library_.has(name)) throw Error(ASSAY_INTERNAL, "the API table names the unknown function '" + name + "'");
    try {
      for (const LibraryFunction& function : library_.overloads(name)) {
        out.push_back({"function " + function.name, function.schema.get(), function.run, function.writes, 0});
      }
    } catch (const Error& e) {
      problem = e.what();
    }
  }
  return out;
}

std::string NameResolver::unknown(const std::string& api) const {
  const std::string last = split(api, '.').back();
  std::set<std::string> names;
  for (const auto& op : torch::jit::getAllOperators()) {
    const std::string& name = op->schema().name();
    if (name.rfind("aten::", 0) == 0) names.insert(name.substr(6));
  }
  for (const auto& [name, entry] : table_.apis()) names.insert(split(name, '.').back());
  std::vector<std::pair<std::size_t, std::string>> close;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(last, name);
    if (distance <= std::max<std::size_t>(1, last.size() / 4)) close.emplace_back(distance, name);
  }
  std::sort(close.begin(), close.end());
  std::string message = "LibTorch " + version_ + " has no API '" + api + "'";
  for (std::size_t i = 0; i < close.size() && i < 3; ++i) message += (i == 0 ? "; similar: '" : ", '") + close[i].second + "'";
  return message;
}

}  // namespace assay::torch_adapter
