// Files of a run that is over (or was interrupted), written again from what its folder holds.
//
//   RebuildRequest request{.folder = "results", .formats = {"html", "junit"}};
//   Result<std::vector<std::filesystem::path>> written = rebuild(request);
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

struct RebuildRequest {
  std::filesystem::path folder;      ///< of `assay check`, `assay perturb`, `assay watch` or `assay compare` of dumps
  std::filesystem::path out;         ///< empty: `folder`
  std::filesystem::path baseline;    ///< the folder of an earlier run; empty: none
  std::vector<std::string> formats;  ///< "html", "junit", "md", "csv", "jsonl", "msprobe"; empty: html
  std::string timestamp;             ///< names the files of msprobe
};

/// What the folder holds.
enum class RunKind { kCheck, kPerturb, kWatch };
/// errors  kInput: no run.json and no ranks of a watch, or not those of assay
Result<RunKind> run_kind(const std::filesystem::path& folder);

/// The files that were written.
/// errors  kInput: those of load_run and for_each_result; an unknown format, or one that runs of this kind don't have; jsonl into
///         the folder that it is read from
Result<std::vector<std::filesystem::path>> rebuild(const RebuildRequest& request);

}  // namespace assay
