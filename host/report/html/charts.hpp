// The report's pictures as inline SVG, drawn without scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::html {

/// One call in the picture of error against call order.
struct DriftPoint {
  std::size_t position = 0;  ///< in the dump
  double ulp = 0;            ///< largest of the direction; may be infinite
  bool backward = false;
  bool error = false;
  std::string name;
};

/// Largest error in ulp (logarithmic) against call order. Of many points only the largest of each column of the picture is drawn.
std::string drift_chart(const std::vector<DriftPoint>& points, std::size_t call_count);

/// Share of elements by distance in ulp; bins 0, 1, 2, 3-4, 5-8, ...
std::string ulp_histogram_chart(const std::vector<double>& counts);

/// Text made safe for element content and attribute values; control characters are shown escaped.
std::string escape(std::string_view text);

}  // namespace assay::html
