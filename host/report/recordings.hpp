// The runs of many recordings (the ranks and steps of a job), found in folders and kept apart by recording.
//
//   Result<std::vector<RecordingRuns>> recordings = find_recordings({"parts"});
//   ShardedRun::open((*recordings)[0].folders);
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

struct RecordingRuns {
  std::string
      name;  ///< what its path has that those of the others have not: "step0/rank3"; always a relative path that stays inside
  std::vector<std::filesystem::path> folders;  ///< of its runs
};

/// The runs in the folders and a few levels below them; recordings in the order of their names, rank2 before rank10.
/// errors  kInput: a folder without a run; a run.json that can't be read; recordings that weren't checked alike (the differences
///         are named)
Result<std::vector<RecordingRuns>> find_recordings(const std::vector<std::filesystem::path>& folders);

}  // namespace assay
