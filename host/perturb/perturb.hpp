// What `assay perturb` works with: the opened dump, engine and perturbations, everything checked before the first operator.
//
//   Registry registry = Registry::discover(default_search_path({}));
//   Result<PerturbRun> run = PerturbRun::prepare(registry, request);
//   const PerturbReport report = run->perturber().evaluate(run->positions()[0], kBothDirections, nullptr);
#pragma once

#include "perturb/perturb_sink.hpp"
#include "perturb/perturber.hpp"

namespace assay {

struct PerturbRequest {
  std::filesystem::path dump;
  DumpOptions dump_options;
  PerturbConfig config;
  std::string command;  ///< how to repeat the run
};

class PerturbRun {
 public:
  /// errors  those of Dump::open, Registry::create, StabilityStandard::load
  static Result<PerturbRun> prepare(Registry& registry, const PerturbRequest& request);

  [[nodiscard]] const PerturbInfo& info() const { return info_; }
  /// The selected calls, as positions in the dump.
  [[nodiscard]] const std::vector<std::size_t>& positions() const { return positions_; }
  [[nodiscard]] const Perturber& perturber() const { return perturber_; }

 private:
  PerturbRun(PerturbInfo info, std::vector<std::size_t> positions, Perturber perturber);

  PerturbInfo info_;
  std::vector<std::size_t> positions_;
  Perturber perturber_;
};

}  // namespace assay
