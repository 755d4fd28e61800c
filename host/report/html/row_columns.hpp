// What a page's script knows about all rows at once, written as it comes: a row costs little more than its text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/html/row.hpp"
#include "report/output_file.hpp"

namespace assay::html {

class RowColumns {
 public:
  /// numbers  how many Row::numbers there are
  explicit RowColumns(std::size_t numbers) : numbers_(numbers) {}

  void add(const Row& row);
  [[nodiscard]] std::size_t row_count() const { return row_count_; }

  /// Members of a JSON object, safe inside <script>. Column by column: the names of fields would be most of the text otherwise.
  [[nodiscard]] Status write(const Output& out) const;

 private:
  // JSON values with commas between.
  std::string position_, call_, name_, message_, verdict_;
  std::vector<std::string> numbers_;
  std::size_t row_count_ = 0;
};

}  // namespace assay::html
