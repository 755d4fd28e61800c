#include "perturb/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.hpp"
#include "judge/elements.hpp"
#include "judge/scalars.hpp"
#include "perturb/codes.hpp"

namespace assay {

namespace {

void flatten(const Value& value, const std::string& path, RunOutputs& out) {
  const std::vector<Value>* items = nullptr;
  if (const auto* list = value.get_if<List>()) items = &list->items;
  if (const auto* tuple = value.get_if<Tuple>()) items = &tuple->items;
  if (items != nullptr) {
    for (std::size_t i = 0; i < items->size(); ++i) flatten((*items)[i], path + "." + std::to_string(i), out);
  } else if (const auto* dict = value.get_if<Dict>()) {
    for (const auto& [key, item] : dict->items) flatten(item, path + "." + key, out);
  } else {
    out.paths.push_back(path);
    out.flat.push_back(value);
  }
}

/// Tensors as they are, numbers as tensors of one element.
std::optional<Tensor> as_tensor(const Value& value) {
  if (const auto* tensor = value.get_if<Tensor>()) return *tensor;
  return is_number(value) ? number_as_tensor(value, kFloat64) : std::nullopt;
}

std::string find_problem(const RunOutputs& original, const RunOutputs& perturbed) {
  if (original.paths != perturbed.paths) return "the perturbed call returns outputs of another structure";
  for (std::size_t i = 0; i < original.flat.size(); ++i) {
    const auto* before = original.flat[i].get_if<Tensor>();
    const auto* after = perturbed.flat[i].get_if<Tensor>();
    if ((before == nullptr) != (after == nullptr)) return "output " + original.paths[i] + " changes its kind";
    if (before != nullptr && before->shape() != after->shape()) {
      return "output " + original.paths[i] + " changes its shape from " + format_shape(before->shape()) + " to " +
             format_shape(after->shape());
    }
  }
  return "";
}

/// Calls f(position, before, after) for each pair that can be measured; returns how many other values changed.
template <class F>
std::int64_t for_each_output(const RunOutputs& original, const RunOutputs& perturbed, F&& f) {
  std::int64_t other_changes = 0;
  for (std::size_t i = 0; i < original.flat.size(); ++i) {
    const auto before = as_tensor(original.flat[i]);
    const auto after = as_tensor(perturbed.flat[i]);
    if (before && after) {
      f(i, *before, *after);
    } else if (original.flat[i].data.index() != perturbed.flat[i].data.index() ||
               !equal_values(original.flat[i], perturbed.flat[i])) {
      ++other_changes;
    }
  }
  return other_changes;
}

std::optional<WorstElement> element_at(const Tensor& before, const Tensor& after, std::int64_t index) {
  if (index < 0) return std::nullopt;
  WorstElement out;
  out.index = unravel(index, before.shape());
  out.actual = element_text(after.view(), index);
  out.expected = element_text(before.view(), index);
  return out;
}

}  // namespace

RunOutputs run_outputs(const Results& results, bool backward) {
  RunOutputs out;
  if (!backward) {
    out.top = results.outputs;
    for (std::size_t i = 0; i < results.outputs.size(); ++i) flatten(results.outputs[i], std::to_string(i), out);
    return out;
  }
  for (const auto& [path, value] : results.gradients) {
    if (path.rfind("node.", 0) == 0) continue;
    out.top.push_back(value);
    flatten(value, path, out);
  }
  return out;
}

std::string format_short(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", value);
  return buffer;
}

Spread spread_of(const std::vector<double>& values) {
  Spread out;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) {
    out.mean += value / count;
    out.largest = std::max(out.largest, value);
  }
  for (const double value : values) {
    const double distance = value - out.mean;
    if (std::isfinite(distance)) out.deviation += distance * distance / count;
  }
  out.deviation = std::sqrt(out.deviation);
  return out;
}

OutputChange compare_outputs(const RunOutputs& original, const RunOutputs& perturbed) {
  OutputChange out;
  out.problem = find_problem(original, perturbed);
  if (!out.problem.empty()) return out;
  std::int64_t elements = 0;
  const std::int64_t others = for_each_output(original, perturbed, [&](std::size_t i, const Tensor& before, const Tensor& after) {
    const Change change = change_of(before.view(), after.view());
    elements += change.changed;
    if (!out.path.empty() && change.relative <= out.change.relative) return;
    out.path = original.paths[i];
    out.change = change;
    out.element = element_at(before, after, change.worst);
  });
  out.changed_elements = elements + others;
  return out;
}

void AmplificationTable::add(const RunOutputs& original, const RunOutputs& perturbed, double input_change) {
  if (problem_.empty()) problem_ = find_problem(original, perturbed);
  if (!problem_.empty()) return;
  if (paths_.empty()) {
    paths_ = original.paths;
    outputs_.resize(paths_.size());
  }
  discrete_changed_ += for_each_output(original, perturbed, [&](std::size_t i, const Tensor& before, const Tensor& after) {
    Output& output = outputs_[i];
    // The worst element is looked up in the first run that changes anything.
    const Change change = change_of(before.view(), after.view(), !output.worst);
    if (!output.worst) output.worst = element_at(before, after, change.worst);
    output.nan += change.became_nan;
    output.infinite += change.overflowed;
    output.finite += change.became_finite;
    if (change.discrete) {
      output.discrete_changed += change.changed;
      output.discrete_count += change.count;
    } else if (!std::isfinite(input_change)) {
      from_zero_ = true;
    } else {
      // An output type that is coarser than the input's change rounds by itself.
      output.amplifications.push_back(change.relative / std::max(input_change, unit_roundoff(before.dtype())));
      output.changes.push_back(change.relative);
    }
  });
}

void AmplificationTable::fill(PerturbRow& row) const {
  if (!problem_.empty()) {
    row.reason = code::kOtherStructure;
    row.message = problem_;
    return;
  }
  double largest = -1;
  const Output* left = nullptr;
  std::int64_t discrete_changed = discrete_changed_;
  std::int64_t discrete_count = 0;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    discrete_changed += output.discrete_changed;
    discrete_count += output.discrete_count;
    if (left == nullptr && output.nan + output.infinite + output.finite > 0) {
      left = &output;
      row.output = paths_[i];
      row.worst = output.worst;
    }
    if (output.amplifications.empty()) continue;
    const Spread spread = spread_of(output.amplifications);
    if (spread.mean <= largest) continue;
    largest = spread.mean;
    row.amplification = spread;
    row.output_change = spread_of(output.changes).mean;
    if (left != nullptr) continue;
    row.output = paths_[i];
    row.worst = output.worst;
  }
  if (left != nullptr) {
    row.finding = Finding::kLeftDomain;
    std::vector<std::string> parts;
    if (left->nan != 0) parts.push_back(std::to_string(left->nan) + " finite results became nan");
    if (left->infinite != 0) parts.push_back(std::to_string(left->infinite) + " finite results became infinite");
    if (left->finite != 0) parts.push_back(std::to_string(left->finite) + " results that were not finite became finite");
    row.message = "the perturbed input left the domain of the operator: " + join(parts, ", ") + " in " + std::to_string(row.seeds) +
                  (row.seeds == 1 ? " run" : " runs");
  } else if (!row.amplification && from_zero_) {
    row.finding = Finding::kNotMeasured;
    row.message = "the input was all zeros, so its change has no relative size";
  } else if (!row.amplification) {
    row.finding = Finding::kDiscrete;
    row.message = std::to_string(discrete_changed) + " of " + std::to_string(discrete_count) + " integer results changed";
  }
}

}  // namespace assay
