// What a page knows about each row beyond its table: kept compressed in parts, so that a page of 100,000 rows opens at once and
// unpacks only what a reader asks for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/output_file.hpp"

namespace assay::html {

class DetailStore {
 public:
  /// Rows of one part.
  static constexpr std::size_t kPartRows = 256;

  /// The next row's detail, as JSON.
  Status add(const std::string& json);

  /// <script> elements of the class "details", one a part, in order: a JSON array, compressed by zlib, as base64.
  [[nodiscard]] Status write(const Output& out) const;

 private:
  std::vector<std::string> parts_;  // finished ones, as base64
  std::string open_;                // JSON of the last part, without brackets
  std::size_t open_rows_ = 0;
};

}  // namespace assay::html
