#include <algorithm>

#include "rule_values.hpp"

namespace assay::npu {

namespace {

std::int64_t divided(std::int64_t value, std::int64_t by) {
  if (by <= 0) throw Error(ASSAY_INVALID_ARGUMENT, "a stride is not positive");
  return value / by;
}

/// A number of a window as it may sensibly be: sums and products of a few of them and of sizes don't overflow.
std::int64_t sensible(std::int64_t value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  if (value < -kMost || value > kMost) throw Error(ASSAY_INVALID_ARGUMENT, "a window's parameter is out of range");
  return value;
}

Dims sensible(Dims values) {
  for (const std::int64_t value : values) sensible(value);
  return values;
}

/// One number for each dim of the window: a single one counts for all, none or an empty list means `otherwise`.
Dims spread(const Datum& value, std::size_t count, const Dims& otherwise) {
  if (value.none()) return otherwise;
  Dims dims = sensible(as_dims(value, "a window's parameter"));
  if (dims.empty()) return otherwise;
  if (dims.size() == 1) dims.resize(count, dims[0]);
  if (dims.size() != count)
    throw Error(ASSAY_INVALID_ARGUMENT,
                "a window's parameter has " + std::to_string(dims.size()) + " numbers, expected " + std::to_string(count));
  return dims;
}

Datum spread_rule(Runner&, const DatumList& a) {
  const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>(as_integer(a[1], "a count"), 0, 3));
  return spread(a[0], count, a.size() < 3 ? Dims(count, 0) : as_dims(a[2], "a default"));
}

/// "valid", "same" or numbers, as numbers. "same" that is not the same on both sides doubles them: before and behind each dim.
Datum convolution_padding(Runner&, const DatumList& a) {
  const Dims weight = shape_of(a[1]);
  if (weight.size() < 3) throw Error(ASSAY_INVALID_ARGUMENT, "a convolution's weight has fewer than 3 dims");
  const std::size_t count = weight.size() - 2;
  const auto* word = a[0].get_if<std::string>();
  if (word == nullptr) return spread(a[0], count, Dims(count, 0));
  if (*word == "valid") return Dims(count, 0);
  if (*word != "same") throw Error(ASSAY_INVALID_ARGUMENT, "padding is '" + *word + "', expected 'valid', 'same' or numbers");
  const Dims dilation = spread(a[2], count, Dims(count, 1));
  Dims even;
  Dims sides;
  bool symmetric = true;
  for (std::size_t d = 0; d < count; ++d) {
    const std::int64_t total = dilation[d] * (weight[d + 2] - 1);
    symmetric = symmetric && total % 2 == 0;
    even.push_back(total / 2);
    sides.push_back(total / 2);
    sides.push_back(total - total / 2);
  }
  if (!symmetric && count == 3) throw Error(ASSAY_UNSUPPORTED, "aclnnConvolution pads 3 dims the same on both sides only");
  return symmetric ? even : sides;
}

/// input, weight, stride, padding, dilation, transposed, output_padding, groups
Datum convolution_shape(Runner&, const DatumList& a) {
  const Dims input = shape_of(a[0]);
  const Dims weight = shape_of(a[1]);
  if (input.size() < 3 || input.size() != weight.size())
    throw Error(ASSAY_INVALID_ARGUMENT, "a convolution's input and weight have different dims");
  const std::size_t count = input.size() - 2;
  const Dims stride = spread(a[2], count, Dims(count, 1));
  const Dims padding = sensible(as_dims(a[3], "padding"));
  const Dims dilation = spread(a[4], count, Dims(count, 1));
  const bool transposed = as_flag(a[5], "transposed");
  const Dims output_padding = spread(a[6], count, Dims(count, 0));
  const bool both_sides = padding.size() == 2 * count;
  if (!both_sides && padding.size() != count) throw Error(ASSAY_INVALID_ARGUMENT, "padding has the wrong number of numbers");
  Dims shape = {input[0], transposed ? weight[1] * sensible(as_integer(a[7], "groups")) : weight[0]};
  for (std::size_t d = 0; d < count; ++d) {
    const std::int64_t padded = both_sides ? padding[2 * d] + padding[2 * d + 1] : 2 * padding[d];
    const std::int64_t reach = dilation[d] * (weight[d + 2] - 1);
    shape.push_back(transposed ? (input[d + 2] - 1) * stride[d] - padded + reach + output_padding[d] + 1
                               : divided(input[d + 2] + padded - reach - 1, stride[d]) + 1);
  }
  return shape;
}

/// input, kernel, stride, padding, dilation, ceil_mode; the last dims are pooled, as many as the kernel has
Datum pooled_shape(Runner&, const DatumList& a) {
  Dims shape = shape_of(a[0]);
  const Dims kernel = sensible(as_dims(a[1], "kernel_size"));
  const std::size_t count = kernel.size();
  if (shape.size() < count) throw Error(ASSAY_INVALID_ARGUMENT, "a pooled tensor has too few dims");
  const Dims stride = spread(a[2], count, kernel);
  const Dims padding = spread(a[3], count, Dims(count, 0));
  const Dims dilation = spread(a[4], count, Dims(count, 1));
  const bool up = as_flag(a[5], "ceil_mode");
  for (std::size_t d = 0; d < count; ++d) {
    std::int64_t& size = shape[shape.size() - count + d];
    const std::int64_t span = size + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1;
    std::int64_t pooled = divided(span + (up ? stride[d] - 1 : 0), stride[d]) + 1;
    // The last window must start inside the tensor or its padding in front.
    if (up && (pooled - 1) * stride[d] >= size + padding[d]) --pooled;
    size = pooled;
  }
  return shape;
}

/// shape, padding as torch.nn.functional.pad takes it: pairs from the last dim on
Datum padded_shape(Runner&, const DatumList& a) {
  Dims shape = shape_of(a[0]);
  const Dims padding = sensible(as_dims(a[1], "pad"));
  if (padding.size() % 2 != 0 || padding.size() / 2 > shape.size())
    throw Error(ASSAY_INVALID_ARGUMENT, "padding doesn't fit the tensor");
  for (std::size_t i = 0; i < padding.size() / 2; ++i) shape[shape.size() - 1 - i] += padding[2 * i] + padding[2 * i + 1];
  return shape;
}

/// spatial sizes of an interpolation: given, or the input's times a factor (or one for each dim)
Datum scaled_sizes(Runner&, const DatumList& a) {
  const Dims shape = shape_of(a[0]);
  if (shape.size() < 3) throw Error(ASSAY_INVALID_ARGUMENT, "an interpolated tensor has fewer than 3 dims");
  const std::size_t count = shape.size() - 2;
  if (!a[1].none()) return spread(a[1], count, {});
  if (a[2].none()) throw Error(ASSAY_INVALID_ARGUMENT, "an interpolation has neither size nor scale_factor");
  const auto* factors = a[2].get_if<DatumList>();
  Dims sizes;
  for (std::size_t d = 0; d < count; ++d) {
    if (factors != nullptr && factors->size() != count) throw Error(ASSAY_INVALID_ARGUMENT, "scale_factor has the wrong length");
    const double factor = as_real(factors != nullptr ? (*factors)[d] : a[2], "scale_factor");
    constexpr double kMost = 1e12;
    const double size = static_cast<double>(shape[d + 2]) * factor;
    if (!(size >= 0 && size < kMost)) throw Error(ASSAY_INVALID_ARGUMENT, "scale_factor is out of range");
    sizes.push_back(static_cast<std::int64_t>(size));
  }
  return sizes;
}

/// The factor of dim i of an interpolation as the operators want it: 0 where sizes decide.
Datum scale_of(Runner&, const DatumList& a) {
  if (a[0].none()) return 0.0;
  const auto* factors = a[0].get_if<DatumList>();
  if (factors == nullptr) return as_real(a[0], "scale_factor");
  const auto i = static_cast<std::size_t>(as_integer(a[1], "a dim"));
  if (i >= factors->size()) throw Error(ASSAY_INVALID_ARGUMENT, "scale_factor has the wrong length");
  return as_real((*factors)[i], "scale_factor");
}

/// Sizes that adaptive pooling is asked for; none keeps the input's.
Datum adaptive_sizes(Runner&, const DatumList& a) {
  const Dims shape = shape_of(a[0]);
  const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>(as_integer(a[2], "a count"), 1, 3));
  if (shape.size() < count) throw Error(ASSAY_INVALID_ARGUMENT, "a pooled tensor has too few dims");
  const auto* list = a[1].get_if<DatumList>();
  if (list != nullptr && list->size() != count) throw Error(ASSAY_INVALID_ARGUMENT, "output_size has the wrong length");
  Dims sizes;
  for (std::size_t d = 0; d < count; ++d) {
    const Datum& size = list != nullptr ? (*list)[d] : a[1];
    sizes.push_back(size.none() ? shape[shape.size() - count + d] : as_integer(size, "output_size"));
  }
  return sizes;
}

}  // namespace

const std::vector<Rule>& window_rules() {
  static const std::vector<Rule> rules = {
      {"spread", 2, 3, spread_rule},
      {"convolution_padding", 3, 3, convolution_padding},
      {"convolution_shape", 8, 8, convolution_shape},
      {"pooled_shape", 6, 6, pooled_shape},
      {"padded_shape", 2, 2, padded_shape},
      {"scaled_sizes", 3, 3, scaled_sizes},
      {"scale_of", 2, 2, scale_of},
      {"adaptive_sizes", 3, 3, adaptive_sizes},
  };
  return rules;
}

}  // namespace assay::npu
