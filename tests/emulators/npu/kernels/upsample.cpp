// Resizing: each output element along an axis is a weighted sum of a few input elements; axes one after the other. The gradient
// runs the same sums backwards.
#include <algorithm>
#include <cmath>

#include "kernels/access.hpp"

namespace assay::emulator {
namespace {

enum class Way { kNearest, kLinear, kCubic };

struct Tap {
  std::int64_t from;
  double weight;
};
using Taps = std::vector<std::vector<Tap>>;  // for each output element

double cubic_near(double x) {
  constexpr double kA = -0.75;
  return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1.0;
}
double cubic_far(double x) {
  constexpr double kA = -0.75;
  return ((kA * x - 5.0 * kA) * x + 8.0 * kA) * x - 4.0 * kA;
}

Taps taps(Way way, std::int64_t in, std::int64_t out, bool align, double scale) {
  Taps result(static_cast<std::size_t>(out));
  const double ratio = align ? (out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0.0)
                             : (scale > 0.0 ? 1.0 / scale : static_cast<double>(in) / static_cast<double>(out));
  for (std::int64_t o = 0; o < out; ++o) {
    std::vector<Tap>& of = result[static_cast<std::size_t>(o)];
    const auto at = static_cast<double>(o);
    if (way == Way::kNearest) {
      of = {
          {std::min(static_cast<std::int64_t>(std::floor(rounded_to(at * rounded_to(ratio, ACL_FLOAT), ACL_FLOAT))), in - 1), 1.0}};
      continue;
    }
    double source = align ? at * ratio : (at + 0.5) * ratio - 0.5;
    if (way == Way::kLinear) {
      source = std::fmax(source, 0.0);
      const auto low = std::min(static_cast<std::int64_t>(source), in - 1);
      const double part = rounded_to(std::fmin(source - static_cast<double>(low), 1.0), ACL_FLOAT);
      of = {{low, 1.0 - part}, {std::min(low + 1, in - 1), part}};
      continue;
    }
    const auto low = static_cast<std::int64_t>(std::floor(source));
    const double part = rounded_to(source - std::floor(source), ACL_FLOAT);
    const double weights[4] = {cubic_far(part + 1.0), cubic_near(part), cubic_near(1.0 - part), cubic_far(2.0 - part)};
    for (std::int64_t i = 0; i < 4; ++i) {
      of.push_back({std::clamp(low - 1 + i, std::int64_t{0}, in - 1), weights[i]});
    }
  }
  return result;
}

// Applies the taps to one axis; backwards, it spreads each output over its taps.
Reals resized(const Reals& values, Shape& shape, std::size_t axis, const Taps& taps, std::int64_t length, bool backwards) {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    outer *= i < axis ? shape[i] : 1;
    inner *= i > axis ? shape[i] : 1;
  }
  const std::int64_t before = shape[axis];
  shape[axis] = length;
  Reals result(static_cast<std::size_t>(outer * length * inner), 0.0);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < taps.size(); ++i) {
      for (const Tap& tap : taps[i]) {
        const std::int64_t from = (o * before + (backwards ? static_cast<std::int64_t>(i) : tap.from)) * inner;
        const std::int64_t to = (o * length + (backwards ? tap.from : static_cast<std::int64_t>(i))) * inner;
        for (std::int64_t k = 0; k < inner; ++k) {
          result[static_cast<std::size_t>(to + k)] += tap.weight * values[static_cast<std::size_t>(from + k)];
        }
      }
    }
  }
  return result;
}

struct Resize {
  const char* name;
  Way way;
  std::vector<const char*> scales;  // parameter of each spatial axis; empty: derived from the sizes
  std::size_t spatial;
  bool aligned;                    // has alignCorners
  const char* gradient = nullptr;  // for a backward operator, what it calls its output
};

const std::vector<Resize> kResizes = {
    {"aclnnUpsampleNearest1d", Way::kNearest, {}, 1, false},
    {"aclnnUpsampleNearest2d", Way::kNearest, {}, 2, false},
    {"aclnnUpsampleNearest3d", Way::kNearest, {"scalesD", "scalesH", "scalesW"}, 3, false},
    {"aclnnUpsampleLinear1d", Way::kLinear, {"scale"}, 1, true},
    {"aclnnUpsampleBilinear2d", Way::kLinear, {"scalesH", "scalesW"}, 2, true},
    {"aclnnUpsampleTrilinear3d", Way::kLinear, {"scalesD", "scalesH", "scalesW"}, 3, true},
    {"aclnnUpsampleBicubic2d", Way::kCubic, {"scalesH", "scalesW"}, 2, true},
    {"aclnnUpsampleNearest1dBackward", Way::kNearest, {"scales"}, 1, false, "out"},
    {"aclnnUpsampleNearest2dBackward", Way::kNearest, {"scalesH", "scalesW"}, 2, false, "gradInput"},
    {"aclnnUpsampleNearest3dBackward", Way::kNearest, {"scalesD", "scalesH", "scalesW"}, 3, false, "gradInput"},
    {"aclnnUpsampleLinear1dBackward", Way::kLinear, {"scales"}, 1, true, "out"},
    {"aclnnUpsampleBilinear2dBackward", Way::kLinear, {"scalesH", "scalesW"}, 2, true, "out"},
    {"aclnnUpsampleTrilinear3dBackward", Way::kLinear, {"scalesD", "scalesH", "scalesW"}, 3, true, "gradInput"},
    {"aclnnUpsampleBicubic2dBackward", Way::kCubic, {"scalesH", "scalesW"}, 2, true, "gradInput"},
};

const View& large_or_small(const Args& args, const Resize& resize) {
  return resize.gradient != nullptr ? args.tensor("gradOut") : args.tensor("self");
}

void check(const Args& args) {
  const auto& resize = args.data<Resize>();
  const View& in = large_or_small(args, resize);
  const Shape& size = args.ints("outputSize");
  if (in.rank() != resize.spatial + 2 || size.size() != resize.spatial) {
    refuse("the rank or the length of 'outputSize' doesn't fit");
  }
  for (const char* name : resize.scales) {
    if (args.real(name) < 0.0) {
      refuse("a negative scale");
    }
  }
  Shape expected = in.shape;
  std::copy(size.begin(), size.end(), expected.begin() + 2);
  if (resize.gradient != nullptr) {
    require_shape(in, expected, "gradOut");
    require_shape(args.tensor(resize.gradient), args.ints("inputSize"), resize.gradient);
  } else {
    require_shape(args.tensor("out"), expected, "out");
  }
}

void run(const Args& args) {
  const auto& resize = args.data<Resize>();
  const bool backwards = resize.gradient != nullptr;
  const View& in = large_or_small(args, resize);
  const View& out = args.tensor(backwards ? resize.gradient : "out");
  if (in.count() == 0 || out.count() == 0) {
    return;
  }
  const Shape& small = backwards ? out.shape : in.shape;
  const Shape& large = backwards ? in.shape : out.shape;
  Reals values = read_real(in);
  Shape shape = in.shape;
  for (std::size_t i = 0; i < resize.spatial; ++i) {
    const std::size_t axis = i + 2;
    const double scale = resize.scales.empty() ? 0.0 : args.real(resize.scales[i]);
    const Taps of_axis = taps(resize.way, small[axis], large[axis], resize.aligned && args.flag("alignCorners"), scale);
    values = resized(values, shape, axis, of_axis, out.shape[axis], backwards);
  }
  write_real(out, values);
}

std::vector<Kernel> kernels() {
  std::vector<Kernel> result;
  for (const Resize& resize : kResizes) {
    result.push_back({resize.name, check, run, resize.gradient != nullptr ? unsigned{kUsesWorkspace} : 0U, &resize});
  }
  return result;
}
const std::vector<Kernel> kKernels = kernels();
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
