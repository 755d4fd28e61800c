#include "report/html/markup.hpp"

#include <cstdio>

#include "base/text.hpp"

namespace assay::html {

std::string escape(std::string_view input) {
  std::string out;
  for (const char c : escape_control(input)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string short_number(const std::optional<double>& value) { return value ? short_number(*value) : ""; }

std::string cell(std::string_view text) { return "<td>" + escape(text) + "</td>"; }

std::string number_cell(const std::optional<double>& value) { return "<td class=\"number\">" + short_number(value) + "</td>"; }

std::string verdict_cell(Verdict verdict) {
  const std::string name(verdict_name(verdict));
  return "<td><span class=\"tag " + name + "\">" + name + "</span></td>";
}

std::string fact_list(const std::vector<Fact>& facts) {
  std::string list = "<dl class=\"facts\">\n";
  for (const Fact& fact : facts) {
    if (!fact.text.empty()) list += "<dt>" + escape(fact.term) + "</dt><dd>" + escape(fact.text) + "</dd>\n";
  }
  return list + "</dl>\n";
}

Table::Table(const std::vector<Head>& heads) {
  text_ = "<div class=\"scroll\"><table><thead><tr>";
  for (const Head& head : heads) {
    text_ += std::string("<th scope=\"col\"") + (head.number ? " class=\"number\">" : ">") + escape(head.title) + "</th>";
  }
  text_ += "</tr></thead><tbody>\n";
}

void Table::row(const std::vector<std::string>& cells) { text_ += "<tr>" + join(cells, "") + "</tr>\n"; }

std::string Table::str() const { return text_ + "</tbody></table></div>\n"; }

std::string section(const std::string& id, const std::string& title, const std::string& hint, const std::string& body) {
  return "<section id=\"" + id + "\" aria-labelledby=\"" + id + "-title\">\n<h2 id=\"" + id + "-title\">" + escape(title) +
         "</h2>\n" + (hint.empty() ? "" : "<p class=\"hint\">" + hint + "</p>\n") + body + "</section>\n";
}

std::string preformatted(std::string_view text) {
  // Line by line: escape() shows control characters, and these line ends are wanted.
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.push_back(escape(line));
  return "<pre>" + join(lines, "\n") + "</pre>\n";
}

Status fill(std::string_view page, const std::map<std::string, Part, std::less<>>& parts, const Output& out) {
  std::size_t at = 0;
  while (at < page.size()) {
    const std::size_t open = page.find('@', at);
    const std::size_t close = open == std::string_view::npos ? open : page.find('@', open + 1);
    if (close == std::string_view::npos) break;
    const auto part = parts.find(page.substr(open + 1, close - open - 1));
    if (part == parts.end()) {
      // Not a mark: the closing sign may open one.
      if (Status s = out(page.substr(at, close - at)); !s) return s;
      at = close;
      continue;
    }
    if (Status s = out(page.substr(at, open - at)); !s) return s;
    if (Status s = part->second.write(out); !s) return s;
    at = close + 1;
  }
  return out(page.substr(at));
}

}  // namespace assay::html
