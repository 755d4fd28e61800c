// The peer's two files of a comparison of two runs: api_precision_compare_result and api_precision_compare_details, with its
// columns, words, BOM and line ends.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compare/precision_judge.hpp"

namespace assay {

/// timestamp     YYYYmmddHHMMSS, part of the names
/// warning_word  how the peer's version spells it
Status write_precision_files(const std::filesystem::path& folder, const std::string& timestamp, const std::string& warning_word,
                             const std::vector<PrecisionRow>& rows, const std::vector<PrecisionResult>& results);

}  // namespace assay
