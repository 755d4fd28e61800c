// Fills a page template.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace assay::html {

/// The template with every @NAME@ (capitals and underscores) that `parts` has replaced, in one pass: text that is put in is never
/// searched.
std::string fill(std::string_view page, const std::map<std::string, std::string, std::less<>>& parts);

}  // namespace assay::html
