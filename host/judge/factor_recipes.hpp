// How the factors of each decomposition are put together again.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "judge/matrix.hpp"

namespace assay {

/// The outputs of one decomposition, in order.
using Factors = std::vector<const Tensor*>;

struct Recipe {
  std::string_view name;
  std::vector<std::size_t> dims;  ///< of one item of each tensor that it needs: 2 for a matrix, 1 for a vector
  /// Rebuilds from matrix `batch` of the factors; nothing: the shapes don't fit together.
  std::optional<Matrix> (*rebuild)(const Factors& factors, std::int64_t batch);
  std::vector<std::size_t> unique;   ///< outputs that are determined, so that they are judged by value
  bool first_may_be_empty;           ///< the API can be asked to leave its first factor out
  std::vector<std::size_t> unitary;  ///< outputs whose columns must be orthonormal
};

/// Null: no such recipe. Known: svd, svd_vh, qr, eigh, geqrf, lu, plu; eig, eigvals and gradient are factor_judge's own.
const Recipe* find_recipe(std::string_view name);
std::vector<std::string_view> recipe_names();

}  // namespace assay
