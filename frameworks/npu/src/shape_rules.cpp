#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rule_values.hpp"

namespace assay::npu {

namespace {

std::int64_t rank_of(const Datum& datum) { return static_cast<std::int64_t>(shape_of(datum).size()); }

/// [m, k] x [k, n] with leading dims broadcast; vectors lose the dim that was put in front or behind.
Dims product_shape(const Dims& left, const Dims& right) {
  if (left.empty() || right.empty()) throw Error(ASSAY_INVALID_ARGUMENT, "a 0-d tensor can't be multiplied as a matrix");
  const bool vector_left = left.size() == 1;
  const bool vector_right = right.size() == 1;
  Dims l = left;
  Dims r = right;
  if (vector_left) l.insert(l.begin(), 1);
  if (vector_right) r.push_back(1);
  const std::int64_t m = l[l.size() - 2];
  const std::int64_t n = r[r.size() - 1];
  if (l[l.size() - 1] != r[r.size() - 2]) throw Error(ASSAY_INVALID_ARGUMENT, "the inner sizes of a product differ");
  Dims shape = broadcast_shapes(Dims(l.begin(), l.end() - 2), Dims(r.begin(), r.end() - 2));
  if (!vector_left) shape.push_back(m);
  if (!vector_right) shape.push_back(n);
  return shape;
}

Dims reduced_shape(const Dims& shape, const Dims& dims, bool keep) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const Dims wrapped = rank == 0 ? Dims() : wrap_dims(dims, rank);
  Dims result;
  for (std::int64_t d = 0; d < rank; ++d) {
    const bool gone = std::find(wrapped.begin(), wrapped.end(), d) != wrapped.end();
    if (!gone) {
      result.push_back(shape[static_cast<std::size_t>(d)]);
    } else if (keep) {
      result.push_back(1);
    }
  }
  return result;
}

Dims dims_or_none(const Datum& datum) { return datum.none() ? Dims() : as_dims(datum, "dim"); }

/// Sizes along `dim` added up, the others as in the first tensor. Empty 1-d tensors take no part, as in PyTorch.
Dims joined_shape(const DatumList& tensors, std::int64_t dim) {
  Dims shape;
  bool any = false;
  std::int64_t sum = 0;
  std::size_t d = 0;
  for (const Datum& item : tensors) {
    const Dims& one = as_tensor(item, "a joined tensor").shape;
    if (one.size() == 1 && one[0] == 0 && tensors.size() > 1) continue;
    if (!any) {
      shape = one;
      d = static_cast<std::size_t>(wrap_dim(dim, static_cast<std::int64_t>(one.size())));
    }
    if (one.size() != shape.size() || one.empty()) throw Error(ASSAY_INVALID_ARGUMENT, "joined tensors have different dims");
    any = true;
    sum += one[d];
  }
  if (!any) return {0};
  shape[d] = sum;
  return shape;
}

/// Shapes of the parts of a tensor split along `dim`: by a size for all, or a size for each.
Datum split_shapes(Runner&, const DatumList& a) {
  Dims shape = shape_of(a[0]);
  if (shape.empty()) throw Error(ASSAY_INVALID_ARGUMENT, "a 0-d tensor can't be split");
  std::int64_t& size = shape[static_cast<std::size_t>(wrap_dim(as_integer(a[2], "dim"), static_cast<std::int64_t>(shape.size())))];
  const std::int64_t whole = size;
  Dims sizes;
  if (a[1].is<DatumList>()) {
    sizes = as_dims(a[1], "split sizes");
  } else {
    const std::int64_t step = as_integer(a[1], "split size");
    if (step <= 0) throw Error(ASSAY_INVALID_ARGUMENT, "a split size is not positive");
    if (whole / step > kMostParts)
      throw Error(ASSAY_UNSUPPORTED, "a tensor is split into more than " + std::to_string(kMostParts) + " parts");
    for (std::int64_t start = 0; start < std::max<std::int64_t>(whole, 1); start += step)
      sizes.push_back(std::min(step, whole - start));
  }
  DatumList shapes;
  for (const std::int64_t one : sizes) {
    size = one;
    shapes.emplace_back(shape);
  }
  return shapes;
}

/// The shape of a tensor repeated along its dims, with new ones in front.
Datum repeated_shape(Runner&, const DatumList& a) {
  Dims shape = shape_of(a[0]);
  const Dims repeats = as_dims(a[1], "repeats");
  if (repeats.size() < shape.size()) throw Error(ASSAY_INVALID_ARGUMENT, "fewer repeats than dims");
  shape.insert(shape.begin(), repeats.size() - shape.size(), 1);
  for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = element_count({shape[d], repeats[d]});
  return shape;
}

/// How many numbers there are from `first` to `last` in steps; `last` counts or doesn't.
Datum steps_between(Runner&, const DatumList& a) {
  const double step = as_real(a[2], "step");
  const double count = (as_real(a[1], "end") - as_real(a[0], "start")) / step;
  constexpr double kMost = 1e12;
  if (!(step != 0 && count > -1 && count < kMost)) throw Error(ASSAY_INVALID_ARGUMENT, "a range's bounds and step don't fit");
  return static_cast<std::int64_t>(as_flag(a[3], "a flag") ? std::floor(count) + 1 : std::ceil(count));
}

}  // namespace

Dims shape_of(const Datum& datum) {
  if (const auto* tensor = datum.get_if<DeviceTensor>()) return tensor->shape;
  if (datum.number()) return {};
  return as_dims(datum, "a shape");
}

const std::vector<Rule>& shape_rules() {
  static const std::vector<Rule> rules = {
      {"shape", 1, 1, [](Runner&, const DatumList& a) { return a[0].none() ? Datum() : Datum(shape_of(a[0])); }},
      {"rank", 1, 1, [](Runner&, const DatumList& a) { return Datum(rank_of(a[0])); }},
      {"numel", 1, 1, [](Runner&, const DatumList& a) { return Datum(element_count(shape_of(a[0]))); }},
      {"length", 1, 1,
       [](Runner&, const DatumList& a) { return Datum(static_cast<std::int64_t>(as_list(a[0], "a list").size())); }},
      {"size", 2, 2,
       [](Runner&, const DatumList& a) {
         const Dims shape = shape_of(a[0]);
         if (shape.empty()) return Datum(std::int64_t{1});
         return Datum(shape[static_cast<std::size_t>(wrap_dim(as_integer(a[1], "dim"), static_cast<std::int64_t>(shape.size())))]);
       }},
      {"item", 2, 2,
       [](Runner&, const DatumList& a) {
         const DatumList& list = as_list(a[0], "a list");
         const std::int64_t i = as_integer(a[1], "an index");
         const std::int64_t n = static_cast<std::int64_t>(list.size());
         if (i < -n || i >= n) throw Error(ASSAY_INVALID_ARGUMENT, "a list is shorter than expected");
         return list[static_cast<std::size_t>(i < 0 ? i + n : i)];
       }},
      {"join", 0, -1,
       [](Runner&, const DatumList& a) {
         DatumList all;
         for (const Datum& part : a) {
           const DatumList& list = as_list(part, "a list");
           all.insert(all.end(), list.begin(), list.end());
         }
         return Datum(all);
       }},
      {"head", 2, 2,
       [](Runner&, const DatumList& a) {
         const Dims shape = shape_of(a[0]);
         const auto n = static_cast<std::int64_t>(shape.size());
         const std::int64_t count = as_integer(a[1], "a count");
         return Datum(Dims(shape.begin(), shape.begin() + std::clamp<std::int64_t>(count < 0 ? n + count : count, 0, n)));
       }},
      {"tail", 2, 2,
       [](Runner&, const DatumList& a) {
         const Dims shape = shape_of(a[0]);
         const auto n = static_cast<std::int64_t>(shape.size());
         const std::int64_t from = as_integer(a[1], "a place");
         return Datum(Dims(shape.begin() + std::clamp<std::int64_t>(from < 0 ? n + from : from, 0, n), shape.end()));
       }},
      {"range", 1, 1,
       [](Runner&, const DatumList& a) {
         constexpr std::int64_t kMost = 64;  // dims
         Dims dims(static_cast<std::size_t>(std::clamp<std::int64_t>(as_integer(a[0], "a count"), 0, kMost)));
         std::iota(dims.begin(), dims.end(), 0);
         return Datum(dims);
       }},
      {"repeated", 2, 2,
       [](Runner&, const DatumList& a) {
         constexpr std::int64_t kMost = 64;
         const auto n = static_cast<std::size_t>(std::clamp<std::int64_t>(as_integer(a[1], "a count"), 0, kMost));
         return Datum(DatumList(n, a[0]));
       }},
      {"dim", 2, 2, [](Runner&, const DatumList& a) { return Datum(wrap_dim(as_integer(a[1], "dim"), rank_of(a[0]))); }},
      {"dims", 2, 2, [](Runner&, const DatumList& a) { return Datum(wrap_dims(dims_or_none(a[1]), rank_of(a[0]))); }},
      {"reduced", 3, 3,
       [](Runner&, const DatumList& a) {
         return Datum(reduced_shape(shape_of(a[0]), dims_or_none(a[1]), as_flag(a[2], "keepdim")));
       }},
      {"with_size", 3, 3,
       [](Runner&, const DatumList& a) {
         Dims shape = shape_of(a[0]);
         if (shape.empty()) return Datum(shape);
         shape[static_cast<std::size_t>(wrap_dim(as_integer(a[1], "dim"), static_cast<std::int64_t>(shape.size())))] =
             as_integer(a[2], "a size");
         return Datum(shape);
       }},
      {"inserted", 3, 3,
       [](Runner&, const DatumList& a) {
         Dims shape = shape_of(a[0]);
         const std::int64_t dim = wrap_dim(as_integer(a[1], "dim"), static_cast<std::int64_t>(shape.size()) + 1);
         shape.insert(shape.begin() + dim, as_integer(a[2], "a size"));
         return Datum(shape);
       }},
      {"broadcast", 1, -1,
       [](Runner&, const DatumList& a) {
         Dims shape;
         for (const Datum& one : a) {
           if (!one.none()) shape = broadcast_shapes(shape, shape_of(one));
         }
         return Datum(shape);
       }},
      {"product_shape", 2, 2, [](Runner&, const DatumList& a) { return Datum(product_shape(shape_of(a[0]), shape_of(a[1]))); }},
      {"joined_shape", 2, 2,
       [](Runner&, const DatumList& a) { return Datum(joined_shape(as_list(a[0], "tensors"), as_integer(a[1], "dim"))); }},
      {"split_shapes", 3, 3, split_shapes},
      {"repeated_shape", 2, 2, repeated_shape},
      {"steps_between", 4, 4, steps_between},
      {"dim_of_size", 2, 2,
       [](Runner&, const DatumList& a) {
         const Dims shape = shape_of(a[0]);
         const auto found = std::find(shape.begin(), shape.end(), as_integer(a[1], "a size"));
         if (found == shape.end()) throw Error(ASSAY_INVALID_ARGUMENT, "no dim has the size that the operator works along");
         return Datum(static_cast<std::int64_t>(found - shape.begin()));
       }},
      {"opposite", 1, 1,
       [](Runner&, const DatumList& a) {
         Dims numbers = as_dims(a[0], "numbers");
         for (std::int64_t& number : numbers) number = number == std::numeric_limits<std::int64_t>::min() ? 0 : -number;
         return Datum(numbers);
       }},
  };
  return rules;
}

}  // namespace assay::npu
