#include "report/html/charts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/text.hpp"

namespace assay::html {

namespace {

constexpr double kWidth = 1000;
constexpr double kHeight = 240;
constexpr double kLeft = 60;
constexpr double kRight = 985;
constexpr double kTop = 15;
constexpr double kBottom = 205;
/// Errors are drawn up to this power of two; what is beyond (or infinite) lies on the upper edge.
constexpr double kMaxLog2 = 64;
constexpr int kColumns = 480;

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string open_svg(const std::string& title) {
  return "<svg viewBox=\"0 0 1000 240\" role=\"img\" aria-label=\"" + escape(title) + "\">\n";
}

std::string line(double x1, double y1, double x2, double y2) {
  return "<line class=\"axis\" x1=\"" + fixed(x1) + "\" y1=\"" + fixed(y1) + "\" x2=\"" + fixed(x2) + "\" y2=\"" + fixed(y2) +
         "\"/>\n";
}

std::string text(double x, double y, const char* anchor, const std::string& content) {
  return "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" text-anchor=\"" + anchor + "\">" + escape(content) + "</text>\n";
}

/// 0 ulp at the bottom, then a step for each power of two.
double level(double ulp) {
  if (!(ulp > 0)) return 0;
  return std::min(kMaxLog2, 1 + std::log2(std::max(ulp, 1.0)));
}

std::string mark(const DriftPoint& point, double x, double y) {
  const std::string kind = std::string(point.backward ? "backward" : "forward") + (point.error ? " bad" : "");
  const std::string title = "<title>" + escape(point.name + ": " + format_number(point.ulp) + " ulp") + "</title>";
  if (!point.backward)
    return "<circle class=\"" + kind + "\" cx=\"" + fixed(x) + "\" cy=\"" + fixed(y) + "\" r=\"3\">" + title + "</circle>\n";
  return "<path class=\"" + kind + "\" d=\"M" + fixed(x) + " " + fixed(y - 4) + "l4 7h-8z\">" + title + "</path>\n";
}

std::string bin_label(std::size_t bin) {
  if (bin < 3) return std::to_string(bin);
  return "≤2^" + std::to_string(bin - 1);
}

}  // namespace

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

std::string drift_chart(const std::vector<DriftPoint>& points, std::size_t call_count) {
  if (points.empty()) return "<p class=\"faint\">No floating-point output was compared.</p>";
  double top = 4;
  for (const DriftPoint& point : points) top = std::max(top, level(point.ulp));
  top = std::ceil(top / 4) * 4;
  const auto y_of = [&](double value) { return kBottom - (kBottom - kTop) * value / top; };

  std::string svg = open_svg("largest error of each call in ulp, in call order");
  for (double tick = 0; tick <= top; tick += top / 4) {
    svg += line(kLeft, y_of(tick), kRight, y_of(tick));
    svg += text(kLeft - 6, y_of(tick) + 4, "end", tick == 0 ? "0" : "2^" + std::to_string(static_cast<int>(tick) - 1));
  }
  svg += text(kLeft, kHeight - 12, "start", "first call");
  svg += text(kRight, kHeight - 12, "end", "last call (" + std::to_string(call_count) + ")");

  // The largest of each column and kind says what a reader looks for; drawing all of 100,000 would hide it.
  std::map<std::pair<int, bool>, const DriftPoint*> columns;
  const double scale = call_count > 1 ? 1.0 / static_cast<double>(call_count - 1) : 0;
  for (const DriftPoint& point : points) {
    const int column = static_cast<int>(static_cast<double>(point.position) * scale * kColumns);
    const DriftPoint*& kept = columns[{column, point.backward}];
    if (kept == nullptr || std::pair(point.error, point.ulp) > std::pair(kept->error, kept->ulp)) kept = &point;
  }
  for (const auto& [key, point] : columns) {
    const double x = kLeft + (kRight - kLeft) * static_cast<double>(point->position) * scale;
    svg += mark(*point, x, y_of(level(point->ulp)));
  }
  return svg + "</svg>";
}

std::string ulp_histogram_chart(const std::vector<double>& counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (total <= 0) return "<p class=\"faint\">No floating-point element was compared.</p>";
  std::size_t last = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) last = i;
  }
  const std::size_t bins = std::max<std::size_t>(last + 1, 4);
  const double width = (kRight - kLeft) / static_cast<double>(bins);
  std::string svg = open_svg("share of elements by distance in ulp");
  svg += line(kLeft, kBottom, kRight, kBottom);
  const std::size_t label_step = bins / 24 + 1;
  for (std::size_t i = 0; i < bins; ++i) {
    const double share = counts[i] / total;
    const double x = kLeft + width * static_cast<double>(i);
    // The square root keeps rare far-off elements visible beside the many exact ones.
    const double height = (kBottom - kTop) * std::sqrt(share);
    svg += "<rect class=\"bar\" x=\"" + fixed(x + 1) + "\" y=\"" + fixed(kBottom - height) + "\" width=\"" + fixed(width - 2) +
           "\" height=\"" + fixed(height) + "\"><title>" +
           escape(bin_label(i) + " ulp: " + format_number(counts[i]) + " elements") + "</title></rect>\n";
    if (i % label_step == 0) svg += text(x + width / 2, kBottom + 16, "middle", bin_label(i));
  }
  svg += text(kLeft, kHeight - 6, "start", "ulp (bar height: square root of the share)");
  return svg + "</svg>";
}

}  // namespace assay::html
