#include "judge/index_judge.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "judge/arguments.hpp"
#include "judge/codes.hpp"
#include "judge/elements.hpp"

namespace assay {

namespace {

/// Which elements of the indexed tensor one index chooses among: `size` of them, `step` apart, from a start that depends on the
/// index's own position.
struct Lanes {
  std::int64_t size = 1;   ///< elements in a lane
  std::int64_t step = 1;   ///< between neighbours, in row-major elements
  std::int64_t outer = 1;  ///< lanes: outer * inner
  std::int64_t inner = 1;
  std::int64_t picks = 1;  ///< indices for each lane

  /// Row-major start of the lane of index `i`; indices lie as (outer, picks, inner).
  [[nodiscard]] std::int64_t start(std::int64_t i) const {
    const std::int64_t outer_at = i / (picks * inner);
    return outer_at * size * inner + i % inner;
  }
};

std::int64_t product(const std::vector<std::int64_t>& shape, std::size_t begin, std::size_t end) {
  std::int64_t n = 1;
  for (std::size_t d = begin; d < end; ++d) n *= shape[d];
  return n;
}

std::optional<Lanes> lanes_of(const JudgeContext& context, const Kind& kind, const Tensor& input, const Tensor& indices) {
  const auto& shape = input.shape();
  Lanes lanes;
  if (kind.spatial_dims > 0) {
    if (kind.spatial_dims > shape.size() || indices.shape().size() != shape.size()) return std::nullopt;
    const std::size_t lead = shape.size() - kind.spatial_dims;
    lanes.outer = product(shape, 0, lead);
    lanes.size = product(shape, lead, shape.size());
  } else {
    const auto dim = kind.dim ? number_argument(context.judgement, *kind.dim) : std::nullopt;
    if (!dim) {
      lanes.size = input.numel();
    } else {
      const auto ndim = static_cast<double>(shape.size());
      const double wrapped = *dim < 0 ? *dim + std::max(1.0, ndim) : *dim;
      if (wrapped < 0 || wrapped >= std::max(1.0, ndim)) return std::nullopt;
      const auto d = static_cast<std::size_t>(wrapped);
      if (!shape.empty()) {
        lanes.size = shape[d];
        lanes.outer = product(shape, 0, d);
        lanes.inner = product(shape, d + 1, shape.size());
        lanes.step = lanes.inner;
      }
    }
  }
  const std::int64_t count = lanes.outer * lanes.inner;
  if (count == 0 || indices.numel() % count != 0) return std::nullopt;
  lanes.picks = indices.numel() / count;
  return lanes;
}

bool same_number(const TensorView& view, std::int64_t left, std::int64_t right) {
  const std::int64_t l = view.offset_of(left);
  const std::int64_t r = view.offset_of(right);
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return same(view.number_at(l), view.number_at(r)) && same(view.imaginary_at(l), view.imaginary_at(r));
}

std::int64_t index_at(const TensorView& view, std::int64_t i) {
  return static_cast<std::int64_t>(view.number_at(view.offset_of(i)));
}

/// Position of an index that its lane holds twice, or -1.
std::int64_t find_repeated(const Lanes& lanes, const TensorView& indices) {
  std::vector<std::int64_t> seen(static_cast<std::size_t>(lanes.picks));
  for (std::int64_t outer = 0; outer < lanes.outer; ++outer) {
    for (std::int64_t inner = 0; inner < lanes.inner; ++inner) {
      const std::int64_t first = outer * lanes.picks * lanes.inner + inner;
      for (std::int64_t k = 0; k < lanes.picks; ++k) {
        seen[static_cast<std::size_t>(k)] = index_at(indices, first + k * lanes.inner);
      }
      std::sort(seen.begin(), seen.end());
      if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) return first;
    }
  }
  return -1;
}

OutputVerdict wrong_index(std::string message) {
  OutputVerdict out;
  out.verdict = Verdict::kError;
  out.reason = code::kIndexDiffers;
  out.message = std::move(message);
  return out;
}

}  // namespace

std::optional<OutputVerdict> judge_indices(const JudgeContext& context, const Kind& kind, const Tensor& actual,
                                           const Tensor& expected) {
  const Tensor* const input = tensor_argument(context.judgement, kind.input);
  if (input == nullptr || input->numel() == 0) return std::nullopt;
  const std::optional<Lanes> lanes = lanes_of(context, kind, *input, actual);
  if (!lanes) return std::nullopt;
  const TensorView from = input->view();
  const TensorView a = actual.view();
  const TensorView e = expected.view();
  std::int64_t ties = 0;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const std::int64_t got = index_at(a, i);
    const std::int64_t wanted = index_at(e, i);
    if (got == wanted) continue;
    const std::string place =
        "index " + std::to_string(got) + ", expected " + std::to_string(wanted) + " at " + format_shape(unravel(i, actual.shape()));
    if (got < 0 || got >= lanes->size) return wrong_index(place + "; " + std::to_string(lanes->size) + " elements to choose from");
    if (wanted < 0 || wanted >= lanes->size) return std::nullopt;
    const std::int64_t start = lanes->start(i);
    const std::int64_t got_at = start + got * lanes->step;
    const std::int64_t wanted_at = start + wanted * lanes->step;
    if (!same_number(from, got_at, wanted_at)) {
      return wrong_index(place + "; the elements there differ: " + element_text(from, got_at) + ", expected " +
                         element_text(from, wanted_at));
    }
    ++ties;
  }
  if (kind.distinct) {
    if (const std::int64_t at = find_repeated(*lanes, a); at >= 0) {
      return wrong_index("an index occurs twice in the row at " + format_shape(unravel(at, actual.shape())));
    }
  }
  OutputVerdict out;
  out.verdict = Verdict::kPass;
  out.reason = code::kTie;
  out.message = std::to_string(ties) + "/" + std::to_string(a.numel()) + " indices differ, all of them between equal elements";
  return out;
}

}  // namespace assay
