// Joins what the watch wrote for each rank, on one machine or several, into one table ordered by step and rank.
//
//   if (holds_ranks(folder)) merge_ranks({folder, other_machine}, out);
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.hpp"

namespace assay {

/// Whether the folder has rank<N> folders with the watch's files.
bool holds_ranks(const std::filesystem::path& folder);

/// Writes rows.csv and steps.csv of all ranks below the folders.
/// errors  kInput: no ranks, a rank twice, a file that can't be read or isn't the watch's
Status merge_ranks(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& out);

}  // namespace assay
