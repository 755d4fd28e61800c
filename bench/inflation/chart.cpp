// The table as a picture: a line for each row, on a logarithmic scale of inflation. A ring is the published factor, a dot ours, a
// bar the bound; shapes tell them apart without colours, and every mark has a tooltip.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/html/markup.hpp"
#include "tables.hpp"

namespace assay::bench {

namespace {

constexpr double kLabels = 430, kWidth = 1000, kLine = 18, kTop = 64, kMargin = 24;

std::string format(const char* pattern, double a, double b = 0, double c = 0, double d = 0) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, a, b, c, d);
  return text;
}

std::string mark(const std::string& shape, const std::string& tip) {
  return "<g>" + shape + "<title>" + html::escape(tip) + "</title></g>\n";
}

}  // namespace

std::string inflation_svg(const Table& table) {
  double most = 10;
  std::size_t lines = 0;
  for (const TableRow& row : table.rows) {
    if (row.published.is_baseline()) continue;
    ++lines;
    most = std::max({most, row.published.time_inflation, figures_of(row).time.median});
  }
  const double decades = std::ceil(std::log10(most));
  const double height = kTop + kLine * static_cast<double>(lines) + kMargin;
  const auto x_of = [&](double factor) {
    return kLabels + (kWidth - kLabels - kMargin) * std::clamp(std::log10(factor) / decades, 0.0, 1.0);
  };
  std::string svg =
      format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" ", kWidth, height) +
      "font-family=\"sans-serif\" font-size=\"11\">\n<title>time of a step under the watch over the plain step, "
      "published and measured</title>\n" +
      format("<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", kWidth, height) +
      "<text x=\"12\" y=\"22\" font-size=\"14\">Time of a step under the watch, relative to the plain step</text>\n" +
      "<circle cx=\"18\" cy=\"40\" r=\"4\" fill=\"#0b5fa5\"/><text x=\"28\" y=\"44\">measured</text>"
      "<path d=\"M105 34v12\" stroke=\"#222\" stroke-width=\"2\"/><text x=\"112\" y=\"44\">every checked operator run twice</text>"
      "<circle cx=\"305\" cy=\"40\" r=\"4\" fill=\"none\" stroke=\"#b04a00\" stroke-width=\"1.5\"/><text x=\"315\" "
      "y=\"44\">published</text>\n";
  for (int decade = 0; decade <= static_cast<int>(decades); ++decade) {
    const double x = x_of(std::pow(10, decade));
    svg += format("<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>", x, kTop - 8, height - kMargin) +
           format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#555\">%.0f×</text>\n", x, height - 8,
                  std::pow(10, decade));
  }
  double y = kTop + 4;
  for (const TableRow& row : table.rows) {
    const PublishedRow& p = row.published;
    if (p.is_baseline()) continue;
    const Figures f = figures_of(row);
    const std::string name = p.model + " " + p.what();
    svg += format("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", kLabels - 10, y + 4) + html::escape(name) + "</text>" +
           format("<path d=\"M%.1f %.1fH%.1f\" stroke=\"#eee\"/>\n", kLabels, y, kWidth - kMargin);
    svg += mark(format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"none\" stroke=\"#b04a00\" stroke-width=\"1.5\"/>",
                       x_of(p.time_inflation), y),
                name + ": published " + html::short_number(p.time_inflation));
    if (f.measured) {
      const double bound = f.wide.median > 0 ? f.wide.median : f.twice.median;
      svg += mark(format("<path d=\"M%.1f %.1fv12\" stroke=\"#222\" stroke-width=\"2\"/>", x_of(bound), y - 6),
                  name + ": run twice " + html::short_number(bound));
      svg += mark(format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#0b5fa5\"/>", x_of(f.time.median), y),
                  name + ": measured " + html::short_number(f.time.median));
    }
    y += kLine;
  }
  return svg + "</svg>\n";
}

}  // namespace assay::bench
