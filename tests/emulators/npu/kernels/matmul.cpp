// Matrix products.
#include <cmath>

#include "kernels/cube.hpp"

namespace assay::emulator {
namespace {

// A vector as a matrix: the left side as a row, the right one as a column.
View as_matrix(View view, bool left) {
  if (view.rank() == 1) {
    view.shape.insert(left ? view.shape.begin() : view.shape.end(), 1);
    view.strides.insert(left ? view.strides.begin() : view.strides.end(), 0);
  }
  return view;
}

struct Plan {
  View a;
  View b;
  Shape batch;
  Shape result;  // with the axes that vectors drop
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
};

Plan plan_product(const View& left, const View& right) {
  if (left.rank() == 0 || right.rank() == 0) {
    refuse("a scalar has no matrix product");
  }
  Plan plan;
  plan.a = as_matrix(left, true);
  plan.b = as_matrix(right, false);
  plan.m = plan.a.dim(-2);
  plan.k = plan.a.dim(-1);
  plan.n = plan.b.dim(-1);
  if (plan.b.dim(-2) != plan.k) {
    refuse("inner dimensions of " + text_of(left.shape) + " and " + text_of(right.shape) + " differ");
  }
  const Shape batch_a(plan.a.shape.begin(), plan.a.shape.end() - 2);
  const Shape batch_b(plan.b.shape.begin(), plan.b.shape.end() - 2);
  plan.batch = broadcast_shapes(batch_a, batch_b);
  const auto with_batch = [&](View& view) {
    Shape shape = plan.batch;
    shape.insert(shape.end(), view.shape.end() - 2, view.shape.end());
    view = broadcast(view, shape);
  };
  with_batch(plan.a);
  with_batch(plan.b);
  plan.result = plan.batch;
  if (left.rank() > 1) {
    plan.result.push_back(plan.m);
  }
  if (right.rank() > 1) {
    plan.result.push_back(plan.n);
  }
  return plan;
}

aclDataType input_dtype(const View& a, const View& b) {
  const aclDataType dtype = promoted(a.dtype, b.dtype);
  if (dtype == ACL_DT_UNDEFINED) {
    refuse("the dtypes can't be promoted to one");
  }
  return dtype;
}

// The product of the last two dimensions for each of the batch.
std::vector<float> product(const Plan& plan, const CubeMode& mode) {
  const std::vector<float> a = cube_input(plan.a, mode);
  const std::vector<float> b = cube_input(plan.b, mode);
  const std::int64_t batches = count_of(plan.batch);
  std::vector<float> c(static_cast<std::size_t>(batches * plan.m * plan.n));
  for (std::int64_t i = 0; i < batches; ++i) {
    cube_product(a.data() + i * plan.m * plan.k, b.data() + i * plan.k * plan.n, c.data() + i * plan.m * plan.n, plan.m, plan.k,
                 plan.n, mode);
  }
  return c;
}

Reals doubles(const std::vector<float>& values) { return {values.begin(), values.end()}; }

Integers integer_product(const Plan& plan) {
  const Integers a = read_integer(plan.a);
  const Integers b = read_integer(plan.b);
  const std::int64_t batches = count_of(plan.batch);
  Integers c(static_cast<std::size_t>(batches * plan.m * plan.n), 0);
  for (std::int64_t i = 0; i < batches * plan.m; ++i) {
    for (std::int64_t k = 0; k < plan.k; ++k) {
      for (std::int64_t j = 0; j < plan.n; ++j) {
        c[static_cast<std::size_t>(i * plan.n + j)] +=
            a[static_cast<std::size_t>(i * plan.k + k)] * b[static_cast<std::size_t>((i / plan.m * plan.k + k) * plan.n + j)];
      }
    }
  }
  return c;
}

template <std::size_t kRank>
void check_product(const Args& args) {
  const View& a = args.tensor_at(0);
  const View& b = args.tensor_at(1);
  if (kRank != 0 && (a.rank() != kRank || b.rank() != kRank)) {
    refuse("expected two tensors of rank " + std::to_string(kRank));
  }
  const View& out = args.tensor("out");
  require_shape(out, plan_product(a, b).result, "out");
  const aclDataType dtype = input_dtype(a, b);
  require_castable(dtype, out, "out");
  cube_mode(args.integer("cubeMathType"), dtype);
}

void check_mv(const Args& args) {
  const View& out = args.tensor("out");
  require_shape(out, plan_product(args.tensor("self"), args.tensor("vec")).result, "out");
  cube_mode(args.integer("cubeMathType"), out.dtype);
}

void run_product(const Args& args) {
  const View& a = args.tensor_at(0);
  const View& b = args.tensor_at(1);
  const CubeMode mode = cube_mode(args.integer("cubeMathType"), input_dtype(a, b));
  write_real(args.tensor("out"), doubles(product(plan_product(a, b), mode)));
}

// beta * self + alpha * product, with self broadcast: the forms and their parameter names.
struct Added {
  const char* name;
  const char* left;
  const char* right;
  bool sum_batch;
};
const std::vector<Added> kAdded = {{"aclnnAddmm", "mat1", "mat2", false},
                                   {"aclnnBaddbmm", "batch1", "batch2", false},
                                   {"aclnnAddbmm", "batch1", "batch2", true},
                                   {"aclnnAddmv", "mat", "vec", false}};

Shape added_shape(const Added& added, const Plan& plan) { return added.sum_batch ? Shape{plan.m, plan.n} : plan.result; }

void check_added(const Args& args) {
  const auto& added = args.data<Added>();
  const View& left = args.tensor(added.left);
  const View& right = args.tensor(added.right);
  const View& out = args.tensor("out");
  const Shape shape = added_shape(added, plan_product(left, right));
  require_shape(out, shape, "out");
  broadcast(args.tensor("self"), shape);
  const aclDataType dtype = promoted(input_dtype(left, right), args.tensor("self").dtype);
  require_castable(dtype, out, "out");
  cube_mode(args.integer("cubeMathType"), input_dtype(left, right));
}

void run_added(const Args& args) {
  const auto& added = args.data<Added>();
  const View& left = args.tensor(added.left);
  const View& right = args.tensor(added.right);
  const View& out = args.tensor("out");
  const Plan plan = plan_product(left, right);
  const ScalarValue& alpha = args.scalar("alpha");
  const ScalarValue& beta = args.scalar("beta");
  if (is_integral(input_dtype(left, right))) {
    const Integers values = integer_product(plan);
    Integers self = read_integer(args.tensor("self"), out.shape);
    for (std::size_t i = 0; i < self.size(); ++i) {
      self[i] *= beta.integer;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      self[i % self.size()] += alpha.integer * values[i];
    }
    write_integer(out, self);
    return;
  }
  std::vector<float> values = product(plan, cube_mode(args.integer("cubeMathType"), input_dtype(left, right)));
  const std::size_t size = static_cast<std::size_t>(out.count());
  for (std::size_t i = size; added.sum_batch && i < values.size(); ++i) {
    values[i % size] += values[i];
  }
  const Reals self = read_real(args.tensor("self"), out.shape);
  Reals result(size);
  for (std::size_t i = 0; i < size; ++i) {
    // A beta of 0 drops self, NaN included.
    const double kept = beta.real == 0.0 ? 0.0 : beta.real * self[i];
    result[i] = rounded_to(alpha.real * static_cast<double>(values[i]), ACL_FLOAT) + kept;
  }
  write_real(out, result);
}

void check_gemm(const Args& args) {
  const View a = args.integer("transA") != 0 ? transposed(args.tensor("A")) : args.tensor("A");
  const View b = args.integer("transB") != 0 ? transposed(args.tensor("B")) : args.tensor("B");
  const Plan plan = plan_product(a, b);
  require_shape(args.tensor("out"), plan.result, "out");
  broadcast(args.tensor("C"), plan.result);
}

void run_gemm(const Args& args) {
  const View a = args.integer("transA") != 0 ? transposed(args.tensor("A")) : args.tensor("A");
  const View b = args.integer("transB") != 0 ? transposed(args.tensor("B")) : args.tensor("B");
  const View& out = args.tensor("out");
  const std::vector<float> values = product(plan_product(a, b), cube_mode(args.integer("cubeMathType"), input_dtype(a, b)));
  Reals result = read_real(args.tensor("C"), out.shape);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = rounded_to(args.real("alpha") * static_cast<double>(values[i]), ACL_FLOAT) + args.real("beta") * result[i];
  }
  write_real(out, result);
}

void check_dot(const Args& args) {
  require_shape(args.tensor("tensor"), args.tensor("self").shape, "tensor");
  if (args.tensor("out").count() != 1) {
    refuse("'out' must have one element");
  }
}

void run_dot(const Args& args) {
  const Plan plan = plan_product(args.tensor("self"), args.tensor("tensor"));
  const aclDataType dtype = args.tensor("self").dtype;
  if (is_integral(dtype)) {
    write_integer(args.tensor("out"), integer_product(plan));
  } else {
    write_real(args.tensor("out"), doubles(product(plan, cube_mode(0, dtype))));
  }
}

// Outer products: element by element, no sums.
void check_ger(const Args& args) {
  require_shape(args.tensor("out"), {args.tensor("self").dim(0), args.tensor("vec2").dim(0)}, "out");
}

void run_ger(const Args& args) {
  const View& out = args.tensor("out");
  View a = args.tensor("self");
  a.shape.push_back(1);
  a.strides.push_back(0);
  if (is_integral(out.dtype)) {
    Integers x = read_integer(a, out.shape);
    const Integers y = read_integer(args.tensor("vec2"), out.shape);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] *= y[i];
    }
    write_integer(out, x);
    return;
  }
  Complexes x = read_complex(a, out.shape);
  const Complexes y = read_complex(args.tensor("vec2"), out.shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] *= y[i];
  }
  write_complex(out, x);
}

void check_addr(const Args& args) {
  const Shape shape = {args.tensor("vec1").dim(0), args.tensor("vec2").dim(0)};
  require_shape(args.tensor("out"), shape, "out");
  broadcast(args.tensor("self"), shape);
}

void run_addr(const Args& args) {
  const View& out = args.tensor("out");
  View a = args.tensor("vec1");
  a.shape.push_back(1);
  a.strides.push_back(0);
  const double alpha = args.has("alphaOptional") ? args.scalar("alphaOptional").real : 1.0;
  const double beta = args.has("betaOptional") ? args.scalar("betaOptional").real : 1.0;
  Reals x = read_real(a, out.shape);
  const Reals y = read_real(args.tensor("vec2"), out.shape);
  const Reals self = read_real(args.tensor("self"), out.shape);
  const aclDataType compute = is_floating(out.dtype) && out.dtype != ACL_DOUBLE ? ACL_FLOAT : ACL_DOUBLE;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = (beta == 0.0 ? 0.0 : beta * self[i]) + rounded_to(alpha * x[i] * y[i], compute);
  }
  write_real(out, x);
}

std::vector<Kernel> kernels() {
  std::vector<Kernel> result = {
      {"aclnnMatmul", check_product<0>, run_product, kUsesWorkspace},
      {"aclnnMm", check_product<2>, run_product, kUsesWorkspace},
      {"aclnnBatchMatMul", check_product<3>, run_product, kUsesWorkspace},
      {"aclnnMv", check_mv, run_product, kUsesWorkspace},
      {"aclnnGemm", check_gemm, run_gemm, kUsesWorkspace},
      {"aclnnDot", check_dot, run_dot, kUsesWorkspace},
      {"aclnnGer", check_ger, run_ger},
      {"aclnnAddr", check_addr, run_addr},
  };
  for (const Added& added : kAdded) {
    result.push_back({added.name, check_added, run_added, kUsesWorkspace, &added});
  }
  return result;
}
const std::vector<Kernel> kKernels = kernels();
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
