// What pages of all kinds of runs say about the run itself.
#pragma once

#include <string>
#include <vector>

#include "report/html/markup.hpp"
#include "report/sink.hpp"

namespace assay::html {

/// "assay.torch, LibTorch 1.13.0, float64", or which recording.
std::string side_text(const SideInfo& side);

/// How to repeat a run, further facts, keys of the dump that are not calls, the configuration.
std::string run_section(const std::string& command, const std::vector<Fact>& facts, const std::vector<SkippedKey>& skipped_keys,
                        const std::string& config_json);

/// "assay: <folder of the dump>".
std::string page_title(const std::string& dump_path);

}  // namespace assay::html
