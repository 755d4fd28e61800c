// Convolution, forward and backward, transposed ones too: as matrix products over unfolded windows, as the cube does.
#include <cmath>

#include "kernels/cube.hpp"
#include "kernels/output_mask.hpp"

namespace assay::emulator {
namespace {

// Everything in three spatial dimensions; missing ones have size 1.
struct Geometry {
  std::int64_t batch, channels, groups, filters;  // channels and filters of all groups
  std::int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
  std::int64_t in_size() const { return in[0] * in[1] * in[2]; }
  std::int64_t out_size() const { return out[0] * out[1] * out[2]; }
  std::int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
};

std::int64_t setting(const Shape& values, std::size_t axis, std::size_t spatial, std::int64_t otherwise) {
  if (axis < 3 - spatial) {
    return otherwise;
  }
  const std::size_t at = axis - (3 - spatial);
  return values.empty() ? otherwise : values[values.size() == 1 ? 0 : at];
}

// One padding a side pair: (left, right) or (top, bottom, left, right) must be even here.
Shape symmetric(const Shape& padding, std::size_t spatial) {
  if (padding.size() != 2 * spatial || spatial > 2) {
    return padding;
  }
  Shape result;
  for (std::size_t i = 0; i < spatial; ++i) {
    if (padding[2 * i] != padding[2 * i + 1]) {
      refuse("padding that differs between the sides is not supported");
    }
    result.push_back(padding[2 * i]);
  }
  return result;
}

// The geometry of the plain convolution; of a transposed one, that whose gradient it is (in and out change places).
Geometry geometry(const Args& args, const View& input, const View& weight, const Shape& output, std::int64_t groups) {
  const bool transposed_form = args.flag("transposed");
  const std::size_t spatial = input.rank() - 2;
  if (input.rank() < 3 || weight.rank() != input.rank() || output.size() != input.rank() || groups <= 0) {
    refuse("the ranks of a convolution don't fit");
  }
  Geometry g{};
  g.batch = input.shape[0];
  g.groups = groups;
  const Shape& large = transposed_form ? output : input.shape;
  const Shape& small = transposed_form ? input.shape : output;
  g.channels = large[1];
  g.filters = small[1];
  if (weight.shape[0] != g.filters || weight.shape[1] * groups != g.channels || output[0] != g.batch || g.filters % groups != 0) {
    refuse("the channels of input, weight and output don't fit");
  }
  const Shape padding = symmetric(args.ints("padding"), spatial);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool present = axis >= 3 - spatial;
    const std::size_t at = present ? axis - (3 - spatial) + 2 : 0;
    g.in[axis] = present ? large[at] : 1;
    g.out[axis] = present ? small[at] : 1;
    g.kernel[axis] = present ? weight.shape[at] : 1;
    g.stride[axis] = setting(args.ints("stride"), axis, spatial, 1);
    g.padding[axis] = setting(padding, axis, spatial, 0);
    g.dilation[axis] = setting(args.ints("dilation"), axis, spatial, 1);
    if (g.stride[axis] <= 0) {
      refuse("a stride of 0");
    }
    const std::int64_t expected =
        (g.in[axis] + 2 * g.padding[axis] - g.dilation[axis] * (g.kernel[axis] - 1) - 1) / g.stride[axis] + 1;
    if (expected != g.out[axis]) {
      refuse("the output's size " + std::to_string(g.out[axis]) + " along an axis is not the expected " + std::to_string(expected));
    }
  }
  return g;
}

// Calls visit(row, column, place in the channel or -1 for padding): rows are kernel places, columns output places.
template <class F>
void each_window(const Geometry& g, F&& visit) {
  std::int64_t row = 0;
  for (std::int64_t kd = 0; kd < g.kernel[0]; ++kd) {
    for (std::int64_t kh = 0; kh < g.kernel[1]; ++kh) {
      for (std::int64_t kw = 0; kw < g.kernel[2]; ++kw, ++row) {
        std::int64_t column = 0;
        for (std::int64_t d = 0; d < g.out[0]; ++d) {
          const std::int64_t z = d * g.stride[0] - g.padding[0] + kd * g.dilation[0];
          for (std::int64_t h = 0; h < g.out[1]; ++h) {
            const std::int64_t y = h * g.stride[1] - g.padding[1] + kh * g.dilation[1];
            for (std::int64_t w = 0; w < g.out[2]; ++w, ++column) {
              const std::int64_t x = w * g.stride[2] - g.padding[2] + kw * g.dilation[2];
              const bool inside = z >= 0 && z < g.in[0] && y >= 0 && y < g.in[1] && x >= 0 && x < g.in[2];
              visit(row, column, inside ? (z * g.in[1] + y) * g.in[2] + x : -1);
            }
          }
        }
      }
    }
  }
}

using Floats = std::vector<float>;

// The windows of one group of one image: (channels of the group * kernel) by output places.
Floats unfold(const Geometry& g, const float* image) {
  const std::int64_t channels = g.channels / g.groups;
  Floats columns(static_cast<std::size_t>(channels * g.kernel_size() * g.out_size()));
  each_window(g, [&](std::int64_t row, std::int64_t column, std::int64_t place) {
    for (std::int64_t c = 0; c < channels; ++c) {
      columns[static_cast<std::size_t>((c * g.kernel_size() + row) * g.out_size() + column)] =
          place < 0 ? 0.0F : image[c * g.in_size() + place];
    }
  });
  return columns;
}

void fold(const Geometry& g, const Floats& columns, float* image) {
  const std::int64_t channels = g.channels / g.groups;
  each_window(g, [&](std::int64_t row, std::int64_t column, std::int64_t place) {
    for (std::int64_t c = 0; place >= 0 && c < channels; ++c) {
      image[c * g.in_size() + place] += columns[static_cast<std::size_t>((c * g.kernel_size() + row) * g.out_size() + column)];
    }
  });
}

Floats flipped(const float* matrix, std::int64_t rows, std::int64_t columns) {
  Floats result(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      result[static_cast<std::size_t>(j * rows + i)] = matrix[i * columns + j];
    }
  }
  return result;
}

// small = weight x large, for each image and group.
Floats gather_windows(const Geometry& g, const Floats& large, const Floats& weight, const CubeMode& mode) {
  const std::int64_t m = g.filters / g.groups;
  const std::int64_t k = g.channels / g.groups * g.kernel_size();
  Floats small(static_cast<std::size_t>(g.batch * g.filters * g.out_size()));
  for (std::int64_t i = 0; i < g.batch * g.groups; ++i) {
    const Floats columns = unfold(g, large.data() + i * (g.channels / g.groups) * g.in_size());
    cube_product(weight.data() + i % g.groups * m * k, columns.data(), small.data() + i * m * g.out_size(), m, k, g.out_size(),
                 mode);
  }
  return small;
}

// large = weight transposed x small, added up where windows overlap: the gradient of the above, and a transposed convolution.
Floats scatter_windows(const Geometry& g, const Floats& small, const Floats& weight, const CubeMode& mode) {
  const std::int64_t m = g.filters / g.groups;
  const std::int64_t k = g.channels / g.groups * g.kernel_size();
  Floats large(static_cast<std::size_t>(g.batch * g.channels * g.in_size()), 0.0F);
  for (std::int64_t i = 0; i < g.batch * g.groups; ++i) {
    const Floats turned = flipped(weight.data() + i % g.groups * m * k, m, k);
    Floats columns(static_cast<std::size_t>(k * g.out_size()));
    cube_product(turned.data(), small.data() + i * m * g.out_size(), columns.data(), k, m, g.out_size(), mode);
    fold(g, columns, large.data() + i * (g.channels / g.groups) * g.in_size());
  }
  return large;
}

Floats weight_gradient(const Geometry& g, const Floats& large, const Floats& small, const CubeMode& mode) {
  const std::int64_t m = g.filters / g.groups;
  const std::int64_t k = g.channels / g.groups * g.kernel_size();
  Floats sums(static_cast<std::size_t>(g.groups * m * k), 0.0F);
  Floats product(static_cast<std::size_t>(m * k));
  for (std::int64_t i = 0; i < g.batch * g.groups; ++i) {
    const Floats columns = unfold(g, large.data() + i * (g.channels / g.groups) * g.in_size());
    const Floats turned = flipped(columns.data(), k, g.out_size());
    cube_product(small.data() + i * m * g.out_size(), turned.data(), product.data(), m, g.out_size(), k, mode);
    float* to = sums.data() + i % g.groups * m * k;
    for (std::size_t j = 0; j < product.size(); ++j) {
      to[j] += product[j];
    }
  }
  return sums;
}

Reals doubles(const Floats& values) { return {values.begin(), values.end()}; }

CubeMode mode_of(const Args& args, const View& a, const View& b) {
  const aclDataType dtype = promoted(a.dtype, b.dtype);
  return cube_mode(args.integer("cubeMathType"), dtype);
}

void check_forward(const Args& args) {
  const View& input = args.tensor("input");
  const View& weight = args.tensor("weight");
  geometry(args, input, weight, args.tensor("output").shape, args.integer("groups"));
  mode_of(args, input, weight);
}
void run_forward(const Args& args) {
  const View& input = args.tensor("input");
  const View& weight = args.tensor("weight");
  const View& output = args.tensor("output");
  const Geometry g = geometry(args, input, weight, output.shape, args.integer("groups"));
  const CubeMode mode = mode_of(args, input, weight);
  const Floats x = cube_input(input, mode);
  const Floats w = cube_input(weight, mode);
  Reals result = doubles(args.flag("transposed") ? scatter_windows(g, x, w, mode) : gather_windows(g, x, w, mode));
  if (args.has("bias")) {
    const Reals bias = read_real(args.tensor("bias"));
    const std::size_t inner = static_cast<std::size_t>(count_of({output.shape.begin() + 2, output.shape.end()}));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = rounded_to(result[i] + bias[i / inner % bias.size()], ACL_FLOAT);
    }
  }
  write_real(output, result);
}

void check_backward(const Args& args) {
  check_output_mask(args, {"gradInput", "gradWeight", "gradBias"});
  geometry(args, args.tensor("input"), args.tensor("weight"), args.tensor("gradOutput").shape, args.integer("groups"));
  mode_of(args, args.tensor("input"), args.tensor("weight"));
}
void run_backward(const Args& args) {
  const View& input = args.tensor("input");
  const View& weight = args.tensor("weight");
  const View& gradient = args.tensor("gradOutput");
  const Geometry g = geometry(args, input, weight, gradient.shape, args.integer("groups"));
  const CubeMode mode = mode_of(args, input, weight);
  const Floats x = cube_input(input, mode);
  const Floats w = cube_input(weight, mode);
  const Floats dy = cube_input(gradient, mode);
  const bool transposed_form = args.flag("transposed");
  const Reals dx = doubles(transposed_form ? gather_windows(g, dy, w, mode) : scatter_windows(g, dy, w, mode));
  const Reals dw = doubles(transposed_form ? weight_gradient(g, dy, x, mode) : weight_gradient(g, x, dy, mode));
  if (wanted(args, 0)) {
    write_real(args.tensor("gradInput"), dx);
  }
  if (wanted(args, 1)) {
    write_real(args.tensor("gradWeight"), dw);
  }
  if (wanted(args, 2)) {
    const Reals values = read_real(gradient);
    const auto channels = static_cast<std::size_t>(gradient.shape[1]);
    const auto inner = static_cast<std::size_t>(count_of({gradient.shape.begin() + 2, gradient.shape.end()}));
    Reals sums(channels, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& sum = sums[i / inner % channels];
      sum = rounded_to(sum + values[i], ACL_FLOAT);
    }
    write_real(args.tensor("gradBias"), sums);
  }
}

const Kernel kKernels[] = {
    {"aclnnConvolution", check_forward, run_forward, kUsesWorkspace},
    {"aclnnConvolutionBackward", check_backward, run_backward, kUsesWorkspace},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
