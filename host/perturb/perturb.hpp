// `assay perturb` as a function: opens the dump, brings up engine and perturbations, measures every selected call.
//
//   Registry registry = Registry::discover(default_search_path({}));
//   Result<PerturbRun> run = PerturbRun::prepare(registry, request);
//   Result<PerturbSummary> summary = run->run(sinks, stop);
#pragma once

#include <atomic>
#include <memory>

#include "perturb/perturb_sink.hpp"
#include "perturb/perturber.hpp"

namespace assay {

struct PerturbRequest {
  std::filesystem::path dump;
  DumpOptions dump_options;
  PerturbConfig config;
  std::string command;  ///< how to repeat the run
};

/// A run that is ready to go: everything that can be wrong before the first operator has been checked.
class PerturbRun {
 public:
  /// errors  those of Dump::open, Registry::create, StabilityStandard::load
  static Result<PerturbRun> prepare(Registry& registry, const PerturbRequest& request);

  [[nodiscard]] const PerturbInfo& info() const { return info_; }
  /// The selected calls, as positions in the dump.
  [[nodiscard]] const std::vector<std::size_t>& positions() const { return positions_; }
  [[nodiscard]] const Perturber& perturber() const { return perturber_; }

  /// Measures the selected calls in dump order and hands each to every sink. `stop` ends the run after the current call.
  Result<PerturbSummary> run(const std::vector<std::unique_ptr<PerturbSink>>& sinks, const std::atomic<bool>& stop) const;

 private:
  PerturbRun(PerturbInfo info, PerturbConfig config, std::vector<std::size_t> positions, Perturber perturber);

  PerturbInfo info_;
  PerturbConfig config_;
  std::vector<std::size_t> positions_;
  Perturber perturber_;
};

}  // namespace assay
