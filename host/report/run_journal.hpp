// The journal of a run folder: what the run was, what of it is done, and whether it may be continued.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/journal.hpp"
#include "report/sink.hpp"

namespace assay {

struct RunJournal {
  Journal journal;
  std::string timestamp;                  ///< of the first start, YYYYmmddHHMMSS: names files
  std::optional<VerdictCounts> complete;  ///< the run was finished before; there is nothing to do
};

/// Takes the folder of a run for this process.
/// folder     empty: results go nowhere, and nor does the journal
/// resume     go on with what the folder holds; else the folder must not hold an unfinished run
/// timestamp  used if the run is new
/// errors  kInput: another run writes to the folder; it holds an unfinished run and `resume` is off; it holds another run (the
///         differences are named); what Journal::open says
Result<RunJournal> open_run_journal(const std::filesystem::path& folder, bool resume, const RunInfo& info,
                                    const std::string& timestamp);

/// What differs between two runs that should be (parts of) one: dump, versions, configuration. A line each, in words.
std::vector<std::string> run_differences(const RunInfo& before, const RunInfo& now);

}  // namespace assay
