// Sums, means, variances, norms and logical reductions over axes.
#include <cmath>
#include <limits>

#include "kernels/axes.hpp"
#include "kernels/vector_unit.hpp"

namespace assay::emulator {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The names a parameter goes by in different operators.
const Item* item_named(const Args& args, std::initializer_list<const char*> names) {
  for (int i = 0; i < args.op().kernel_count; ++i) {
    for (const char* name : names) {
      if (std::string_view(args.op().kernel_parameters[i].name) == name) {
        return &args.items()[static_cast<std::size_t>(i)];
      }
    }
  }
  return nullptr;
}

Shape axes(const Args& args) {
  const Item* item = item_named(args, {"dim", "dims"});
  if (item == nullptr || !item->present) {
    return {};
  }
  return item->integers;
}

bool keeps(const Args& args) {
  const Item* item = item_named(args, {"keepDim", "keepDims", "keepdim"});
  return item != nullptr && item->integer != 0;
}

Reduction reduction(const Args& args) {
  for (int i = 0; i < args.op().kernel_count; ++i) {
    const std::string_view name = args.op().kernel_parameters[i].name;
    if (name == "dim" && args.op().kernel_parameters[i].type == Type::kInteger) {
      return {args.tensor_at(0), {args.items()[static_cast<std::size_t>(i)].integer}};
    }
  }
  return {args.tensor_at(0), axes(args)};
}

void check_shapes(const Args& args, std::initializer_list<const char*> outputs) {
  const Shape shape = reduction(args).result_shape(keeps(args));
  for (const char* name : outputs) {
    require_shape(args.tensor(name), shape, name);
  }
}

void check_out(const Args& args) { check_shapes(args, {"out"}); }

void check_with_dtype(const Args& args) {
  check_shapes(args, {"out"});
  if (args.dtype("dtype") != args.tensor("out").dtype) {
    refuse("'dtype' is not the dtype of 'out'");
  }
}

void check_mean(const Args& args) {
  check_with_dtype(args);
  if (is_integral(args.dtype("dtype"))) {
    refuse("a mean has no integer dtype");
  }
}

// f(row, length) for every row of reals, with the inputs as `dtype` rounds them.
template <class F>
Reals each_row(const Reduction& r, aclDataType dtype, F&& f) {
  Reals values = read_real(r.rows_view());
  if (is_floating(dtype) && is_integral(r.rows_view().dtype) && dtype != ACL_DOUBLE) {
    for (double& value : values) {
      value = rounded_to(value, ACL_FLOAT);
    }
  }
  Reals result(static_cast<std::size_t>(r.rows()));
  const auto length = static_cast<std::size_t>(r.length());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = f(values.data() + i * length, length);
  }
  return result;
}

void run_sum(const Args& args) {
  const Reduction r = reduction(args);
  const View& out = args.tensor("out");
  const auto length = static_cast<std::size_t>(r.length());
  if (kind_of(out.dtype) == Kind::kComplex) {
    const Complexes values = read_complex(r.rows_view());
    Complexes sums(static_cast<std::size_t>(r.rows()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums[i / length] += values[i];
    }
    write_complex(out, sums);
  } else if (is_integral(out.dtype)) {
    const Integers values = read_integer(r.rows_view());
    Integers sums(static_cast<std::size_t>(r.rows()), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums[i / length] += values[i];
    }
    write_integer(out, sums);
  } else {
    write_real(out, each_row(r, out.dtype, [&](const double* row, std::size_t n) { return tree_sum(row, n, 1, out.dtype); }));
  }
}

void run_nansum(const Args& args) {
  const View& out = args.tensor("out");
  const Reduction r = reduction(args);
  if (is_integral(out.dtype)) {
    return run_sum(args);
  }
  write_real(out, each_row(r, out.dtype, [&](const double* row, std::size_t n) {
               Reals kept(row, row + n);
               for (double& value : kept) {
                 value = std::isnan(value) ? 0.0 : value;
               }
               return tree_sum(kept, out.dtype);
             }));
}

double mean_of(const double* row, std::size_t n, aclDataType dtype) {
  const double sum = tree_sum(row, n, 1, dtype);
  return dtype == ACL_DOUBLE ? sum / static_cast<double>(n) : rounded_to(sum / static_cast<double>(n), ACL_FLOAT);
}

void run_mean(const Args& args) {
  const Reduction r = reduction(args);
  const View& out = args.tensor("out");
  if (kind_of(out.dtype) == Kind::kComplex) {
    const Complexes values = read_complex(r.rows_view());
    Complexes sums(static_cast<std::size_t>(r.rows()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums[i / static_cast<std::size_t>(r.length())] += values[i] / static_cast<double>(r.length());
    }
    return write_complex(out, sums);
  }
  write_real(out, each_row(r, out.dtype, [&](const double* row, std::size_t n) { return mean_of(row, n, out.dtype); }));
}

double variance(const double* row, std::size_t n, double correction, aclDataType dtype) {
  const double mean = mean_of(row, n, dtype);
  Reals squares(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double distance = dtype == ACL_DOUBLE ? row[i] - mean : rounded_to(row[i] - mean, ACL_FLOAT);
    squares[i] = dtype == ACL_DOUBLE ? distance * distance : rounded_to(distance * distance, ACL_FLOAT);
  }
  const double count = static_cast<double>(n) - correction;
  return tree_sum(squares, dtype) / (count > 0.0 ? count : 0.0);
}

double correction(const Args& args) {
  if (const Item* unbiased = item_named(args, {"unbiased"})) {
    return unbiased->integer != 0 ? 1.0 : 0.0;
  }
  return static_cast<double>(args.integer("correction"));
}

template <bool kRoot>
void run_variance(const Args& args) {
  const Reduction r = reduction(args);
  const double less = correction(args);
  const Item* main = item_named(args, {"out", "varOut", "stdOut"});
  const aclDataType dtype = main->view.dtype;
  const Reals result = each_row(r, dtype, [&](const double* row, std::size_t n) {
    const double value = variance(row, n, less, dtype);
    return kRoot ? std::sqrt(value) : value;
  });
  const Item* mean = item_named(args, {"meanOut"});
  const Reals means =
      mean == nullptr ? Reals{} : each_row(r, dtype, [&](const double* row, std::size_t n) { return mean_of(row, n, dtype); });
  write_real(main->view, result);
  if (mean != nullptr) {
    write_real(mean->view, means);
  }
}

void check_var_mean(const Args& args) { check_shapes(args, {"varOut", "meanOut"}); }
void check_std_mean(const Args& args) { check_shapes(args, {"stdOut", "meanOut"}); }

double row_norm(const double* row, std::size_t n, double p, aclDataType dtype) {
  double extreme = p > 0 ? 0.0 : kInfinity;
  Reals powers(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::fabs(row[i]);
    if (std::isinf(p)) {
      extreme = std::isnan(size) || std::isnan(extreme) ? std::numeric_limits<double>::quiet_NaN()
                                                        : (p > 0 ? std::fmax(extreme, size) : std::fmin(extreme, size));
    }
    powers[i] = p == 0.0 ? (size != 0.0 ? 1.0 : 0.0) : p == 1.0 ? size : p == 2.0 ? size * size : std::pow(size, p);
  }
  if (std::isinf(p)) {
    return extreme;
  }
  const double sum = tree_sum(powers, dtype);
  return p == 0.0 || p == 1.0 ? sum : p == 2.0 ? std::sqrt(sum) : std::pow(sum, 1.0 / p);
}

void run_norm(const Args& args) {
  const Reduction r = reduction(args);
  const Item* order = item_named(args, {"pScalar", "ord"});
  const double p = order->scalar.real;
  const View& out = args.tensor("out");
  if (kind_of(r.rows_view().dtype) == Kind::kComplex) {
    const Complexes values = read_complex(r.rows_view());
    Reals sizes(values.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      sizes[i] = std::abs(values[i]);
    }
    Reals result(static_cast<std::size_t>(r.rows()));
    const auto length = static_cast<std::size_t>(r.length());
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = row_norm(sizes.data() + i * length, length, p, out.dtype);
    }
    return write_real(out, result);
  }
  write_real(out, each_row(r, out.dtype, [&](const double* row, std::size_t n) { return row_norm(row, n, p, out.dtype); }));
}

void run_log_sum_exp(const Args& args) {
  const View& out = args.tensor("out");
  write_real(out, each_row(reduction(args), out.dtype, [&](const double* row, std::size_t n) {
               double high = -kInfinity;
               for (std::size_t i = 0; i < n; ++i) {
                 high = std::isnan(row[i]) ? row[i] : std::fmax(high, row[i]);
               }
               const double base = std::isinf(high) ? 0.0 : high;
               Reals powers(n);
               for (std::size_t i = 0; i < n; ++i) {
                 powers[i] = std::exp(row[i] - base);
               }
               return std::log(tree_sum(powers, out.dtype)) + base;
             }));
}

template <bool kAll>
void run_logical(const Args& args) {
  const Reduction r = reduction(args);
  const Complexes values = read_complex(r.rows_view());
  Integers result(static_cast<std::size_t>(r.rows()), kAll ? 1 : 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t& sum = result[i / static_cast<std::size_t>(r.length())];
    const bool truth = values[i] != Complex(0.0);  // NaN is true
    sum = kAll ? (sum != 0 && truth) : (sum != 0 || truth);
  }
  write_integer(args.tensor("out"), result);
}

void run_product(const Args& args) {
  const Reduction r = reduction(args);
  const View& out = args.tensor("out");
  const auto length = static_cast<std::size_t>(r.length());
  if (is_integral(out.dtype)) {
    const Integers values = read_integer(r.rows_view());
    std::vector<std::uint64_t> products(static_cast<std::size_t>(r.rows()), 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      products[i / length] *= static_cast<std::uint64_t>(values[i]);
    }
    return write_integer(out, {products.begin(), products.end()});
  }
  if (kind_of(out.dtype) == Kind::kComplex) {
    const Complexes values = read_complex(r.rows_view());
    Complexes products(static_cast<std::size_t>(r.rows()), 1.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      products[i / length] *= values[i];
    }
    return write_complex(out, products);
  }
  write_real(out, each_row(r, out.dtype, [&](const double* row, std::size_t n) {
               double product = 1.0;
               for (std::size_t i = 0; i < n; ++i) {
                 product = out.dtype == ACL_DOUBLE ? product * row[i] : rounded_to(product * row[i], ACL_FLOAT);
               }
               return product;
             }));
}

const Kernel kKernels[] = {
    {"aclnnReduceSum", check_with_dtype, run_sum, kUsesWorkspace},
    {"aclnnReduceNansum", check_with_dtype, run_nansum, kUsesWorkspace},
    {"aclnnMean", check_mean, run_mean, kUsesWorkspace},
    {"aclnnProd", check_with_dtype, run_product, kUsesWorkspace},
    {"aclnnProdDim", check_with_dtype, run_product, kUsesWorkspace},
    {"aclnnVar", check_out, run_variance<false>, kUsesWorkspace},
    {"aclnnVarCorrection", check_out, run_variance<false>, kUsesWorkspace},
    {"aclnnVarMean", check_var_mean, run_variance<false>, kUsesWorkspace},
    {"aclnnStd", check_out, run_variance<true>, kUsesWorkspace},
    {"aclnnStdMeanCorrection", check_std_mean, run_variance<true>, kUsesWorkspace},
    {"aclnnNorm", check_out, run_norm, kUsesWorkspace},
    {"aclnnLinalgVectorNorm", check_with_dtype, run_norm, kUsesWorkspace},
    {"aclnnLogSumExp", check_out, run_log_sum_exp, kUsesWorkspace},
    {"aclnnAll", check_out, run_logical<true>},
    {"aclnnAny", check_out, run_logical<false>},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
