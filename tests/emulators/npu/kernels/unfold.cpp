// Windows as columns and back: unfold, fold, convolution over time.
#include "kernels/cube.hpp"
#include "kernels/vector_unit.hpp"

namespace assay::emulator {
namespace {

// Columns of windows, of the last two dimensions.
struct Unfolding {
  std::int64_t planes, height, width, rows, columns;
  std::int64_t kernel[2], dilation[2], padding[2], stride[2];
};
std::int64_t of_axis(const Shape& values, std::size_t axis) { return values.at(values.size() == 1 ? 0 : axis); }
Unfolding unfolding(const Args& args, std::int64_t planes, std::int64_t height, std::int64_t width) {
  Unfolding u{};
  u.planes = planes;
  u.height = height;
  u.width = width;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    u.kernel[axis] = of_axis(args.ints("kernelSize"), axis);
    u.dilation[axis] = of_axis(args.ints("dilation"), axis);
    u.padding[axis] = of_axis(args.ints("padding"), axis);
    u.stride[axis] = of_axis(args.ints("stride"), axis);
    if (u.kernel[axis] <= 0 || u.dilation[axis] <= 0 || u.stride[axis] <= 0 || u.padding[axis] < 0) {
      refuse("kernel, stride, padding or dilation is out of range");
    }
  }
  u.rows = (height + 2 * u.padding[0] - u.dilation[0] * (u.kernel[0] - 1) - 1) / u.stride[0] + 1;
  u.columns = (width + 2 * u.padding[1] - u.dilation[1] * (u.kernel[1] - 1) - 1) / u.stride[1] + 1;
  return u;
}
// Calls visit(place among the columns, place in the image) for every window element inside the image.
template <class F>
void each_place(const Unfolding& u, F&& visit) {
  std::int64_t place = 0;
  for (std::int64_t plane = 0; plane < u.planes; ++plane) {
    for (std::int64_t k = 0; k < u.kernel[0] * u.kernel[1]; ++k) {
      for (std::int64_t o = 0; o < u.rows * u.columns; ++o, ++place) {
        const std::int64_t y = o / u.columns * u.stride[0] - u.padding[0] + k / u.kernel[1] * u.dilation[0];
        const std::int64_t x = o % u.columns * u.stride[1] - u.padding[1] + k % u.kernel[1] * u.dilation[1];
        if (y >= 0 && y < u.height && x >= 0 && x < u.width) {
          visit(static_cast<std::size_t>(place), static_cast<std::size_t>((plane * u.height + y) * u.width + x));
        }
      }
    }
  }
}
Unfolding of_image(const Args& args, const View& image) {
  return unfolding(args, image.dim(-2) * image.dim(-1) == 0 ? 0 : image.count() / (image.dim(-2) * image.dim(-1)), image.dim(-2),
                   image.dim(-1));
}
std::int64_t column_elements(const Unfolding& u) { return u.planes * u.kernel[0] * u.kernel[1] * u.rows * u.columns; }

void check_unfold(const Args& args) {
  const Unfolding u = of_image(args, args.tensor("self"));
  if (args.tensor("out").count() != column_elements(u) || args.tensor("out").dim(-1) != u.rows * u.columns) {
    refuse("'out' has another shape than the columns");
  }
}
void run_unfold(const Args& args) {
  const Complexes image = read_complex(args.tensor("self"));
  Complexes columns(static_cast<std::size_t>(args.tensor("out").count()), 0.0);
  each_place(of_image(args, args.tensor("self")), [&](std::size_t column, std::size_t at) { columns[column] = image[at]; });
  write_complex(args.tensor("out"), columns);
}
void check_fold(const Args& args) {
  const View& out = args.tensor("out");
  if (args.ints("inputSize").size() != 2 || out.rank() < 3 || out.dim(-2) != args.ints("inputSize")[0] ||
      out.dim(-1) != args.ints("inputSize")[1] || args.tensor("gradOutput").count() != column_elements(of_image(args, out))) {
    refuse("'out' or 'inputSize' doesn't fit the columns");
  }
}
void run_fold(const Args& args) {
  const Reals columns = read_real(args.tensor("gradOutput"));
  Reals image(static_cast<std::size_t>(args.tensor("out").count()), 0.0);
  each_place(of_image(args, args.tensor("out")),
             [&](std::size_t column, std::size_t at) { image[at] = rounded_to(image[at] + columns[column], ACL_FLOAT); });
  write_real(args.tensor("out"), image);
}

// ---- convolution over time: (T, B, C) with weights (K, C, D)

struct Tbc {
  std::int64_t in, out, batch, channels, filters, kernel, pad;
};
Tbc tbc(const View& input, const View& weight, std::int64_t pad) {
  const Tbc t = {input.dim(0), input.dim(0) + 2 * pad - weight.dim(0) + 1, input.dim(1), input.dim(2), weight.dim(2), weight.dim(0),
                 pad};
  if (weight.dim(1) != t.channels) {
    refuse("the channels of input and weight differ");
  }
  return t;
}
// All windows: (T' * B) rows of K * C.
std::vector<float> windows(const Tbc& t, const std::vector<float>& x) {
  std::vector<float> rows(static_cast<std::size_t>(t.out * t.batch * t.kernel * t.channels), 0.0F);
  for (std::int64_t o = 0; o < t.out; ++o) {
    for (std::int64_t k = 0; k < t.kernel; ++k) {
      const std::int64_t at = o + k - t.pad;
      for (std::int64_t i = 0; at >= 0 && at < t.in && i < t.batch * t.channels; ++i) {
        rows[static_cast<std::size_t>(((o * t.batch + i / t.channels) * t.kernel + k) * t.channels + i % t.channels)] =
            x[static_cast<std::size_t>(at * t.batch * t.channels + i)];
      }
    }
  }
  return rows;
}
std::vector<float> turned(const std::vector<float>& matrix, std::int64_t rows, std::int64_t columns) {
  std::vector<float> result(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / columns;
    result[static_cast<std::size_t>(static_cast<std::int64_t>(i) % columns * rows + row)] = matrix[i];
  }
  return result;
}

void check_conv_tbc(const Args& args) {
  const Tbc t = tbc(args.tensor("self"), args.tensor("weight"), args.integer("pad"));
  require_shape(args.tensor("output"), {t.out, t.batch, t.filters}, "output");
}
void run_conv_tbc(const Args& args) {
  const Tbc t = tbc(args.tensor("self"), args.tensor("weight"), args.integer("pad"));
  const CubeMode mode = cube_mode(args.integer("cubeMathType"), promoted(args.tensor("self").dtype, args.tensor("weight").dtype));
  const std::vector<float> y =
      cube_product(windows(t, cube_input(args.tensor("self"), mode)), cube_input(args.tensor("weight"), mode), t.out * t.batch,
                   t.kernel * t.channels, t.filters, mode);
  const Reals bias = args.has("bias") ? read_real(args.tensor("bias")) : Reals(static_cast<std::size_t>(t.filters), 0.0);
  Reals values(y.begin(), y.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += bias[i % bias.size()];
  }
  write_real(args.tensor("output"), values);
}
void check_conv_tbc_backward(const Args& args) {
  const Tbc t = tbc(args.tensor("input"), args.tensor("weight"), args.integer("pad"));
  require_shape(args.tensor("self"), {t.out, t.batch, t.filters}, "self");
  require_shape(args.tensor("gradInput"), args.tensor("input").shape, "gradInput");
  require_shape(args.tensor("gradWeight"), args.tensor("weight").shape, "gradWeight");
}
void run_conv_tbc_backward(const Args& args) {
  const Tbc t = tbc(args.tensor("input"), args.tensor("weight"), args.integer("pad"));
  const CubeMode mode = cube_mode(args.integer("cubeMathType"), promoted(args.tensor("input").dtype, args.tensor("weight").dtype));
  const std::vector<float> g = cube_input(args.tensor("self"), mode);
  const std::vector<float> rows = windows(t, cube_input(args.tensor("input"), mode));
  const std::int64_t positions = t.out * t.batch;
  const std::int64_t depth = t.kernel * t.channels;
  const std::vector<float> dw = cube_product(turned(rows, positions, depth), g, depth, positions, t.filters, mode);
  const std::vector<float> spread =
      cube_product(g, turned(cube_input(args.tensor("weight"), mode), depth, t.filters), positions, t.filters, depth, mode);
  Reals dx(static_cast<std::size_t>(t.in * t.batch * t.channels), 0.0);
  for (std::size_t i = 0; i < spread.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / depth;
    const std::int64_t at = row / t.batch + static_cast<std::int64_t>(i) % depth / t.channels - t.pad;
    if (at >= 0 && at < t.in) {
      double& sum =
          dx[static_cast<std::size_t>((at * t.batch + row % t.batch) * t.channels + static_cast<std::int64_t>(i) % t.channels)];
      sum = rounded_to(sum + static_cast<double>(spread[i]), ACL_FLOAT);
    }
  }
  const Reals gradient(g.begin(), g.end());
  Reals db;
  for (std::int64_t f = 0; f < t.filters; ++f) {
    db.push_back(
        tree_sum(gradient.data() + f, static_cast<std::size_t>(positions), static_cast<std::size_t>(t.filters), ACL_FLOAT));
  }
  write_real(args.tensor("gradInput"), dx);
  write_real(args.tensor("gradWeight"), {dw.begin(), dw.end()});
  write_real(args.tensor("gradBias"), db);
}

const Kernel kKernels[] = {
    {"aclnnIm2col", check_unfold, run_unfold},
    {"aclnnIm2colBackward", check_fold, run_fold},
    {"aclnnConvTbc", check_conv_tbc, run_conv_tbc, kUsesWorkspace},
    {"aclnnConvTbcBackward", check_conv_tbc_backward, run_conv_tbc_backward, kUsesWorkspace},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
