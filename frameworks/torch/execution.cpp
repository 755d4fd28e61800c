#include "execution.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/jit_type.h>

#include <algorithm>

#include "argument_matching.hpp"

namespace assay::torch_adapter {
namespace {

/// The table's changes to the arguments: order, renames, dropped keywords, varargs.
void apply_entry(const ApiEntry& entry, const ApiTable& table, Arguments& arguments) {
  if (!entry.order.empty() && arguments.positional.size() >= entry.order.size()) {
    std::vector<PythonValue> ordered = arguments.positional;
    for (std::size_t i = 0; i < entry.order.size(); ++i) {
      if (entry.order[i] < arguments.positional.size()) ordered[i] = arguments.positional[entry.order[i]];
    }
    arguments.positional = std::move(ordered);
  }
  const auto is_listed = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  auto& keyword = arguments.keyword;
  keyword.erase(std::remove_if(keyword.begin(), keyword.end(),
                               [&](const auto& item) {
                                 return is_listed(entry.drop, item.first) || is_listed(table.ignored_keywords(), item.first);
                               }),
                keyword.end());
  for (auto& item : keyword) {
    const auto renamed = entry.rename.find(item.first);
    if (renamed != entry.rename.end()) item.first = renamed->second;
  }
  if (entry.variadic && arguments.positional.size() > *entry.variadic && !arguments.positional[*entry.variadic].is<Sequence>()) {
    const auto first = arguments.positional.begin() + static_cast<std::ptrdiff_t>(*entry.variadic);
    Sequence rest;
    rest.items.assign(first, arguments.positional.end());
    arguments.positional.erase(first, arguments.positional.end());
    arguments.positional.push_back({std::move(rest)});
  }
}

/// A candidate with a stack ready to run.
struct Fit {
  const Candidate* candidate;
  Match match;
};

/// Fitting candidates, best first.
std::vector<Fit> fits(const std::vector<Candidate>& candidates, const Arguments& arguments, const MatchRules& rules,
                      std::string& reasons) {
  std::vector<Fit> out;
  for (const Candidate& candidate : candidates) {
    std::string why_not;
    std::optional<Match> match = match_arguments(arguments, *candidate.schema, rules, why_not);
    if (!match) {
      reasons += (reasons.empty() ? "" : "; ") + candidate.name + ": " + why_not;
      continue;
    }
    match->cost += candidate.handicap;
    out.push_back({&candidate, std::move(*match)});
  }
  std::stable_sort(out.begin(), out.end(), [](const Fit& a, const Fit& b) { return a.match.cost < b.match.cost; });
  return out;
}

/// Gives the operator copies of the tensors that it may write.
class WriteGuard {
 public:
  WriteGuard(const ConvertedCall& call, std::vector<WrittenArgument>& written) : call_(call), written_(written) {}

  at::Tensor copy(const at::Tensor& tensor) {
    for (std::size_t i = 0; i < call_.tensors.size(); ++i) {
      if (!call_.tensors[i].value.is_same(tensor)) continue;
      at::Tensor clone = tensor.clone();
      written_.push_back({i, clone, clone._version()});
      return clone;
    }
    return tensor;
  }

  void copy(c10::IValue& value) {
    if (value.isTensor()) {
      value = copy(value.toTensor());
    } else if (value.isList()) {
      c10::List<c10::IValue> list = value.toList();
      for (std::size_t i = 0; i < list.size(); ++i) {
        const c10::IValue item = list.get(i);
        if (item.isTensor()) list.set(i, copy(item.toTensor()));
      }
    }
  }

  void copy(PythonValue& value) {
    if (auto* tensor = std::get_if<at::Tensor>(&value.data)) {
      *tensor = copy(*tensor);
    } else if (auto* sequence = std::get_if<Sequence>(&value.data)) {
      for (PythonValue& item : sequence->items) copy(item);
    }
  }

 private:
  const ConvertedCall& call_;
  std::vector<WrittenArgument>& written_;
};

/// What Python gives back: several returns, and the items of a returned tuple, are several outputs.
std::vector<c10::IValue> as_outputs(std::vector<c10::IValue> stack, const ApiEntry& entry) {
  if (stack.empty()) return {c10::IValue()};
  if (stack.size() != 1) return stack;
  const c10::IValue& only = stack[0];
  if (only.isTuple()) return only.toTupleRef().elements().vec();
  if (entry.returns_tuple ? only.isList() : only.isTensorList() && !entry.returns_list) return only.toListRef().vec();
  return stack;
}

/// Normalisations write their running statistics, which no schema says.
bool is_written_unsaid(const std::string& parameter) { return parameter == "running_mean" || parameter == "running_var"; }

void run_candidate(const Candidate& candidate, Match match, ForwardRun& run) {
  run.operator_name = candidate.name;
  WriteGuard guard(run.call, run.written);
  const auto& parameters = candidate.schema->arguments();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const c10::AliasInfo* alias = parameters[i].alias_info();
    const bool written = (alias != nullptr && alias->isWrite()) || is_written_unsaid(parameters[i].name());
    if (candidate.writes_all || written) guard.copy(match.stack[i]);
  }
  candidate.run(match.stack);
  run.outputs = std::move(match.stack);
}

/// "aten::lu_solve.out" -> "aten::lu_solve"
std::string base_name(const std::string& name) { return name.substr(0, name.find('.')); }

}  // namespace

ForwardRun run_forward(const ResolvedApi& api, const ApiTable& table, const assay_call& call, const ConversionOptions& options,
                       const std::vector<bool>& differentiate) {
  ForwardRun run;
  run.call = convert_arguments(call, options);
  for (std::size_t i = 0; i < run.call.tensors.size() && i < differentiate.size(); ++i) {
    if (differentiate[i]) run.call.tensors[i].value.set_requires_grad(true);
  }
  Arguments arguments = run.call.arguments;
  apply_entry(api.entry, table, arguments);

  if (api.hook != nullptr) {
    if (api.hook->writes) {
      WriteGuard guard(run.call, run.written);
      for (PythonValue& value : arguments.positional) guard.copy(value);
      for (auto& [name, value] : arguments.keyword) guard.copy(value);
    }
    run.operator_name = "hook " + api.entry.hook;
    run.outputs = as_outputs(api.hook->run(arguments), api.entry);
    return run;
  }

  const MatchRules rules{table.argument_names(), api.is_method, api.entry.defaults};
  std::string reasons;
  std::vector<Fit> candidates = fits(api.functions, arguments, rules, reasons);
  if (candidates.empty()) candidates = fits(api.operators, arguments, rules, reasons);
  if (candidates.empty()) candidates = fits(api.fallbacks, arguments, rules, reasons);
  if (candidates.empty() && !api.problem.empty()) throw Error(ASSAY_UNSUPPORTED, api.problem);
  if (candidates.empty()) {
    throw Error(ASSAY_INVALID_ARGUMENT, "the arguments fit no overload of '" + api.name + "': " + reasons);
  }
  for (std::size_t i = 0;; ++i) {
    const Candidate& candidate = *candidates[i].candidate;
    try {
      run.written.clear();
      run_candidate(candidate, std::move(candidates[i].match), run);
      break;
    } catch (...) {
      // One name can mean torch.f and torch.linalg.f; where the first reading fails, the other one is meant.
      const auto other = std::find_if(candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1, candidates.end(),
                                      [&](const Fit& fit) { return base_name(fit.candidate->name) != base_name(candidate.name); });
      if (other == candidates.end()) throw;
      i = static_cast<std::size_t>(other - candidates.begin()) - 1;
    }
  }
  run.outputs = as_outputs(std::move(run.outputs), api.entry);
  return run;
}

bool is_borrowed(const ForwardRun& run, const std::vector<at::Tensor>& arriving, const at::Tensor& tensor) {
  if (!tensor.has_storage()) return true;
  const auto shares_memory = [&](const at::Tensor& lent) {
    return lent.defined() && lent.has_storage() && lent.storage().data() == tensor.storage().data();
  };
  return std::any_of(arriving.begin(), arriving.end(), shares_memory) ||
         std::any_of(run.call.tensors.begin(), run.call.tensors.end(),
                     [&](const TensorSlot& slot) { return shares_memory(slot.value); });
}

namespace {

void collect_tensors(const c10::IValue& value, std::vector<at::Tensor>& out) {
  if (value.isTensor()) {
    out.push_back(value.toTensor());
  } else if (value.isTuple()) {
    for (const c10::IValue& item : value.toTupleRef().elements()) collect_tensors(item, out);
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) collect_tensors(item, out);
  }
}

}  // namespace

std::vector<at::Tensor> output_tensors(const ForwardRun& run) {
  std::vector<at::Tensor> out;
  for (const c10::IValue& output : run.outputs) collect_tensors(output, out);
  return out;
}

}  // namespace assay::torch_adapter
