// Trace, cross product, limited norms.
#include <algorithm>
#include <cmath>

#include "kernels/axes.hpp"
#include "kernels/vector_unit.hpp"

namespace assay::emulator {
namespace {

void check_trace(const Args& args) {
  if (args.tensor("out").count() != 1) {
    refuse("'out' must have one element");
  }
}
void run_trace(const Args& args) {
  const View& self = args.tensor("self");
  const Complexes values = read_complex(self);
  Complex sum = 0.0;
  for (std::int64_t i = 0; i < std::min(self.dim(0), self.dim(1)); ++i) {
    sum += values[static_cast<std::size_t>(i * self.dim(1) + i)];
  }
  write_complex(args.tensor("out"), {sum});
}

void check_cross(const Args& args) {
  const View& out = args.tensor("out");
  require_shape(out, broadcast_shapes(args.tensor("self").shape, args.tensor("other").shape), "out");
  if (out.dim(static_cast<std::int64_t>(axis_of(out, args.integer("dim")))) != 3) {
    refuse("the axis of a cross product must have 3 elements");
  }
}
void run_cross(const Args& args) {
  const View& out = args.tensor("out");
  const std::size_t axis = axis_of(out, args.integer("dim"));
  const Complexes a = read_complex(axis_last(broadcast(args.tensor("self"), out.shape), axis));
  const Complexes b = read_complex(axis_last(broadcast(args.tensor("other"), out.shape), axis));
  Complexes result(a.size());
  for (std::size_t first = 0; first < a.size(); first += 3) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = first + (i + 1) % 3;
      const std::size_t k = first + (i + 2) % 3;
      result[first + i] = a[j] * b[k] - a[k] * b[j];
    }
  }
  write_complex(axis_last(out, axis), result);
}

void check_renorm(const Args& args) {
  axis_of(args.tensor("self"), args.integer("dim"));
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
}
View axis_first(const View& view, std::size_t axis) {
  View result = view;
  std::swap(result.shape[0], result.shape[axis]);
  std::swap(result.strides[0], result.strides[axis]);
  return result;
}
void run_renorm(const Args& args) {
  const View& self = args.tensor("self");
  const std::size_t axis = axis_of(self, args.integer("dim"));
  Reals values = read_real(axis_first(self, axis));
  const double p = args.scalar("p").real;
  const double limit = args.scalar("maxNorm").real;
  const auto rows = static_cast<std::size_t>(self.shape[axis]);
  const std::size_t length = rows == 0 ? 0 : values.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    double* first = values.data() + row * length;
    Reals powers(length);
    double highest = 0.0;
    for (std::size_t i = 0; i < length; ++i) {
      powers[i] = std::pow(std::fabs(first[i]), p);
      highest = std::fmax(highest, std::fabs(first[i]));
    }
    const double norm = std::isinf(p) ? highest : std::pow(tree_sum(powers, ACL_FLOAT), 1.0 / p);
    for (std::size_t i = 0; norm > limit && i < length; ++i) {
      first[i] *= limit / (norm + 1e-7);
    }
  }
  write_real(axis_first(args.tensor("out"), axis), values);
}

const Kernel kKernels[] = {
    {"aclnnTrace", check_trace, run_trace},
    {"aclnnLinalgCross", check_cross, run_cross},
    {"aclnnRenorm", check_renorm, run_renorm, kUsesWorkspace},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
