// The parts of a sharded run as one run.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "report/sink.hpp"
#include "report/stored_run.hpp"

namespace assay {

/// Parts that belong together and are all there.
class ShardedRun {
 public:
  /// folders  those of all parts, or the one of an undivided run
  /// errors   kInput: a folder that holds no finished run; parts of different runs (the differences are named); a part that is
  ///          missing or there twice; a run that is no part
  static Result<ShardedRun> open(const std::vector<std::filesystem::path>& folders);

  /// As the undivided run would say it.
  [[nodiscard]] const RunInfo& info() const { return info_; }

  /// Hands every result to the sinks, in dump order; one of each part is in memory at a time.
  /// errors  kInput: a faulty line; a call that is in two parts, or fewer calls than run.json says
  Result<RunSummary> write(const std::vector<std::unique_ptr<ResultSink>>& sinks) const;

 private:
  std::vector<std::filesystem::path> folders_;
  RunInfo info_;
  double seconds_ = 0;  ///< of all parts
};

}  // namespace assay
