// What changed against an earlier run, as a part of a report.
#pragma once

#include <string>

#include "compare/comparison.hpp"

namespace assay {

/// A section of a page: counts, settings that differ, changes with the worst first.
std::string baseline_html(const Comparison& comparison);

/// The same for a pull request, shorter.
std::string baseline_markdown(const Comparison& comparison);

}  // namespace assay
