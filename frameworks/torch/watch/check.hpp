// Checks one call: repeats it on perturbed arguments and judges how far the outputs move.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "perturb/peer_compare.hpp"
#include "perturb/preheat.hpp"
#include "perturb/stability.hpp"
#include "perturbed.hpp"
#include "repeat.hpp"
#include "watch/pair_meter.hpp"
#include "watch/watch_log.hpp"

namespace assay::watch {

/// How rows name a call.
struct CallName {
  const Api* api = nullptr;
  std::uint64_t call = 0;
  bool backward = false;
  bool recompute = false;
  bool in_module = true;  ///< inside a module that is asked for
  const char* node = "";
};

/// A row with the call's names.
WatchRow row_of(const OperatorInfo& info, const CallName& name);

class Checker {
 public:
  /// errors  kPlugin, kUnsupported: those of the registry
  static Result<Checker> create(const WatchConfig& config);

  /// After the original has run. Rows of all perturbations; `why` is filled if nothing could be compared.
  std::vector<WatchRow> check(Repeat& repeat, const OperatorInfo& info, const CallName& name, const StabilityStandard& standard,
                              std::uint64_t seed, std::uint64_t turn, const char*& why);

  void begin_step(std::int64_t step);
  [[nodiscard]] std::vector<Preheat::Learned> learned() const;

 private:
  Checker() = default;
  struct Shared;
  /// What a sample of the preheat takes from runs that are made anyway; nothing: it isn't known yet.
  struct Learning {
    bool wanted = false;
    std::optional<double> ratio;
    std::optional<bool> consistent;
  };
  void run_stage(std::size_t stage, Repeat& repeat, const OperatorInfo& info, const CallName& name, const StabilityLimit& limit,
                 std::uint64_t seed, std::uint64_t turn, bool last, Learning& learning, std::vector<WatchRow>& rows);
  void compare(const PerturbationChain& chain, const Perturbed& perturbed, Repeat& repeat, const std::vector<at::Tensor>& outputs,
               const StabilityLimit& limit, Learning& learning, WatchRow& row) const;
  void compare_as_peer(const PerturbationChain& chain, Repeat& repeat, const std::vector<at::Tensor>& outputs, Learning& learning,
                       WatchRow& row) const;
  /// What is expected of an operator. [any-thread]; stays as long as the checker, which is given one standard only
  const StabilityLimit& limit_for(const StabilityStandard& standard, const std::string& op, at::ScalarType type);
  /// Whether the call is a sample of the preheat.
  [[nodiscard]] bool is_sample(const CallName& name);
  void learn(Repeat& repeat, const OperatorInfo& info, const CallName& name, std::uint64_t seed, const Learning& learning);
  [[nodiscard]] bool agrees_with_reference(Repeat& repeat, const OperatorInfo& info, std::uint64_t seed) const;
  /// Whether all that went in is finite.
  [[nodiscard]] bool is_born(const Repeat& repeat) const;

  bool compat_ = false;
  WatchInputs inputs_ = WatchInputs::kRotate;
  PerturbHandler handler_ = PerturbHandler::kCheck;
  std::vector<PerturbationChain> chains_;
  std::optional<PerturbationChain> reference_;
  std::optional<PairMeter> meter_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace assay::watch
