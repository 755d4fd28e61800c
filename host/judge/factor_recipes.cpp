#include "judge/factor_recipes.hpp"

#include <algorithm>

namespace assay {

namespace {

std::optional<Matrix> product(const Matrix& left, const Matrix& right) {
  if (left.cols() != right.rows()) return std::nullopt;
  return left * right;
}

std::optional<Matrix> rebuild_svd_with(const Factors& f, std::int64_t batch, bool adjoint) {
  const Matrix s = Matrix::diagonal(f[1]->view(), batch);
  const Matrix u = Matrix::from(f[0]->view(), batch).left(s.rows());
  const Matrix v = Matrix::from(f[2]->view(), batch);
  const auto us = product(u, s);
  return us ? product(*us, adjoint ? v.top(s.rows()) : v.left(s.rows()).adjoint()) : std::nullopt;
}

std::optional<Matrix> rebuild_svd(const Factors& f, std::int64_t batch) { return rebuild_svd_with(f, batch, false); }
std::optional<Matrix> rebuild_svd_vh(const Factors& f, std::int64_t batch) { return rebuild_svd_with(f, batch, true); }

std::optional<Matrix> rebuild_qr(const Factors& f, std::int64_t batch) {
  const Matrix r = Matrix::from(f[1]->view(), batch);
  // Mode "r" gives no Q: what is left of the matrix is its Gram matrix.
  if (f[0]->numel() == 0) return r.adjoint() * r;
  return product(Matrix::from(f[0]->view(), batch), r);
}

std::optional<Matrix> rebuild_eigh(const Factors& f, std::int64_t batch) {
  const Matrix q = Matrix::from(f[1]->view(), batch);
  const auto ql = product(q, Matrix::diagonal(f[0]->view(), batch));
  return ql ? product(*ql, q.adjoint()) : std::nullopt;
}

std::optional<Matrix> rebuild_geqrf(const Factors& f, std::int64_t batch) {
  const Matrix packed = Matrix::from(f[0]->view(), batch);
  const Matrix tau = Matrix::column(f[1]->view(), batch);
  if (tau.rows() > std::min(packed.rows(), packed.cols())) return std::nullopt;
  Matrix out = packed.upper();
  // H = I - tau v v^H with v = (0, .., 1, below the diagonal), applied last reflector first.
  for (std::int64_t k = tau.rows() - 1; k >= 0; --k) {
    const auto reflector = [&](std::int64_t row) { return row == k ? std::complex<double>(1) : packed.at(row, k); };
    for (std::int64_t c = 0; c < out.cols(); ++c) {
      std::complex<double> dot = 0;
      for (std::int64_t r = k; r < out.rows(); ++r) dot += std::conj(reflector(r)) * out.at(r, c);
      for (std::int64_t r = k; r < out.rows(); ++r) out.at(r, c) -= tau.at(k, 0) * reflector(r) * dot;
    }
  }
  return out;
}

std::optional<Matrix> rebuild_lu(const Factors& f, std::int64_t batch) {
  const Matrix packed = Matrix::from(f[0]->view(), batch);
  const Matrix pivots = Matrix::column(f[1]->view(), batch);
  const std::int64_t k = std::min(packed.rows(), packed.cols());
  if (pivots.rows() != k) return std::nullopt;
  Matrix out = packed.left(k).unit_lower() * packed.top(k).upper();
  for (std::int64_t i = k - 1; i >= 0; --i) {
    const auto other = static_cast<std::int64_t>(pivots.at(i, 0).real()) - 1;
    if (other < 0 || other >= out.rows()) return std::nullopt;
    out.swap_rows(i, other);
  }
  return out;
}

std::optional<Matrix> rebuild_plu(const Factors& f, std::int64_t batch) {
  const auto lu = product(Matrix::from(f[1]->view(), batch), Matrix::from(f[2]->view(), batch));
  // Without pivoting there is no P.
  if (!lu || f[0]->numel() == 0) return lu;
  return product(Matrix::from(f[0]->view(), batch), *lu);
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{
      {"svd", {2, 1, 2}, rebuild_svd, {1}, false, {0, 2}}, {"svd_vh", {2, 1, 2}, rebuild_svd_vh, {1}, false, {0}},
      {"qr", {2, 2}, rebuild_qr, {}, true, {0}},           {"eigh", {1, 2}, rebuild_eigh, {0}, false, {1}},
      {"geqrf", {2, 1}, rebuild_geqrf, {}, false, {}},     {"lu", {2, 1}, rebuild_lu, {}, false, {}},
      {"plu", {2, 2, 2}, rebuild_plu, {}, true, {}}};
  return all;
}

}  // namespace

const Recipe* find_recipe(std::string_view name) {
  const auto found = std::find_if(recipes().begin(), recipes().end(), [&](const Recipe& r) { return r.name == name; });
  return found == recipes().end() ? nullptr : &*found;
}

std::vector<std::string_view> recipe_names() {
  std::vector<std::string_view> out;
  for (const Recipe& recipe : recipes()) out.push_back(recipe.name);
  return out;
}

}  // namespace assay
