// The report's pictures as inline SVG, drawn without scripts. Each is a picture with a name for screen readers, and every mark has
// a tooltip. Shapes, not colours alone, tell kinds of marks apart.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::html {

/// One call in the picture of error against call order.
struct DriftPoint {
  std::size_t position = 0;  ///< in the dump
  double value = 0;          ///< largest of the direction; may be infinite
  bool error = false;
  std::string name;
};

/// Adds a point; from some ten thousand on, only the larger of two neighbours is kept, and the first and the last error.
void add_point(std::vector<DriftPoint>& points, DriftPoint point);

enum class Order {
  kForward,  ///< from the first call to the last: circles
  kBackward  ///< from the last call to the first, as gradients flow: triangles
};

/// The largest value of each call (powers of two upward) against call order; the first error is marked. Of many points only the
/// largest of each column of the picture is drawn. `what` each point stands for: a call of a recording, a step of a job.
std::string drift_chart(const std::string& title, const std::string& unit, const std::vector<DriftPoint>& points,
                        std::size_t call_count, Order order, const std::string& what = "call");

/// The values of one kind of operator.
struct Spread {
  std::string name;
  std::vector<double> values;
  bool error = false;
  std::size_t count = 0;  ///< of the values, or more if these are a sample
};

/// Least, quartiles, median and largest value of each kind on one scale of powers of two; the kinds with the largest values first.
std::string spread_chart(const std::string& title, const std::string& unit, std::vector<Spread> kinds);

/// Share of elements by bin 0, 1, 2, 3-4, 5-8, ... of `unit`.
std::string histogram_chart(const std::string& title, const std::string& unit, const std::vector<double>& counts);

/// The same of one row, as (bin, count), small.
std::string small_histogram(const std::vector<std::pair<std::uint32_t, double>>& bins, const std::string& unit);

struct Bar {
  std::string name;
  double value = 0;
  std::string text;  ///< what stands at its end
};

/// Horizontal bars, longest first, those beyond the first fifteen left out.
std::string bar_chart(const std::string& title, std::vector<Bar> bars);

/// A chart, or our words in the place of one that has nothing to show.
std::string chart_or(const std::string& chart, const char* instead);

}  // namespace assay::html
