#include "pipeline/changed_inputs.hpp"

#include <charconv>

#include "base/text.hpp"
#include "pipeline/reasons.hpp"
#include "pipeline/summary.hpp"
#include "pipeline/value_difference.hpp"

namespace assay {

namespace {

const Value* item(const std::vector<Value>& items, std::string_view name) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  return error == std::errc() && end == name.data() + name.size() && index < items.size() ? &items[index] : nullptr;
}

const Value* item(const std::vector<NamedValue>& items, std::string_view name) {
  for (const NamedValue& entry : items) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

/// The argument at a path such as "0", "0.1" or "other"; null: there is none.
const Value* argument(const CallInputs& inputs, const std::string& path) {
  const Value* found = nullptr;
  bool is_first = true;
  for (const std::string_view name : split(path, '.')) {
    if (is_first) {
      found = item(inputs.args, name);
      if (found == nullptr) found = item(inputs.kwargs, name);
      is_first = false;
    } else if (const auto* list = found->get_if<List>()) {
      found = item(list->items, name);
    } else if (const auto* tuple = found->get_if<Tuple>()) {
      found = item(tuple->items, name);
    } else if (const auto* dict = found->get_if<Dict>()) {
      found = item(dict->items, name);
    } else {
      found = nullptr;
    }
    if (found == nullptr) return nullptr;
  }
  return found;
}

}  // namespace

std::vector<OutputRow> changed_input_rows(const std::string& prefix, const CallInputs& inputs, const Results& target,
                                          const Results& reference, bool statistics) {
  std::vector<OutputRow> rows;
  const auto compare = [&](const Results& changing, const Results& other, const char* code, const std::string& what) {
    for (const auto& [path, after] : changing.mutated) {
      if (item(other.mutated, path) != nullptr) continue;
      const Value* const before = argument(inputs, path);
      const std::string how = before == nullptr ? "" : difference(*before, after);
      if (how.empty()) continue;
      OutputRow row;
      row.name = prefix + path;
      row.verdict = Verdict::kError;
      row.reason = code;
      row.message = escape_control(what + ": " + how);
      row.actual = summarise(&changing == &target ? &after : before, statistics);
      row.expected = summarise(&changing == &target ? before : &after, statistics);
      rows.push_back(std::move(row));
    }
  };
  compare(target, reference, reason::kInputChanged, "the target changed this argument, the reference leaves it as it was");
  compare(reference, target, reason::kInputNotChanged, "the reference changes this argument, the target left it as it was");
  return rows;
}

}  // namespace assay
