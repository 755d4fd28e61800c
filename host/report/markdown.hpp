// Markdown (as code forges read it) that the text in it can't break.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// Text for a paragraph or a cell of a table: nothing in it is markup, a link or a mention.
std::string markdown_text(std::string_view text);

/// A name, in the type of code.
std::string markdown_code(std::string_view text);

/// A shell line on its own.
std::string markdown_block(std::string_view text);

}  // namespace assay
