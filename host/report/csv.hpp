// CSV cells and lines (RFC 4180) that a spreadsheet can't be made to run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A cell, quoted where it must be. `neutralise` puts a quote mark before text that a spreadsheet would take for a formula
/// (= + - @ and their full-width forms, tab, carriage return); numbers are left as they are.
std::string csv_cell(std::string_view text, bool neutralise = true);

/// Cells joined by commas, ended by `line_end`.
std::string csv_line(const std::vector<std::string>& cells, std::string_view line_end);

}  // namespace assay
