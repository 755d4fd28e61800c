// Perturbs one recorded call: runs it as recorded, again unchanged (the control), then on every perturbation of its inputs.
#pragma once

#include <cstdint>
#include <optional>

#include "dump/inputs.hpp"
#include "perturb/outputs.hpp"
#include "perturb/perturb_config.hpp"
#include "perturb/perturb_results.hpp"
#include "perturb/preheat_pass.hpp"
#include "perturb/stability.hpp"
#include "pipeline/engine.hpp"
#include "pipeline/evaluator.hpp"

namespace assay {

struct PerturberOptions {
  bool forward = true;
  bool backward = true;
  InputChoice inputs = InputChoice::kEach;
  PerturbHandler handler = PerturbHandler::kCheck;
  unsigned seeds = 1;
  std::uint64_t seed = 0;
  std::uint32_t threads = 1;
  bool peer_rows = false;  ///< fill PerturbReport::peer_rows
  bool letter = false;     ///< peer rows as the peer would give them, defects included
  bool mindspore = false;  ///< which of its two variants
};

class Perturber {
 public:
  /// control  a chain that changes nothing; reference  widens inputs for the high-precision run of preheating
  Perturber(Dump dump, InputBuilder builder, Engine engine, PerturbationChain control, PerturbationChain reference,
            std::vector<PerturbationChain> chains, StabilityStandard standard, PerturberOptions options);

  /// Learned thresholds for the peer's rows of a call; null: the fixed ones.
  using Thresholds = const Preheat::Thresholds*;

  /// Never fails as a whole: what goes wrong is in the rows. The same call gives the same rows whatever was evaluated before.
  [[nodiscard]] PerturbReport evaluate(std::size_t position, unsigned directions, Thresholds thresholds,
                                       const Started& started = {}) const;

  /// A call's answer in a step of preheating. What can't be asked counts as consistent, as the peer has it.
  [[nodiscard]] PreheatAnswer ask(std::size_t position, int step, const Started& started = {}) const;

  /// Of the last call; after one in the forward call the backward is not tried.
  [[nodiscard]] const Breakdown& breakdown() const { return breakdown_; }

 private:
  struct Call;
  struct Attempt;
  void evaluate_direction(const RecordedCall& recorded, bool backward, Thresholds thresholds, PerturbReport& report) const;
  [[nodiscard]] Invocation invoke(const Call& call, const CallInputs& inputs) const;
  [[nodiscard]] PerturbRow run_control(Call& call) const;
  [[nodiscard]] PerturbRow measure(const Call& call, const PerturbationChain& chain, const InputSet& set, Thresholds thresholds,
                                   PerturbReport& report) const;
  [[nodiscard]] Attempt attempt(const Call& call, const PerturbationChain& chain, const InputSet& set, std::uint64_t seed) const;
  [[nodiscard]] std::vector<InputSet> sets_of(const Call& call, const PerturbationChain& chain) const;
  void add_peer_rows(const Call& call, const PerturbationChain& chain, const RunOutputs& perturbed, Thresholds thresholds,
                     PerturbReport& report) const;
  void judge(const Call& call, PerturbRow& row) const;

  Dump dump_;
  InputBuilder builder_;
  Engine engine_;
  PerturbationChain control_;
  PerturbationChain reference_;
  std::vector<PerturbationChain> chains_;
  StabilityStandard standard_;
  PerturberOptions options_;
  mutable Breakdown breakdown_;
};

}  // namespace assay
