// Small dense matrices in double, for rebuilding what a decomposition came from.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "assay/sdk/tensor.hpp"

namespace assay {

/// Row-major, complex for every source type.
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t cols) : rows_(rows), cols_(cols), values_(static_cast<std::size_t>(rows * cols)) {}

  /// Matrix `batch` of a tensor of at least two dimensions.
  static Matrix from(const TensorView& tensor, std::int64_t batch);
  /// Vector `batch` of a tensor of at least one dimension, as a column, or on the diagonal of a square matrix.
  static Matrix column(const TensorView& tensor, std::int64_t batch);
  static Matrix diagonal(const TensorView& tensor, std::int64_t batch);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }
  std::complex<double>& at(std::int64_t row, std::int64_t col) { return values_[static_cast<std::size_t>(row * cols_ + col)]; }
  [[nodiscard]] std::complex<double> at(std::int64_t row, std::int64_t col) const {
    return values_[static_cast<std::size_t>(row * cols_ + col)];
  }

  /// The first columns, or rows.
  [[nodiscard]] Matrix left(std::int64_t cols) const;
  [[nodiscard]] Matrix top(std::int64_t rows) const;
  [[nodiscard]] Matrix adjoint() const;
  /// Zeros below (upper) or above (lower) the diagonal; lower has ones on it.
  [[nodiscard]] Matrix upper() const;
  [[nodiscard]] Matrix unit_lower() const;
  void swap_rows(std::int64_t first, std::int64_t second);

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  std::vector<std::complex<double>> values_;
};

/// Plain triple loop; the caller bounds the sizes.
Matrix operator*(const Matrix& left, const Matrix& right);

}  // namespace assay
