// A finished (or interrupted) run read back from its folder, to write any of its files again.
#pragma once

#include <filesystem>
#include <functional>

#include "base/result.hpp"
#include "report/run_json.hpp"

namespace assay {

/// run.json of a run folder. errors  kInput: no such file, not JSON, a field missing or of the wrong type
Result<StoredRun> load_run(const std::filesystem::path& folder);

/// Hands each line of results.jsonl to `use`, in order; one is in memory at a time. A torn last line (of a run that was killed)
/// ends the walk without an error. errors  kInput: a faulty line (its number is named); what `use` returns
Status for_each_result(const std::filesystem::path& folder, const std::function<Status(const ApiResult&)>& use);

}  // namespace assay
