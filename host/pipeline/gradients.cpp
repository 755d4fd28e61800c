#include "pipeline/gradients.hpp"

#include <map>
#include <optional>

namespace assay {

namespace {

constexpr const char* kEvery = "one for each tensor argument";
constexpr const char* kNode = "as the last autograd node returns them";
constexpr const char* kPositional = "one for each tensor among the positional arguments";
constexpr const char* kDifferentiable = "one for each floating-point tensor";
constexpr const char* kTop = "one for each positional tensor";
constexpr const char* kByArgument = "by argument";

bool is_argument_path(const std::string& path) { return path.rfind("node.", 0) != 0; }

/// A tensor argument and how it was passed.
struct TensorArgument {
  std::string path;
  bool differentiable = false;
  bool positional = false;
  bool nested = false;
};

void collect(const Value& value, const std::string& path, bool positional, bool nested, std::vector<TensorArgument>& out) {
  if (const auto* tensor = value.get_if<Tensor>()) {
    out.push_back({path, is_floating(tensor->dtype()) || is_complex(tensor->dtype()), positional, nested});
    return;
  }
  const std::vector<Value>* items = nullptr;
  if (const auto* list = value.get_if<List>()) items = &list->items;
  if (const auto* tuple = value.get_if<Tuple>()) items = &tuple->items;
  if (items == nullptr) return;
  for (std::size_t i = 0; i < items->size(); ++i) collect((*items)[i], path + "." + std::to_string(i), positional, true, out);
}

std::vector<TensorArgument> tensor_arguments(const CallInputs& inputs) {
  std::vector<TensorArgument> out;
  for (std::size_t i = 0; i < inputs.args.size(); ++i) collect(inputs.args[i], std::to_string(i), true, false, out);
  for (const auto& [name, value] : inputs.kwargs) collect(value, name, false, false, out);
  return out;
}

/// A reading: its name and the computed gradient (null: none arrives) for each recorded position.
struct Reading {
  std::string how;
  std::vector<const Value*> gradients;
};

std::optional<GradientPairing> pair(const std::vector<Value>& recorded, const Reading& reading) {
  if (reading.gradients.size() != recorded.size()) return std::nullopt;
  GradientPairing pairing;
  pairing.how = reading.how;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const auto* actual = recorded[i].get_if<Tensor>();
    if (actual == nullptr) continue;
    const Tensor* expected = reading.gradients[i] != nullptr ? reading.gradients[i]->get_if<Tensor>() : nullptr;
    if (expected == nullptr) {
      pairing.notes.push_back("gradient " + std::to_string(i) +
                              " was recorded, but none reaches that argument in the reference: not compared");
      continue;
    }
    if (expected->shape() != actual->shape()) return std::nullopt;
    pairing.positions.push_back(i);
    pairing.actual.push_back(recorded[i]);
    pairing.expected.push_back(*reading.gradients[i]);
  }
  if (pairing.positions.empty()) return std::nullopt;
  return pairing;
}

std::vector<Reading> readings(const Results& computed, const CallInputs& inputs) {
  std::map<std::string, const Value*> by_path;
  for (const auto& [path, value] : computed.gradients) by_path[path] = &value;
  const auto gradient = [&](const std::string& path) {
    const auto found = by_path.find(path);
    return found == by_path.end() ? nullptr : found->second;
  };
  const std::vector<TensorArgument> arguments = tensor_arguments(inputs);
  const auto select = [&](const char* how, auto keep) {
    Reading reading{how, {}};
    for (const TensorArgument& argument : arguments) {
      if (keep(argument)) reading.gradients.push_back(gradient(argument.path));
    }
    return reading;
  };
  Reading node{kNode, {}};
  for (std::size_t i = 0; by_path.count("node." + std::to_string(i)) != 0; ++i) {
    node.gradients.push_back(gradient("node." + std::to_string(i)));
  }
  Reading by_argument{kByArgument, {}};
  for (const auto& [path, value] : computed.gradients) {
    if (is_argument_path(path)) by_argument.gradients.push_back(&value);
  }
  return {select(kEvery, [](const TensorArgument&) { return true; }),
          std::move(node),
          select(kPositional, [](const TensorArgument& a) { return a.positional; }),
          select(kDifferentiable, [](const TensorArgument& a) { return a.differentiable; }),
          select(kTop, [](const TensorArgument& a) { return a.positional && !a.nested; }),
          std::move(by_argument)};
}

}  // namespace

std::vector<GradientPairing> pair_gradients(const std::vector<Value>& recorded, const Results& computed, const CallInputs& inputs,
                                            Framework framework) {
  const std::vector<const char*> order = framework == Framework::kPyTorch
                                             ? std::vector<const char*>{kEvery, kNode, kPositional, kDifferentiable, kTop}
                                             : std::vector<const char*>{kTop, kEvery, kPositional, kDifferentiable};
  const std::vector<Reading> all = readings(computed, inputs);
  std::vector<GradientPairing> pairings;
  for (const char* how : order) {
    for (const Reading& reading : all) {
      if (reading.how != how) continue;
      if (auto pairing = pair(recorded, reading)) pairings.push_back(std::move(*pairing));
    }
  }
  return pairings;
}

std::vector<Value> gradients_by_reading(const std::string& how, const Results& computed, const CallInputs& inputs,
                                        const std::vector<std::size_t>& positions) {
  std::vector<Value> out;
  for (const Reading& reading : readings(computed, inputs)) {
    if (reading.how != how) continue;
    for (const std::size_t position : positions) {
      if (position >= reading.gradients.size() || reading.gradients[position] == nullptr) return {};
      out.push_back(*reading.gradients[position]);
    }
  }
  return out;
}

GradientPairing pair_by_path(const Results& actual, const Results& expected) {
  std::map<std::string, const Value*> by_path;
  for (const auto& [path, value] : actual.gradients) by_path[path] = &value;
  GradientPairing pairing;
  pairing.how = kByArgument;
  std::size_t position = 0;
  for (const auto& [path, value] : expected.gradients) {
    if (!is_argument_path(path)) continue;
    const auto found = by_path.find(path);
    const Tensor* wanted = value.get_if<Tensor>();
    const Tensor* got = found != by_path.end() ? found->second->get_if<Tensor>() : nullptr;
    if (wanted != nullptr && got != nullptr) {
      pairing.positions.push_back(position);
      pairing.actual.push_back(*found->second);
      pairing.expected.push_back(value);
    } else if (wanted != nullptr || got != nullptr) {
      pairing.notes.push_back("only the " + std::string(got != nullptr ? "target" : "reference") + " has a gradient for argument " +
                              path + ": not compared");
    }
    ++position;
  }
  return pairing;
}

}  // namespace assay
