// Which elements of a pair count: all of them, the rows of a region, or those that a mask among the call's arguments names.
//
//   Result<Selection> selection = Selection::make(override, judgement, actual, expected);
//   judge(selection->actual(), selection->expected());
//   selection->element(3);   // of what counts, with its place in the whole output
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "judge/judge.hpp"
#include "judge/standard_model.hpp"

namespace assay {

class Selection {
 public:
  /// Every element.
  Selection(const Tensor& actual, const Tensor& expected);

  /// What the override asks for.
  /// errors  kInput: the output has no such rows, or the call no such argument
  static Result<Selection> make(const Override& wanted, const Judgement& judgement, const Tensor& actual, const Tensor& expected);

  /// The elements that count.
  [[nodiscard]] const Tensor& actual() const { return actual_; }
  [[nodiscard]] const Tensor& expected() const { return expected_; }
  /// "" for all of them, else " of those that count".
  [[nodiscard]] const char* scope() const { return is_all_ ? "" : " of those that count"; }

  /// Element `index` of those that count, with its place in the whole output.
  [[nodiscard]] WorstElement element(std::int64_t index) const;

  /// The first element that doesn't count and differs (nan equals nan); nothing: they all agree.
  [[nodiscard]] std::optional<WorstElement> difference_elsewhere() const;

 private:
  /// A range of rows along one dimension, in elements of the whole tensor.
  struct Rows {
    std::int64_t inner = 1;  ///< elements of one row
    std::int64_t size = 1;   ///< rows of the whole
    std::int64_t start = 0;
    std::int64_t stop = 1;
  };

  [[nodiscard]] Status select_rows(const Override::Region& region, const Judgement& judgement);
  [[nodiscard]] Status select_masked(const Override::Mask& mask, const Judgement& judgement);
  [[nodiscard]] bool counts(std::int64_t index) const;

  Tensor whole_actual_;
  Tensor whole_expected_;
  Tensor actual_;
  Tensor expected_;
  bool is_all_ = true;
  Rows rows_;
  bool is_masked_ = false;
  std::vector<std::int64_t> places_;  ///< of a mask: rising positions in the whole
};

/// |actual - expected| of two elements at row-major positions; 0 where both are nan or the same infinity, else not finite for
/// these.
double difference_at(const TensorView& actual, const TensorView& expected, std::int64_t index);

}  // namespace assay
