#include "report/html/page.hpp"

namespace assay::html {

std::string fill(std::string_view page, const std::map<std::string, std::string, std::less<>>& parts) {
  std::string out;
  std::size_t at = 0;
  while (at < page.size()) {
    const std::size_t open = page.find('@', at);
    const std::size_t close = open == std::string_view::npos ? open : page.find('@', open + 1);
    if (close == std::string_view::npos) break;
    const auto part = parts.find(page.substr(open + 1, close - open - 1));
    if (part == parts.end()) {
      // Not a mark: the closing sign may open one.
      out += page.substr(at, close - at);
      at = close;
      continue;
    }
    out += page.substr(at, open - at);
    out += part->second;
    at = close + 1;
  }
  return out.append(page.substr(at));
}

}  // namespace assay::html
