// Which tensors of a call are perturbed, and the call with some of its tensors replaced.
//
//   for (const InputSet& set : choose_inputs(inputs, InputChoice::kEach, eligible)) {
//     CallInputs moved = replace_inputs(inputs, set.paths, [&](const Tensor& t) { return perturb(t); });
//   }
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/engine.hpp"

namespace assay {

enum class InputChoice {
  kFirst,  ///< the first eligible tensor, wherever it sits
  kEach,   ///< every eligible tensor, one at a time
  kAll,    ///< every eligible tensor, all at once
  kPeer    ///< the peer's: inside the first positional argument that is a float tensor or a container, even one without tensors
};

/// Tensors that are perturbed together.
struct InputSet {
  std::string name;                ///< the one path, or "all"
  std::vector<std::string> paths;  ///< "0", "0.1", "weight", "grad.0" (an arriving gradient); may be empty for kPeer
};

using Eligible = std::function<bool(const Tensor&)>;

/// The sets of a call, in order of its arguments: positional, keyword, arriving gradients. Only floating and complex tensors with
/// elements are asked for; kPeer looks at real ones among the positional arguments only.
std::vector<InputSet> choose_inputs(const CallInputs& inputs, InputChoice choice, const Eligible& eligible);

/// ": <why>" of the first tensor that could be perturbed, by a perturbation that refuses all of them; empty if there is none.
std::string first_refusal(const CallInputs& inputs, const std::function<std::string(const Tensor&)>& refusal);

/// The call with f(tensor) in place of the tensors at `paths`, asked for in order of the arguments.
CallInputs replace_inputs(const CallInputs& inputs, const std::vector<std::string>& paths,
                          const std::function<Tensor(const Tensor&)>& f);

}  // namespace assay
