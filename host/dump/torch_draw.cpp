#include "dump/torch_draw.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "dump/float_fill.hpp"
#include "dump/fusion_mask.hpp"

namespace assay {

namespace {

/// Ranges of at least so many values take two words.
constexpr std::uint64_t kTwoWordRange = std::uint64_t{1} << 28;

std::string_view last_part(std::string_view api) { return api.substr(api.rfind('.') + 1); }

/// The floating-point type in which values are drawn and scaled; 8-bit floats are converted at the end.
assay_dtype work_dtype(assay_dtype dtype) { return dtype.bits == 8 ? kFloat32 : dtype; }

double largest(assay_dtype dtype) {
  if (dtype == kFloat16) return 65504.0;
  if (dtype == kBFloat16) return bfloat16_to_double(0x7f7f);
  return dtype == kFloat32 ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
}

std::pair<double, double> integer_limits(assay_dtype dtype) {
  const bool is_signed = dtype.code == ASSAY_DTYPE_INT;
  const int digits = dtype.bits - (is_signed ? 1 : 0);
  return {is_signed ? -std::ldexp(1.0, digits) : 0.0, std::ldexp(1.0, digits)};
}

/// The type's own arithmetic: rounds a double that holds an exact or float32 result to the type.
struct Rounder {
  assay_dtype dtype;
  double operator()(double value) const {
    if (dtype == kFloat64) return value;
    if (dtype == kFloat32) return static_cast<double>(static_cast<float>(value));
    if (dtype == kFloat16) return float16_to_double(double_to_float16(value));
    return bfloat16_to_double(double_to_bfloat16(value));
  }
};

void plan_integers(TorchDraw& draw, const TensorElement& element, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) {
    draw.failure = "Min or Max of integers is not finite";
    return;
  }
  // The exact integers where they were written, else the bounds without their fraction.
  std::int64_t from = 0;
  std::int64_t to = 0;
  const bool exact = element.bounds_are_integers && !element.min_finite && !element.max_finite;
  if (exact) {
    from = element.min_integer;
    to = element.max_integer;
    if (low > *element.min) from = static_cast<std::int64_t>(low);
  } else if (std::fabs(low) < 0x1p63 && std::fabs(high) < 0x1p63) {
    from = static_cast<std::int64_t>(low);
    to = static_cast<std::int64_t>(high);
  } else {
    draw.failure = "Min or Max is beyond 64 bits";
    return;
  }
  if (draw.kind == TorchDraw::Kind::kBoolean && from > to) std::swap(from, to);
  const auto [smallest, beyond] = integer_limits(draw.kind == TorchDraw::Kind::kBoolean ? kInt64 : draw.dtype);
  if (from > to) {
    draw.failure = "Min is above Max";
  } else if (static_cast<double>(from) < smallest || (draw.dtype.bits < 64 && static_cast<double>(to) >= beyond) ||
             to == std::numeric_limits<std::int64_t>::max()) {
    draw.failure = "Min or Max is outside the dtype's range";
  } else {
    draw.low_integer = from;
    draw.low = static_cast<double>(from);
    draw.high = static_cast<double>(to);
    draw.integer_range = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) + 1;
  }
}

std::uint64_t count_of(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

void plan_words(TorchDraw& draw) {
  std::uint64_t per_element = 0;
  if (draw.kind == TorchDraw::Kind::kFloat) {
    per_element = draw.dtype == kFloat64 ? 2 : 1;
  } else if (draw.kind == TorchDraw::Kind::kInteger || draw.kind == TorchDraw::Kind::kBoolean) {
    per_element = draw.integer_range >= kTwoWordRange || draw.integer_range == 0 ? 2 : 1;
  }
  draw.words = per_element * count_of(draw.shape);
}

double unit(assay_dtype dtype, std::mt19937& words) {
  if (dtype == kFloat64) {
    const std::uint64_t high = words();
    const std::uint64_t both = high << 32 | words();
    return static_cast<double>(both & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
  }
  return static_cast<double>(words() & 0xffffffu) * 0x1p-24;
}

std::int64_t next_integer(const TorchDraw& draw, std::mt19937& words) {
  std::uint64_t word = words();
  if (draw.integer_range >= kTwoWordRange || draw.integer_range == 0) word = word << 32 | words();
  if (draw.integer_range != 0) word %= draw.integer_range;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(draw.low_integer) + word);
}

void store_integer(Tensor& tensor, std::uint64_t i, std::int64_t value) {
  switch (tensor.dtype().bits) {
    case 8: tensor.data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(value); break;
    case 16: tensor.data_as<std::uint16_t>()[i] = static_cast<std::uint16_t>(value); break;
    case 32: tensor.data_as<std::uint32_t>()[i] = static_cast<std::uint32_t>(value); break;
    default: tensor.data_as<std::int64_t>()[i] = value;
  }
}

void store_float(Tensor& tensor, std::uint64_t i, double value) {
  with_float_type(tensor.dtype(), [&](auto narrow, auto sample) { tensor.data_as<decltype(sample)>()[i] = narrow(value); });
}

/// 11 bits of fraction, half away from zero.
double to_hf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>((((bits >> 11) + 1) >> 1) << 12)));
}

/// The recorded extremes at both ends, so that they occur.
template <class Store>
void pin_ends(const TorchDraw& draw, std::uint64_t count, Store&& store) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const bool has_nan = std::isnan(draw.written_high);
  store(0, draw.low);
  if (has_nan) store(count > 2 ? 1 : 0, nan);
  store(count - 1, draw.high);
  if (!has_nan && std::isinf(draw.written_high)) store(count - 1, draw.written_high);
  if (!has_nan && std::isinf(draw.written_low)) store(0, draw.written_low);
}

void fill_floats(const TorchDraw& draw, Tensor& tensor, std::mt19937& words) {
  const Rounder round{work_dtype(draw.dtype)};
  const double limit = largest(round.dtype);
  const auto scaled_bound = [limit](double bound) { return std::isinf(bound) ? std::copysign(limit, bound) : bound; };
  const double low = scaled_bound(draw.low);
  const double scale = scaled_bound(draw.high) - low;
  const auto finish = [&draw](double value) { return draw.round_to_hf32 ? to_hf32(value) : value; };
  if (round.dtype == kFloat64) {
    fill_floats(tensor, [&](std::int64_t) {
      const double stretched = unit(kFloat64, words) * scale;
      return stretched + low;
    });
  } else {
    // Half types multiply and add in float32 and round each result; for float32 that rounding is done already.
    // A factor stays in float32 there, an addend is rounded to the type first.
    const auto narrow_low = static_cast<float>(round(low));
    const auto narrow_scale = static_cast<float>(scale);
    fill_floats(tensor, [&](std::int64_t) {
      // 1 is not in the range, so a value that the type rounds up to it starts over at 0.
      const double rounded = round(unit(kFloat32, words));
      const auto drawn = static_cast<float>(rounded < 1 ? rounded : 0.0);
      const auto stretched = static_cast<float>(round(static_cast<double>(drawn * narrow_scale)));
      return finish(round(static_cast<double>(stretched + narrow_low)));
    });
  }
  pin_ends(draw, count_of(draw.shape), [&](std::uint64_t i, double value) { store_float(tensor, i, finish(round(value))); });
}

}  // namespace

TorchDraw plan_torch_draw(const TensorElement& element, std::string_view api, std::string_view path) {
  const std::string_view name = last_part(api);
  TorchDraw draw;
  draw.dtype = *element.dtype;
  draw.shape = element.shape;
  Statistic minimum = element.min;
  if (name == "cross_entropy") {
    if (draw.dtype == kInt32) draw.dtype = kInt64;
    if (path == "1" && minimum && *minimum <= 0) minimum = 0.0;
  }
  if (name == "histc" && (draw.dtype == kInt64 || (path == "0" && (draw.dtype == kInt8 || draw.dtype == kInt32)))) {
    draw.dtype = kFloat32;
  }
  if (count_of(draw.shape) == 0) return draw;

  const Statistic low = element.min_finite ? element.min_finite : minimum;
  const Statistic high = element.max_finite ? element.max_finite : element.max;
  if (!low || !high) {
    draw.failure = "Max or Min was not recorded";
    return draw;
  }
  draw.low = *low;
  draw.high = *high;
  draw.written_low = minimum.value_or(*low);
  draw.written_high = element.max.value_or(*high);
  if (draw.dtype == kBool) {
    draw.kind = TorchDraw::Kind::kBoolean;
    plan_integers(draw, element, *low, *high);
  } else if (is_integer(draw.dtype)) {
    draw.kind = TorchDraw::Kind::kInteger;
    plan_integers(draw, element, *low, *high);
  } else if (is_floating(draw.dtype)) {
    draw.round_to_hf32 = draw.dtype == kFloat32 && (name == "conv1d" || name == "conv2d");
    if (std::isnan(draw.high)) {
      draw.kind = TorchDraw::Kind::kNan;
    } else if (std::isinf(draw.high) && draw.written_high != 0) {
      draw.kind = TorchDraw::Kind::kInfinite;
      if (draw.shape.empty()) draw.failure = "Max of a single value is infinite";
    } else {
      draw.kind = TorchDraw::Kind::kFloat;
      const double limit = largest(work_dtype(draw.dtype));
      const auto beyond = [limit](double bound) { return std::isfinite(bound) && std::fabs(bound) > limit; };
      if (beyond(draw.low) || beyond(draw.high)) {
        draw.failure = "Min or Max is outside the dtype's range";
        draw.words_before_failure = true;
      }
    }
  } else {
    draw.failure = "MindStudio Probe draws no values of dtype '" + std::string(dtype_name(draw.dtype)) + "'";
  }
  if (!draw.failure || draw.words_before_failure) plan_words(draw);
  return draw;
}

Result<Tensor> draw_torch_tensor(const TorchDraw& draw, std::mt19937& words) {
  if (draw.failure) return unsupported(*draw.failure);
  Tensor tensor = Tensor::allocate(draw.dtype, draw.shape);
  const std::uint64_t count = count_of(draw.shape);
  switch (draw.kind) {
    case TorchDraw::Kind::kEmpty: break;
    case TorchDraw::Kind::kMask: return compressed_mask();
    case TorchDraw::Kind::kNan: fill_floats(tensor, [&](std::int64_t) { return draw.high; }); break;
    case TorchDraw::Kind::kInfinite: {
      const std::uint64_t last_slice = count - count / static_cast<std::uint64_t>(draw.shape.front());
      fill_floats(tensor, [&](std::int64_t i) { return static_cast<std::uint64_t>(i) < last_slice ? draw.high : draw.low; });
      break;
    }
    case TorchDraw::Kind::kFloat: fill_floats(draw, tensor, words); break;
    case TorchDraw::Kind::kInteger:
      for (std::uint64_t i = 0; i < count; ++i) store_integer(tensor, i, next_integer(draw, words));
      store_integer(tensor, 0, draw.low_integer);
      store_integer(tensor, count - 1,
                    static_cast<std::int64_t>(static_cast<std::uint64_t>(draw.low_integer) + draw.integer_range - 1));
      break;
    case TorchDraw::Kind::kBoolean:
      for (std::uint64_t i = 0; i < count; ++i) tensor.data_as<std::uint8_t>()[i] = next_integer(draw, words) > 0 ? 1 : 0;
      break;
  }
  return tensor;
}

}  // namespace assay
