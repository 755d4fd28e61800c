// Joins what the watch wrote for each rank, on one machine or several, into one table ordered by step and rank.
//
//   if (holds_ranks(folder)) merge_ranks({folder, other_machine}, out);
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "base/result.hpp"

namespace assay {

/// The folders rank<N> below a folder that hold the watch's files, by rank.
std::map<std::uint64_t, std::filesystem::path> rank_folders(const std::filesystem::path& folder);

/// Whether the folder has rank<N> folders with the watch's files.
bool holds_ranks(const std::filesystem::path& folder);

/// Writes rows.csv and steps.csv of all ranks below the folders.
/// errors  kInput: no ranks, a rank twice, a file that can't be read or isn't the watch's
Status merge_ranks(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& out);

}  // namespace assay
