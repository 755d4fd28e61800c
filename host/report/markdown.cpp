#include "report/markdown.hpp"

#include "base/text.hpp"

namespace assay {

std::string markdown_text(std::string_view text) {
  static constexpr std::string_view kMarkup = "\\`*_[]|~#:$";
  std::string out;
  for (const char c : escape_control(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '@') {
      // The empty comment parts the sign from a name that it would call.
      out += "@<!-- -->";
    } else {
      if (kMarkup.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string markdown_code(std::string_view text) { return "<code>" + markdown_text(text) + "</code>"; }

std::string markdown_block(std::string_view text) { return "    " + escape_control(text) + "\n"; }

}  // namespace assay
