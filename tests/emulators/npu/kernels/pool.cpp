// Pooling over windows of one, two or three dimensions, and its gradients.
#include <cmath>
#include <limits>

#include "kernels/access.hpp"
#include "kernels/vector_unit.hpp"

namespace assay::emulator {
namespace {

// Planes of up to three spatial dimensions, each with its windows.
struct Pooling {
  std::size_t spatial = 0;
  std::int64_t planes = 1;
  std::int64_t in[3] = {1, 1, 1};
  std::int64_t out[3] = {1, 1, 1};
  std::int64_t kernel[3] = {1, 1, 1};
  std::int64_t stride[3] = {1, 1, 1};
  std::int64_t padding[3] = {0, 0, 0};
  std::int64_t dilation[3] = {1, 1, 1};
  bool adaptive = false;
  std::int64_t in_size() const { return in[0] * in[1] * in[2]; }
  std::int64_t out_size() const { return out[0] * out[1] * out[2]; }

  std::int64_t start(int axis, std::int64_t o) const {
    return adaptive ? o * in[axis] / out[axis] : o * stride[axis] - padding[axis];
  }
  std::int64_t end(int axis, std::int64_t o) const {
    return adaptive ? ((o + 1) * in[axis] + out[axis] - 1) / out[axis] : start(axis, o) + dilation[axis] * (kernel[axis] - 1) + 1;
  }
};

// What the operators call their settings.
struct Names {
  const char* kernel;
  const char* stride;
  const char* padding;
  const char* dilation;  // null: none
};
constexpr Names kMaxNames = {"kernelSize", "stride", "padding", "dilation"};
constexpr Names kAvg2dNames = {"kernelSize", "strides", "paddings", nullptr};
constexpr Names kAvgNames = {"kernelSize", "stride", "padding", nullptr};
constexpr Names kMaxPoolNames = {"kernelShape", "strides", "pads", "dilations"};

std::int64_t pick(const Shape& values, std::size_t at, std::int64_t otherwise) {
  return values.empty() ? otherwise : values[values.size() == 1 ? 0 : std::min(at, values.size() - 1)];
}

std::int64_t pooled(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding, std::int64_t dilation,
                    bool ceil) {
  const std::int64_t span = in + 2 * padding - dilation * (kernel - 1) - 1;
  std::int64_t out = (span + (ceil ? stride - 1 : 0)) / stride + 1;
  if (ceil && (out - 1) * stride >= in + padding) {
    --out;  // no window starts in the padding behind
  }
  return out;
}

Pooling plan(const View& self, std::size_t spatial) {
  Pooling p;
  p.spatial = spatial;
  if (self.rank() < spatial) {
    refuse("the input has too few dimensions");
  }
  for (std::size_t i = 0; i < self.rank(); ++i) {
    const std::size_t from_end = self.rank() - i;
    (from_end <= spatial ? p.in[3 - from_end] : p.planes) *= self.shape[i];
  }
  return p;
}

Pooling windows(const Args& args, const View& self, std::size_t spatial, const Names& names, bool ceil) {
  Pooling p = plan(self, spatial);
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::size_t axis = 3 - spatial + i;
    p.kernel[axis] = pick(args.ints(names.kernel), i, 1);
    p.stride[axis] = pick(args.ints(names.stride), i, p.kernel[axis]);
    p.padding[axis] = pick(args.ints(names.padding), i, 0);
    p.dilation[axis] = names.dilation != nullptr ? pick(args.ints(names.dilation), i, 1) : 1;
    if (p.kernel[axis] <= 0 || p.stride[axis] <= 0 || p.dilation[axis] <= 0 || p.padding[axis] < 0 ||
        p.padding[axis] > p.kernel[axis] / 2) {
      refuse("kernel, stride, padding or dilation is out of range");
    }
    p.out[axis] = pooled(p.in[axis], p.kernel[axis], p.stride[axis], p.padding[axis], p.dilation[axis], ceil);
  }
  return p;
}

Pooling adaptive(const View& self, std::size_t spatial, const Shape& output) {
  Pooling p = plan(self, spatial);
  p.adaptive = true;
  for (std::size_t i = 0; i < spatial; ++i) {
    p.out[3 - spatial + i] = pick(output, i, 1);
  }
  return p;
}

Shape result_shape(const View& self, const Pooling& p) {
  Shape shape = self.shape;
  for (std::size_t i = 0; i < p.spatial; ++i) {
    shape[shape.size() - p.spatial + i] = p.out[3 - p.spatial + i];
  }
  return shape;
}

// Calls window(output place, visit) where visit(f) calls f(input place) for every element inside; planes are separate.
template <class F>
void each_output(const Pooling& p, F&& f) {
  std::int64_t place = 0;
  for (std::int64_t d = 0; d < p.out[0]; ++d) {
    for (std::int64_t h = 0; h < p.out[1]; ++h) {
      for (std::int64_t w = 0; w < p.out[2]; ++w, ++place) {
        const std::int64_t o[3] = {d, h, w};
        std::vector<std::int64_t> inside;
        for (std::int64_t z = p.start(0, o[0]); z < p.end(0, o[0]); z += p.dilation[0]) {
          for (std::int64_t y = p.start(1, o[1]); y < p.end(1, o[1]); y += p.dilation[1]) {
            for (std::int64_t x = p.start(2, o[2]); x < p.end(2, o[2]); x += p.dilation[2]) {
              if (z >= 0 && z < p.in[0] && y >= 0 && y < p.in[1] && x >= 0 && x < p.in[2]) {
                inside.push_back((z * p.in[1] + y) * p.in[2] + x);
              }
            }
          }
        }
        f(place, o, inside);
      }
    }
  }
}

// ---- maximum

void max_pool(const View& self, const Pooling& p, const View& out, const View* indices) {
  const Reals x = read_real(self);
  Reals values(static_cast<std::size_t>(p.planes * p.out_size()));
  Integers places(values.size());
  each_output(p, [&](std::int64_t place, const std::int64_t*, const std::vector<std::int64_t>& inside) {
    for (std::int64_t plane = 0; plane < p.planes; ++plane) {
      double best = -std::numeric_limits<double>::infinity();
      std::int64_t at = inside.empty() ? 0 : inside.front();
      for (const std::int64_t from : inside) {
        const double value = x[static_cast<std::size_t>(plane * p.in_size() + from)];
        if (value > best || std::isnan(value)) {
          best = value;
          at = from;
        }
      }
      values[static_cast<std::size_t>(plane * p.out_size() + place)] = best;
      places[static_cast<std::size_t>(plane * p.out_size() + place)] = at;
    }
  });
  write_real(out, values);
  if (indices != nullptr) {
    write_integer(*indices, places);
  }
}

void max_gradient(const View& gradient, const View& indices, const Pooling& p, const View& out) {
  const Reals g = read_real(gradient);
  const Integers places = read_integer(indices);
  Reals sums(static_cast<std::size_t>(p.planes * p.in_size()), 0.0);
  for (std::size_t i = 0; i < g.size(); ++i) {
    const std::int64_t plane = static_cast<std::int64_t>(i) / p.out_size();
    double& sum = sums.at(static_cast<std::size_t>(plane * p.in_size() + places.at(i)));
    sum = rounded_to(sum + g[i], ACL_FLOAT);
  }
  write_real(out, sums);
}

template <std::size_t kSpatial>
Pooling max_windows(const Args& args) {
  return windows(args, args.tensor("self"), kSpatial, kMaxNames, args.flag("ceilMode"));
}
template <std::size_t kSpatial>
void check_max(const Args& args) {
  const Shape shape = result_shape(args.tensor("self"), max_windows<kSpatial>(args));
  require_shape(args.tensor("out"), shape, "out");
  require_shape(args.tensor("indices"), shape, "indices");
}
template <std::size_t kSpatial>
void run_max(const Args& args) {
  max_pool(args.tensor("self"), max_windows<kSpatial>(args), args.tensor("out"), &args.tensor("indices"));
}
template <std::size_t kSpatial>
void check_max_backward(const Args& args) {
  const Shape shape = result_shape(args.tensor("self"), max_windows<kSpatial>(args));
  require_shape(args.tensor("gradOutput"), shape, "gradOutput");
  require_shape(args.tensor("indices"), shape, "indices");
  require_shape(args.tensor("gradInput"), args.tensor("self").shape, "gradInput");
}
template <std::size_t kSpatial>
void run_max_backward(const Args& args) {
  max_gradient(args.tensor("gradOutput"), args.tensor("indices"), max_windows<kSpatial>(args), args.tensor("gradInput"));
}
Pooling plain_max(const Args& args) {
  return windows(args, args.tensor("self"), args.tensor("self").rank() - 2, kMaxPoolNames, args.integer("ceilMode") != 0);
}
void check_max_pool(const Args& args) {
  if (args.tensor("self").rank() < 3) {
    refuse("the input has too few dimensions");
  }
  require_shape(args.tensor("out"), result_shape(args.tensor("self"), plain_max(args)), "out");
}
void run_max_pool(const Args& args) { max_pool(args.tensor("self"), plain_max(args), args.tensor("out"), nullptr); }

template <std::size_t kSpatial>
void check_adaptive_max(const Args& args) {
  const Shape shape = result_shape(args.tensor("self"), adaptive(args.tensor("self"), kSpatial, args.ints("outputSize")));
  require_shape(args.tensor("outputOut"), shape, "outputOut");
  require_shape(args.tensor("indicesOut"), shape, "indicesOut");
}
template <std::size_t kSpatial>
void run_adaptive_max(const Args& args) {
  max_pool(args.tensor("self"), adaptive(args.tensor("self"), kSpatial, args.ints("outputSize")), args.tensor("outputOut"),
           &args.tensor("indicesOut"));
}
template <std::size_t kSpatial>
Pooling adaptive_from_gradient(const Args& args) {
  const View& gradient = args.tensor("gradOutput");
  if (gradient.rank() < kSpatial) {
    refuse("the gradient has too few dimensions");
  }
  return adaptive(args.tensor("self"), kSpatial, {gradient.shape.end() - kSpatial, gradient.shape.end()});
}
template <std::size_t kSpatial>
void check_adaptive_max_backward(const Args& args) {
  adaptive_from_gradient<kSpatial>(args);
  require_shape(args.tensor("gradInput"), args.tensor("self").shape, "gradInput");
}
template <std::size_t kSpatial>
void run_adaptive_max_backward(const Args& args) {
  max_gradient(args.tensor("gradOutput"), args.tensor("indices"), adaptive_from_gradient<kSpatial>(args), args.tensor("gradInput"));
}

void check_unpool(const Args& args) {
  Shape shape = args.tensor("self").shape;
  const Shape& size = args.ints("outputSize");
  std::copy(size.begin(), size.end(), shape.end() - static_cast<std::ptrdiff_t>(size.size()));
  require_shape(args.tensor("out"), shape, "out");
}
void run_unpool(const Args& args) {
  const View& self = args.tensor("self");
  const Reals x = read_real(self);
  const Integers places = read_integer(args.tensor("indices"));
  const std::int64_t plane_in = self.dim(-1) * self.dim(-2);
  const std::int64_t plane_out = args.tensor("out").dim(-1) * args.tensor("out").dim(-2);
  Reals values(static_cast<std::size_t>(args.tensor("out").count()), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    values.at(static_cast<std::size_t>(static_cast<std::int64_t>(i) / plane_in * plane_out + places.at(i))) = x[i];
  }
  write_real(args.tensor("out"), values);
}

// ---- average

// What the sum of a window is divided by.
double divisor(const Pooling& p, const std::int64_t* o, std::size_t inside, bool count_padding, std::int64_t override_by) {
  if (p.adaptive || (override_by == 0 && !count_padding)) {
    return static_cast<double>(inside);
  }
  if (override_by != 0) {
    return static_cast<double>(override_by);
  }
  std::int64_t count = 1;
  for (int axis = 0; axis < 3; ++axis) {
    count *= std::min(p.end(axis, o[axis]), p.in[axis] + p.padding[axis]) - p.start(axis, o[axis]);
  }
  return static_cast<double>(count);
}

struct Counting {
  bool padding = true;
  std::int64_t override_by = 0;
};

void average(const View& self, const Pooling& p, const Counting& counting, const View& out) {
  const Reals x = read_real(self);
  Reals values(static_cast<std::size_t>(p.planes * p.out_size()));
  each_output(p, [&](std::int64_t place, const std::int64_t* o, const std::vector<std::int64_t>& inside) {
    const double by = divisor(p, o, inside.size(), counting.padding, counting.override_by);
    Reals window(inside.size());
    for (std::int64_t plane = 0; plane < p.planes; ++plane) {
      for (std::size_t i = 0; i < inside.size(); ++i) {
        window[i] = x[static_cast<std::size_t>(plane * p.in_size() + inside[i])];
      }
      values[static_cast<std::size_t>(plane * p.out_size() + place)] = tree_sum(window, self.dtype) / by;
    }
  });
  write_real(out, values);
}

void average_gradient(const View& gradient, const Pooling& p, const Counting& counting, const View& out) {
  const Reals g = read_real(gradient);
  Reals sums(static_cast<std::size_t>(p.planes * p.in_size()), 0.0);
  each_output(p, [&](std::int64_t place, const std::int64_t* o, const std::vector<std::int64_t>& inside) {
    const double by = divisor(p, o, inside.size(), counting.padding, counting.override_by);
    for (std::int64_t plane = 0; plane < p.planes; ++plane) {
      const double share = g[static_cast<std::size_t>(plane * p.out_size() + place)] / by;
      for (const std::int64_t to : inside) {
        double& sum = sums[static_cast<std::size_t>(plane * p.in_size() + to)];
        sum = rounded_to(sum + share, ACL_FLOAT);
      }
    }
  });
  write_real(out, sums);
}

Counting counting(const Args& args) { return {args.flag("countIncludePad"), args.integer("divisorOverride")}; }

template <std::size_t kSpatial>
Pooling average_windows(const Args& args, bool backward) {
  return windows(args, args.tensor("self"), kSpatial, kSpatial == 2 && !backward ? kAvg2dNames : kAvgNames, args.flag("ceilMode"));
}
template <std::size_t kSpatial>
void check_average(const Args& args) {
  require_shape(args.tensor("out"), result_shape(args.tensor("self"), average_windows<kSpatial>(args, false)), "out");
}
template <std::size_t kSpatial>
void run_average(const Args& args) {
  average(args.tensor("self"), average_windows<kSpatial>(args, false), counting(args), args.tensor("out"));
}
const View& last_tensor(const Args& args) { return args.tensor_at(args.items().size() - 1); }
template <std::size_t kSpatial>
void check_average_backward(const Args& args) {
  require_shape(args.tensor("gradOutput"), result_shape(args.tensor("self"), average_windows<kSpatial>(args, true)), "gradOutput");
  require_shape(last_tensor(args), args.tensor("self").shape, "gradInput");
}
template <std::size_t kSpatial>
void run_average_backward(const Args& args) {
  average_gradient(args.tensor("gradOutput"), average_windows<kSpatial>(args, true), counting(args), last_tensor(args));
}
template <std::size_t kSpatial>
void check_adaptive(const Args& args) {
  require_shape(args.tensor("out"),
                result_shape(args.tensor("self"), adaptive(args.tensor("self"), kSpatial, args.ints("outputSize"))), "out");
}
template <std::size_t kSpatial>
void run_adaptive(const Args& args) {
  average(args.tensor("self"), adaptive(args.tensor("self"), kSpatial, args.ints("outputSize")), {}, args.tensor("out"));
}
template <std::size_t kSpatial>
void check_adaptive_backward(const Args& args) {
  adaptive_from_gradient<kSpatial>(args);
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
}
template <std::size_t kSpatial>
void run_adaptive_backward(const Args& args) {
  average_gradient(args.tensor("gradOutput"), adaptive_from_gradient<kSpatial>(args), {}, args.tensor("out"));
}

const Kernel kKernels[] = {
    {"aclnnMaxPool", check_max_pool, run_max_pool},
    {"aclnnMaxPool2dWithIndices", check_max<2>, run_max<2>},
    {"aclnnMaxPool2dWithIndicesBackward", check_max_backward<2>, run_max_backward<2>, kUsesWorkspace},
    {"aclnnMaxPool3dWithArgmax", check_max<3>, run_max<3>},
    {"aclnnMaxPool3dWithArgmaxBackward", check_max_backward<3>, run_max_backward<3>, kUsesWorkspace},
    {"aclnnAdaptiveMaxPool2d", check_adaptive_max<2>, run_adaptive_max<2>},
    {"aclnnAdaptiveMaxPool3d", check_adaptive_max<3>, run_adaptive_max<3>},
    {"aclnnAdaptiveMaxPool2dBackward", check_adaptive_max_backward<2>, run_adaptive_max_backward<2>, kUsesWorkspace},
    {"aclnnAdaptiveMaxPool3dBackward", check_adaptive_max_backward<3>, run_adaptive_max_backward<3>, kUsesWorkspace},
    {"aclnnMaxUnpool2d", check_unpool, run_unpool},
    {"aclnnAvgPool2d", check_average<2>, run_average<2>},
    {"aclnnAvgPool2dBackward", check_average_backward<2>, run_average_backward<2>, kUsesWorkspace},
    {"aclnnAvgPool3d", check_average<3>, run_average<3>},
    {"aclnnAvgPool3dBackward", check_average_backward<3>, run_average_backward<3>, kUsesWorkspace},
    {"aclnnAdaptiveAvgPool2d", check_adaptive<2>, run_adaptive<2>},
    {"aclnnAdaptiveAvgPool3d", check_adaptive<3>, run_adaptive<3>},
    {"aclnnAdaptiveAvgPool2dBackward", check_adaptive_backward<2>, run_adaptive_backward<2>, kUsesWorkspace},
    {"aclnnAdaptiveAvgPool3dBackward", check_adaptive_backward<3>, run_adaptive_backward<3>, kUsesWorkspace},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
