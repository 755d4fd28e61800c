// The exit codes of every command; stable and documented in docs/exit-codes.md.
#pragma once

#include "base/result.hpp"
#include "pipeline/results.hpp"

namespace assay {

enum ExitCode : int {
  kExitPassed = 0,           ///< everything asked for was done and passed
  kExitDifferences = 1,      ///< at least one error verdict
  kExitUsage = 2,            ///< wrong options, configuration or input file
  kExitPluginFailure = 3,    ///< a plugin or worker failed, or a recording is damaged: part of what was asked for could not be done
  kExitNothingSelected = 4,  ///< no API matches
  kExitInternal = 70,        ///< a defect of assay
  kExitInterrupted = 130     ///< stopped by Ctrl-C; what was done is written
};

inline int exit_code(const Failure& failure) {
  switch (failure.kind) {
    case FailureKind::kInput: return kExitUsage;
    case FailureKind::kUnsupported:
    case FailureKind::kPlugin: return kExitPluginFailure;
    case FailureKind::kInternal: return kExitInternal;
  }
  return kExitInternal;
}

/// Of a finished check.
inline int exit_code(const VerdictCounts& counts) {
  if (counts.error != 0) return kExitDifferences;
  return counts.damaged != 0 ? kExitPluginFailure : kExitPassed;
}

}  // namespace assay
