#include "report/html/charts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "report/html/markup.hpp"

namespace assay::html {

namespace {

constexpr double kWidth = 1000;
constexpr double kHeight = 240;
constexpr double kLeft = 60;
constexpr double kRight = 985;
constexpr double kTop = 22;
constexpr double kBottom = 205;
/// Values are drawn up to this power of two; what is beyond (or infinite) lies on the edge.
constexpr double kMaxLog2 = 64;
constexpr int kColumns = 480;
constexpr double kRowHeight = 20;
constexpr double kNameWidth = 300;
constexpr std::size_t kMaxKinds = 20;
constexpr std::size_t kMaxBars = 15;

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string open_svg(const std::string& title, double height, double width = kWidth) {
  return "<div class=\"scroll\"><svg viewBox=\"0 0 " + fixed(width) + " " + fixed(height) + "\" role=\"img\" aria-label=\"" +
         escape(title) + "\">\n";
}

constexpr const char* kCloseSvg = "</svg></div>\n";

std::string line(const char* css, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + std::string(css) + "\" x1=\"" + fixed(x1) + "\" y1=\"" + fixed(y1) + "\" x2=\"" + fixed(x2) +
         "\" y2=\"" + fixed(y2) + "\"/>\n";
}

std::string text(double x, double y, const char* anchor, const std::string& content) {
  return "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" text-anchor=\"" + anchor + "\">" + escape(content) + "</text>\n";
}

std::string rect(const char* css, double x, double y, double width, double height, const std::string& tooltip) {
  return "<rect class=\"" + std::string(css) + "\" x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" width=\"" +
         fixed(std::max(width, 0.5)) + "\" height=\"" + fixed(height) + "\"><title>" + escape(tooltip) + "</title></rect>\n";
}

/// 0 at 0, then a step for each power of two from 1 up.
double level(double value) {
  if (!(value > 0)) return 0;
  return std::min(kMaxLog2, 1 + std::log2(std::max(value, 1.0)));
}

bool stands_out(const DriftPoint& point, const DriftPoint& beside) {
  return std::pair(point.error, level(point.value)) > std::pair(beside.error, level(beside.value));
}

double scale_end(double largest_level) { return std::ceil(std::max(largest_level, 4.0) / 4) * 4; }

std::string power_label(double tick) { return tick == 0 ? "0" : "2^" + std::to_string(static_cast<int>(tick) - 1); }

std::string mark(const DriftPoint& point, const std::string& unit, Order order, double x, double y) {
  const std::string title = "<title>" + escape(point.name + ": " + short_number(point.value) + " " + unit) + "</title>";
  const std::string bad = point.error ? " bad" : "";
  if (order == Order::kForward) {
    return "<circle class=\"forward" + bad + "\" cx=\"" + fixed(x) + "\" cy=\"" + fixed(y) + "\" r=\"" +
           (point.error ? "4.5" : "3") + "\">" + title + "</circle>\n";
  }
  return "<path class=\"backward" + bad + "\" d=\"M" + fixed(x) + " " + fixed(y - 4) + "l4 7h-8z\">" + title + "</path>\n";
}

std::string bin_label(std::size_t bin) {
  if (bin < 3) return std::to_string(bin);
  return "≤2^" + std::to_string(bin - 1);
}

/// The value below which `share` of the sorted values lie.
double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

std::string clipped(const std::string& name) {
  // Cut between characters of UTF-8, not inside one.
  if (name.size() <= 44) return name;
  std::size_t end = 43;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return name.substr(0, end) + "…";
}

std::string histogram_bars(const std::vector<double>& counts, const std::string& unit, double left, double right, double top,
                           double bottom, std::size_t labels) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double width = (right - left) / static_cast<double>(counts.size());
  const std::size_t label_step = (counts.size() - 1) / labels + 1;
  std::string svg = line("axis", left, bottom, right, bottom);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double x = left + width * static_cast<double>(i);
    // The square root keeps rare far-off elements visible beside the many exact ones.
    const double height = (bottom - top) * std::sqrt(counts[i] / total);
    if (counts[i] > 0) {
      svg += rect("bar", x + 1, bottom - height, width - 2, height,
                  bin_label(i) + " " + unit + ": " + short_number(counts[i]) + " elements");
    }
    if (i % label_step == 0) svg += text(x + width / 2, bottom + 16, "middle", bin_label(i));
  }
  return svg;
}

}  // namespace

void add_point(std::vector<DriftPoint>& points, DriftPoint point) {
  // Far more than the picture has columns.
  constexpr std::size_t kMostPoints = 65536;
  points.push_back(std::move(point));
  if (points.size() < kMostPoints) return;
  const auto is_error = [](const DriftPoint& each) { return each.error; };
  const auto first = std::find_if(points.begin(), points.end(), is_error);
  const auto last = std::find_if(points.rbegin(), points.rend(), is_error).base();
  std::vector<DriftPoint> kept;
  for (auto left = points.begin(); left + 1 < points.end(); left += 2) {
    const auto right = left + 1;
    const bool is_right = stands_out(*right, *left);
    const auto dropped = is_right ? left : right;
    const bool needed = dropped == first || dropped + 1 == last;
    if (!is_right || needed) kept.push_back(std::move(*left));
    if (is_right || needed) kept.push_back(std::move(*right));
  }
  points = std::move(kept);
}

std::string drift_chart(const std::string& title, const std::string& unit, const std::vector<DriftPoint>& points,
                        std::size_t call_count, Order order, const std::string& what) {
  if (points.empty()) return "";
  double top = 0;
  for (const DriftPoint& point : points) top = std::max(top, level(point.value));
  top = scale_end(top);
  const auto y_of = [&](double value) { return kBottom - (kBottom - kTop) * value / top; };
  const double scale = call_count > 1 ? 1.0 / static_cast<double>(call_count - 1) : 0;
  const auto x_of = [&](std::size_t position) {
    const double share = static_cast<double>(position) * scale;
    return kLeft + (kRight - kLeft) * (order == Order::kForward ? share : 1 - share);
  };

  std::string svg =
      open_svg(title + ": largest value of each " + what + " in " + unit + ", in the order in which " + what + "s run", kHeight);
  for (double tick = 0; tick <= top; tick += top / 4) {
    svg += line("axis", kLeft, y_of(tick), kRight, y_of(tick));
    svg += text(kLeft - 6, y_of(tick) + 4, "end", power_label(tick));
  }
  const std::string last = "last " + what + " (" + std::to_string(call_count) + ")";
  svg += text(kLeft, kHeight - 12, "start", order == Order::kForward ? "first " + what : last);
  svg += text(kRight, kHeight - 12, "end", order == Order::kForward ? last : "first " + what);
  svg += text((kLeft + kRight) / 2, kHeight - 12, "middle", title + ", " + unit);

  const DriftPoint* first_error = nullptr;
  // The largest of each column says what a reader looks for; drawing all of 100,000 would hide it.
  std::map<int, const DriftPoint*> columns;
  for (const DriftPoint& point : points) {
    const double x = x_of(point.position);
    if (point.error && (first_error == nullptr || x < x_of(first_error->position))) first_error = &point;
    const DriftPoint*& kept = columns[static_cast<int>((x - kLeft) / (kRight - kLeft) * kColumns)];
    if (kept == nullptr || stands_out(point, *kept)) kept = &point;
  }
  if (first_error != nullptr) {
    const double x = x_of(first_error->position);
    svg += line("first", x, kTop - 8, x, kBottom);
    svg += text(x + (x > kWidth / 2 ? -4 : 4), kTop - 10, x > kWidth / 2 ? "end" : "start",
                "first error: " + clipped(first_error->name));
  }
  for (const auto& [column, point] : columns) svg += mark(*point, unit, order, x_of(point->position), y_of(level(point->value)));
  return svg + kCloseSvg;
}

std::string spread_chart(const std::string& title, const std::string& unit, std::vector<Spread> kinds) {
  std::erase_if(kinds, [](const Spread& kind) { return kind.values.empty(); });
  if (kinds.empty()) return "";
  double top = 0;
  for (Spread& kind : kinds) {
    // Not a number sorts as the largest.
    for (double& value : kind.values) value = std::isnan(value) ? INFINITY : value;
    std::sort(kind.values.begin(), kind.values.end());
    top = std::max(top, level(kind.values.back()));
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const Spread& l, const Spread& r) {
    return std::pair(l.values.back(), quantile(l.values, 0.5)) > std::pair(r.values.back(), quantile(r.values, 0.5));
  });
  const std::size_t left_out = kinds.size() > kMaxKinds ? kinds.size() - kMaxKinds : 0;
  kinds.resize(kinds.size() - left_out);
  top = scale_end(top);
  const auto x_of = [&](double value) { return kNameWidth + (kRight - kNameWidth - 60) * level(value) / top; };
  const double height = kRowHeight * static_cast<double>(kinds.size()) + 30;

  std::string svg = open_svg(title, height);
  for (double tick = 0; tick <= top; tick += top / 4) {
    const double x = kNameWidth + (kRight - kNameWidth - 60) * tick / top;
    svg += line("axis", x, 4, x, height - 24);
    svg += text(x, height - 8, "middle", power_label(tick));
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Spread& kind = kinds[i];
    const double y = 4 + kRowHeight * (static_cast<double>(i) + 0.5);
    const double low = kind.values.front(), q1 = quantile(kind.values, 0.25), median = quantile(kind.values, 0.5),
                 q3 = quantile(kind.values, 0.75), high = kind.values.back();
    svg += text(kNameWidth - 10, y + 4, "end", clipped(kind.name));
    svg += line("whisker", x_of(low), y, x_of(high), y);
    svg += rect(kind.error ? "box bad" : "box", x_of(q1), y - 6, x_of(q3) - x_of(q1), 12,
                kind.name + ": " + std::to_string(std::max(kind.count, kind.values.size())) + " outputs, least " +
                    short_number(low) + ", median " + short_number(median) + ", largest " + short_number(high) + " " + unit);
    svg += line("median", x_of(median), y - 8, x_of(median), y + 8);
    svg += line("whisker", x_of(high), y - 4, x_of(high), y + 4);
    svg += text(x_of(high) + 6, y + 4, "start", short_number(high));
  }
  svg += kCloseSvg;
  if (left_out != 0) svg += "<p class=\"hint\">" + std::to_string(left_out) + " kinds with smaller values are left out.</p>\n";
  return svg;
}

std::string histogram_chart(const std::string& title, const std::string& unit, const std::vector<double>& counts) {
  std::size_t bins = counts.size();
  while (bins > 0 && !(counts[bins - 1] > 0)) --bins;
  if (bins == 0) return "";
  std::vector<double> shown(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(bins));
  shown.resize(std::max<std::size_t>(bins, 4));
  return open_svg(title, kHeight) + histogram_bars(shown, unit, kLeft, kRight, kTop, kBottom, 24) +
         text(kLeft, kHeight - 6, "start", unit + " (bar height: square root of the share)") + kCloseSvg;
}

std::string small_histogram(const std::vector<std::pair<std::uint32_t, double>>& bins, const std::string& unit) {
  std::vector<double> counts(4);
  for (const auto& [bin, count] : bins) {
    if (bin >= counts.size()) counts.resize(bin + 1);
    counts[bin] += count;
  }
  if (!(std::accumulate(counts.begin(), counts.end(), 0.0) > 0)) return "";
  return open_svg("elements of this output by " + unit, 110, 480) + histogram_bars(counts, unit, 10, 470, 8, 84, 10) +
         text(10, 108, "start", unit) + kCloseSvg;
}

std::string bar_chart(const std::string& title, std::vector<Bar> bars) {
  std::erase_if(bars, [](const Bar& bar) { return !(bar.value > 0); });
  if (bars.empty()) return "";
  std::stable_sort(bars.begin(), bars.end(), [](const Bar& l, const Bar& r) { return l.value > r.value; });
  if (bars.size() > kMaxBars) bars.resize(kMaxBars);
  const double height = kRowHeight * static_cast<double>(bars.size()) + 8;
  std::string svg = open_svg(title, height);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = 4 + kRowHeight * static_cast<double>(i);
    const double width = (kRight - kNameWidth - 160) * bars[i].value / bars.front().value;
    svg += text(kNameWidth - 10, y + 14, "end", clipped(bars[i].name));
    svg += rect("bar", kNameWidth, y + 3, width, kRowHeight - 6, bars[i].name + ": " + bars[i].text);
    svg += text(kNameWidth + width + 6, y + 14, "start", bars[i].text);
  }
  return svg + kCloseSvg;
}

std::string chart_or(const std::string& chart, const char* instead) {
  return chart.empty() ? "<p class=\"faint\">" + std::string(instead) + "</p>\n" : chart;
}

}  // namespace assay::html
