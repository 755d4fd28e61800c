#include "judge/factor_judge.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "judge/arguments.hpp"
#include "judge/codes.hpp"
#include "judge/factor_recipes.hpp"
#include "judge/rounding.hpp"

namespace assay {

namespace {

/// Multiplications that rebuilding may cost; a larger decomposition keeps its verdict by value.
constexpr double kLargestWork = 2e9;

std::int64_t batches(const Tensor& tensor, std::size_t matrix_dims) {
  std::int64_t n = 1;
  for (std::size_t d = 0; d + matrix_dims < tensor.shape().size(); ++d) n *= tensor.shape()[d];
  return n;
}

double work(const Factors& factors) {
  double largest = 1;
  double numel = 0;
  for (const Tensor* factor : factors) {
    for (const std::int64_t n : factor->shape()) largest = std::max(largest, static_cast<double>(n));
    numel += static_cast<double>(factor->numel());
  }
  return numel * largest;
}

/// Items that every factor has; nothing: the factors' shapes don't belong together.
std::optional<std::int64_t> common_batches(const Recipe& recipe, const Factors& factors) {
  std::optional<std::int64_t> count;
  for (std::size_t i = 0; i < recipe.dims.size(); ++i) {
    if (factors[i]->numel() == 0) {
      if (i == 0 && recipe.first_may_be_empty) continue;
      return std::nullopt;
    }
    if (factors[i]->shape().size() < recipe.dims[i]) return std::nullopt;
    const std::int64_t own = batches(*factors[i], recipe.dims[i]);
    if (count && *count != own) return std::nullopt;
    count = own;
  }
  return count;
}

/// Matrices side by side as a tensor of the outputs' own type, so that the standard's rules judge them.
std::optional<Tensor> as_tensor(const std::vector<Matrix>& matrices, assay_dtype dtype) {
  if (matrices.empty()) return std::nullopt;
  const std::int64_t rows = matrices.front().rows();
  const std::int64_t cols = matrices.front().cols();
  const bool complex = is_complex(dtype);
  Tensor wide = Tensor::allocate(complex ? kComplex128 : kFloat64, {static_cast<std::int64_t>(matrices.size()), rows, cols});
  auto* out = wide.data_as<double>();
  for (const Matrix& matrix : matrices) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        *out++ = matrix.at(r, c).real();
        if (complex) *out++ = matrix.at(r, c).imag();
      }
    }
  }
  return round_to(wide, dtype);
}

/// The type of the numbers that the factors hold: complex where one is (eigenvalues of a Hermitian matrix are real).
assay_dtype number_type(const Factors& factors) {
  assay_dtype type = kFloat64;
  for (const Tensor* factor : factors) {
    if (is_complex(factor->dtype())) return factor->dtype();
    if (is_floating(factor->dtype())) type = factor->dtype();
  }
  return type;
}

using MatrixOf = std::function<std::optional<Matrix>(std::int64_t batch)>;

/// The verdict on two batches of matrices; nothing: one can't be built.
std::optional<OutputVerdict> judge_matrices(const JudgeContext& context, std::int64_t count, assay_dtype dtype,
                                            const MatrixOf& actual, const MatrixOf& expected) {
  std::vector<Matrix> left;
  std::vector<Matrix> right;
  for (std::int64_t b = 0; b < count; ++b) {
    auto a = actual(b);
    auto e = expected(b);
    if (!a || !e || a->rows() != e->rows() || a->cols() != e->cols()) return std::nullopt;
    left.push_back(std::move(*a));
    right.push_back(std::move(*e));
  }
  const auto a = as_tensor(left, dtype);
  const auto e = as_tensor(right, dtype);
  if (!a || !e || a->numel() == 0) return std::nullopt;
  return judge_values(context, Selection(*a, *e));
}

OutputVerdict worse(OutputVerdict left, OutputVerdict right) { return right.verdict > left.verdict ? right : left; }

std::optional<OutputVerdict> judge_rebuilt(const JudgeContext& context, const Recipe& recipe, const Factors& actual,
                                           const Factors& expected) {
  const std::optional<std::int64_t> count = common_batches(recipe, actual);
  if (!count) return std::nullopt;
  auto verdict = judge_matrices(
      context, *count, number_type(actual), [&](std::int64_t b) { return recipe.rebuild(actual, b); },
      [&](std::int64_t b) { return recipe.rebuild(expected, b); });
  if (!verdict) return std::nullopt;
  for (const std::size_t position : recipe.unitary) {
    const Tensor& a = *actual[position];
    const Tensor& e = *expected[position];
    if (a.numel() == 0) continue;
    const auto gram = [](const Tensor& factor) {
      return [&factor](std::int64_t b) -> std::optional<Matrix> {
        const Matrix m = Matrix::from(factor.view(), b);
        return m.adjoint() * m;
      };
    };
    if (auto orthonormal = judge_matrices(context, batches(a, 2), a.dtype(), gram(a), gram(e))) {
      verdict = worse(std::move(*verdict), std::move(*orthonormal));
    }
  }
  return verdict;
}

/// The values of the column `expected`, each where its nearest value of `actual` stands.
Matrix matched_values(const Matrix& actual, const Matrix& expected) {
  const std::int64_t n = actual.rows();
  std::vector<bool> taken(static_cast<std::size_t>(n), false);
  Matrix out(n, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t best = -1;
    double best_distance = std::numeric_limits<double>::infinity();
    for (std::int64_t j = 0; j < n; ++j) {
      if (taken[static_cast<std::size_t>(j)]) continue;
      const double distance = std::abs(expected.at(j, 0) - actual.at(i, 0));
      if (best >= 0 && !(distance < best_distance)) continue;
      best = j;
      best_distance = distance;
    }
    taken[static_cast<std::size_t>(best)] = true;
    out.at(i, 0) = expected.at(best, 0);
  }
  return out;
}

std::optional<OutputVerdict> judge_eigenvalues(const JudgeContext& context, const Tensor& actual, const Tensor& expected) {
  if (actual.shape().empty() || actual.shape() != expected.shape()) return std::nullopt;
  return judge_matrices(
      context, batches(actual, 1), actual.dtype(), [&](std::int64_t b) { return Matrix::column(actual.view(), b); },
      [&](std::int64_t b) { return matched_values(Matrix::column(actual.view(), b), Matrix::column(expected.view(), b)); });
}

/// Every pair must be an eigenpair of the argument (A v = v l), and the values those of the reference.
std::optional<OutputVerdict> judge_eigenpairs(const JudgeContext& context, const Factors& actual, const Factors& expected) {
  const Tensor* const matrix = tensor_argument(context.judgement, 0);
  if (matrix == nullptr || matrix->shape().size() < 2 || matrix->shape() != actual[1]->shape()) return std::nullopt;
  std::vector<std::int64_t> values_shape = matrix->shape();
  values_shape.pop_back();
  if (values_shape.back() != matrix->shape().back() || actual[0]->shape() != values_shape) return std::nullopt;
  auto values = judge_eigenvalues(context, *actual[0], *expected[0]);
  auto pairs = judge_matrices(
      context, batches(*matrix, 2), actual[1]->dtype(),
      [&](std::int64_t b) -> std::optional<Matrix> {
        return Matrix::from(actual[1]->view(), b) * Matrix::diagonal(actual[0]->view(), b);
      },
      [&](std::int64_t b) -> std::optional<Matrix> {
        return Matrix::from(matrix->view(), b) * Matrix::from(actual[1]->view(), b);
      });
  if (!values || !pairs) return std::nullopt;
  return worse(std::move(*values), std::move(*pairs));
}

std::optional<OutputVerdict> judge_together(const JudgeContext& context, const std::string& recipe_name, const Factors& actual,
                                            const Factors& expected) {
  if (work(actual) > kLargestWork || actual.empty()) return std::nullopt;
  if (recipe_name == "eigvals") return judge_eigenvalues(context, *actual[0], *expected[0]);
  if (recipe_name == "eig") return actual.size() < 2 ? std::nullopt : judge_eigenpairs(context, actual, expected);
  const Recipe* const recipe = find_recipe(recipe_name);
  if (recipe == nullptr || actual.size() < recipe->dims.size()) return std::nullopt;
  return judge_rebuilt(context, *recipe, actual, expected);
}

bool is_unique(const std::string& recipe_name, std::size_t position) {
  const Recipe* const recipe = find_recipe(recipe_name);
  return recipe != nullptr && std::find(recipe->unique.begin(), recipe->unique.end(), position) != recipe->unique.end();
}

/// A gradient that arrives at a factor means another thing for another choice of the factor.
void excuse_gradients(std::vector<JudgedOutput>& rows) {
  for (JudgedOutput& row : rows) {
    if (row.verdict.verdict < Verdict::kWarning || row.verdict.metrics.empty()) continue;
    row.verdict.verdict = Verdict::kSkip;
    row.verdict.reason = code::kFactorGradient;
    row.verdict.judged_as = "factors";
    row.verdict.message = "the gradient depends on which of the equivalent factors was chosen: " + row.verdict.message;
  }
}

}  // namespace

void judge_factors(const JudgeContext& context, const Kind& kind, const std::vector<LeafPair>& pairs,
                   std::vector<JudgedOutput>& rows) {
  if (kind.recipe == "gradient") return excuse_gradients(rows);
  const auto doubtful = [&](std::size_t i) { return rows[i].verdict.verdict >= Verdict::kWarning && !is_unique(kind.recipe, i); };
  Factors actual;
  Factors expected;
  bool any = false;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto* a = pairs[i].actual != nullptr ? pairs[i].actual->get_if<Tensor>() : nullptr;
    const auto* e = pairs[i].expected != nullptr ? pairs[i].expected->get_if<Tensor>() : nullptr;
    // What can't be paired is an error already.
    if (a == nullptr || e == nullptr || a->shape() != e->shape()) break;
    actual.push_back(a);
    expected.push_back(e);
    any = any || doubtful(i);
  }
  if (!any) return;
  const auto together = judge_together(context, kind.recipe, actual, expected);
  if (!together) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!doubtful(i)) continue;
    OutputVerdict& row = rows[i].verdict;
    row.judged_as = "factors";
    row.verdict = together->verdict;
    row.decision = together->decision;
    if (together->verdict == Verdict::kPass) {
      row.reason = code::kFactorsAgree;
      row.message = "another factor than the reference's; what the factors rebuild agrees";
    } else {
      row.reason = code::kFactorsDiffer;
      row.message = "what the factors rebuild differs: " + together->message;
    }
  }
}

}  // namespace assay
