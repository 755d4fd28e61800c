// Arguments of a call with some of their tensors perturbed by a stage of plugins.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "operators.hpp"
#include "perturb/perturbation_chain.hpp"
#include "watch/watch_config.hpp"

namespace assay::watch {

/// A tensor among the arguments: in argument 1, the third of a list.
struct Place {
  std::size_t argument = 0;
  std::optional<std::size_t> item;
  at::Tensor tensor;
  [[nodiscard]] std::string path() const;
};

struct Perturbed {
  std::vector<c10::IValue> arguments;
  std::string input;  ///< "0", "1.2", "all"
  at::Tensor first;   ///< of the perturbed tensors, as it was
  double input_change = 0;
  bool changed = false;  ///< some value differs, or a type
  bool other_type = false;
};

/// Threads that plugins may use for a tensor.
std::uint32_t threads_for(std::int64_t numel);

/// What the stage may change: floating-point and complex tensors with elements that its first part accepts.
std::vector<Place> eligible_places(const PerturbationChain& chain, const OperatorInfo& info,
                                   const std::vector<c10::IValue>& arguments);

/// Which of the places are perturbed together in each run.
std::vector<std::vector<Place>> choose_places(const PerturbationChain& chain, std::vector<Place> places, WatchInputs choice,
                                              std::uint64_t turn);

/// all     the row says "all" instead of a position; compat: perturb as the peer does
/// errors  kUnsupported, kPlugin: those of the parts
Result<Perturbed> perturb(const PerturbationChain& chain, const std::vector<c10::IValue>& arguments,
                          const std::vector<Place>& places, bool all, std::uint64_t seed, bool compat);

}  // namespace assay::watch
