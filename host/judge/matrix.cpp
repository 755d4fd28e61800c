#include "judge/matrix.hpp"

#include <algorithm>

namespace assay {

Matrix Matrix::from(const TensorView& tensor, std::int64_t batch) {
  Matrix out(tensor.size(tensor.ndim() - 2), tensor.size(tensor.ndim() - 1));
  const auto count = static_cast<std::int64_t>(out.values_.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t offset = tensor.offset_of(batch * count + i);
    out.values_[static_cast<std::size_t>(i)] = {tensor.number_at(offset), tensor.imaginary_at(offset)};
  }
  return out;
}

Matrix Matrix::column(const TensorView& tensor, std::int64_t batch) {
  const std::int64_t n = tensor.size(tensor.ndim() - 1);
  Matrix out(n, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t offset = tensor.offset_of(batch * n + i);
    out.at(i, 0) = {tensor.number_at(offset), tensor.imaginary_at(offset)};
  }
  return out;
}

Matrix Matrix::diagonal(const TensorView& tensor, std::int64_t batch) {
  const Matrix values = column(tensor, batch);
  Matrix out(values.rows(), values.rows());
  for (std::int64_t i = 0; i < values.rows(); ++i) out.at(i, i) = values.at(i, 0);
  return out;
}

Matrix Matrix::left(std::int64_t cols) const {
  Matrix out(rows_, std::min(cols, cols_));
  for (std::int64_t r = 0; r < rows_; ++r) {
    for (std::int64_t c = 0; c < out.cols_; ++c) out.at(r, c) = at(r, c);
  }
  return out;
}

Matrix Matrix::top(std::int64_t rows) const {
  Matrix out(std::min(rows, rows_), cols_);
  std::copy_n(values_.begin(), out.values_.size(), out.values_.begin());
  return out;
}

Matrix Matrix::adjoint() const {
  Matrix out(cols_, rows_);
  for (std::int64_t r = 0; r < rows_; ++r) {
    for (std::int64_t c = 0; c < cols_; ++c) out.at(c, r) = std::conj(at(r, c));
  }
  return out;
}

Matrix Matrix::upper() const {
  Matrix out = *this;
  for (std::int64_t r = 0; r < rows_; ++r) {
    for (std::int64_t c = 0; c < std::min(r, cols_); ++c) out.at(r, c) = 0;
  }
  return out;
}

Matrix Matrix::unit_lower() const {
  Matrix out = *this;
  for (std::int64_t r = 0; r < rows_; ++r) {
    for (std::int64_t c = r; c < cols_; ++c) out.at(r, c) = r == c ? 1.0 : 0.0;
  }
  return out;
}

void Matrix::swap_rows(std::int64_t first, std::int64_t second) {
  for (std::int64_t c = 0; c < cols_; ++c) std::swap(at(first, c), at(second, c));
}

Matrix operator*(const Matrix& left, const Matrix& right) {
  Matrix out(left.rows(), right.cols());
  for (std::int64_t r = 0; r < left.rows(); ++r) {
    for (std::int64_t k = 0; k < left.cols(); ++k) {
      const std::complex<double> factor = left.at(r, k);
      if (factor == 0.0) continue;
      for (std::int64_t c = 0; c < right.cols(); ++c) out.at(r, c) += factor * right.at(k, c);
    }
  }
  return out;
}

}  // namespace assay
