// Layer, group, root-mean-square normalisation and their gradients.
#include <cmath>

#include "kernels/access.hpp"
#include "kernels/output_mask.hpp"
#include "kernels/special.hpp"
#include "kernels/vector_unit.hpp"

namespace assay::emulator {
namespace {

float single(double value) { return static_cast<float>(value); }

struct Moments {
  double mean = 0;
  double rstd = 0;
};

// Two passes in float, as kernels that cast up do.
Moments moments(const double* row, std::size_t n, double eps) {
  const double mean = single(tree_sum(row, n, 1, ACL_FLOAT) / static_cast<double>(n));
  Reals squares(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double distance = single(row[i] - mean);
    squares[i] = single(distance * distance);
  }
  const double variance = single(tree_sum(squares, ACL_FLOAT) / static_cast<double>(n));
  return {mean, single(1.0 / std::sqrt(single(variance + eps)))};
}

Reals optional_weight(const Args& args, const char* name, std::size_t count, double otherwise) {
  return args.has(name) ? read_real(args.tensor(name)) : Reals(count, otherwise);
}

// ---- layer norm: rows of the normalized shape

std::size_t row_length(const Args& args) { return static_cast<std::size_t>(count_of(args.ints("normalizedShape"))); }

Shape statistics_shape(const View& input, std::size_t normalized) {
  Shape shape = input.shape;
  std::fill(shape.end() - static_cast<std::ptrdiff_t>(normalized), shape.end(), 1);
  return shape;
}
void check_layer_norm(const Args& args) {
  const View& input = args.tensor("input");
  const Shape& normalized = args.ints("normalizedShape");
  if (normalized.size() > input.rank() || !std::equal(normalized.rbegin(), normalized.rend(), input.shape.rbegin())) {
    refuse("the normalized shape is not the end of the input's");
  }
  require_shape(args.tensor("out"), input.shape, "out");
  for (const char* name : {"weightOptional", "biasOptional"}) {
    if (args.has(name)) {
      require_shape(args.tensor(name), normalized, name);
    }
  }
  for (const char* name : {"meanOutOptional", "rstdOutOptional"}) {
    if (args.has(name)) {
      require_shape(args.tensor(name), statistics_shape(input, normalized.size()), name);
    }
  }
}
void run_layer_norm(const Args& args) {
  Reals values = read_real(args.tensor("input"));
  const std::size_t n = row_length(args);
  const Reals weight = optional_weight(args, "weightOptional", n, 1.0);
  const Reals bias = optional_weight(args, "biasOptional", n, 0.0);
  Reals means;
  Reals rstds;
  for (std::size_t first = 0; n > 0 && first < values.size(); first += n) {
    const Moments m = moments(values.data() + first, n, args.real("eps"));
    for (std::size_t i = 0; i < n; ++i) {
      const double normal = single(single(values[first + i] - m.mean) * m.rstd);
      values[first + i] = normal * weight[i] + bias[i];
    }
    means.push_back(m.mean);
    rstds.push_back(m.rstd);
  }
  write_real(args.tensor("out"), values);
  if (args.has("meanOutOptional")) {
    write_real(args.tensor("meanOutOptional"), means);
  }
  if (args.has("rstdOutOptional")) {
    write_real(args.tensor("rstdOutOptional"), rstds);
  }
}

// The gradient through (x - mean) * rstd of one row, given that through the normal values.
void normal_gradient(const double* dy, const double* normal, double rstd, std::size_t n, double* dx) {
  Reals products(n);
  for (std::size_t i = 0; i < n; ++i) {
    products[i] = single(dy[i] * normal[i]);
  }
  const double mean_dy = single(tree_sum(dy, n, 1, ACL_FLOAT) / static_cast<double>(n));
  const double mean_product = single(tree_sum(products, ACL_FLOAT) / static_cast<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    dx[i] = (dy[i] - mean_dy - normal[i] * mean_product) * rstd;
  }
}

void check_layer_norm_backward(const Args& args) {
  require_shape(args.tensor("gradOut"), args.tensor("input").shape, "gradOut");
  check_output_mask(args, {"gradInputOut", "gradWeightOut", "gradBiasOut"});
}
void run_layer_norm_backward(const Args& args) {
  const Reals x = read_real(args.tensor("input"));
  const Reals g = read_real(args.tensor("gradOut"));
  const Reals means = read_real(args.tensor("mean"));
  const Reals rstds = read_real(args.tensor("rstd"));
  const std::size_t n = row_length(args);
  const Reals weight = optional_weight(args, "weightOptional", n, 1.0);
  Reals gradient(x.size());
  const std::size_t rows = n == 0 ? 0 : x.size() / n;
  Reals weight_parts(x.size());
  Reals normal(n);
  Reals dy(n);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row * n;
    for (std::size_t i = 0; i < n; ++i) {
      normal[i] = single(single(x[first + i] - means[row]) * rstds[row]);
      dy[i] = single(g[first + i] * weight[i]);
      weight_parts[first + i] = single(g[first + i] * normal[i]);
    }
    normal_gradient(dy.data(), normal.data(), rstds[row], n, gradient.data() + first);
  }
  Reals weight_sums(n);
  Reals bias_sums(n);
  for (std::size_t i = 0; i < n; ++i) {
    weight_sums[i] = tree_sum(weight_parts.data() + i, rows, n, ACL_FLOAT);
    bias_sums[i] = tree_sum(g.data() + i, rows, n, ACL_FLOAT);
  }
  if (wanted(args, 0)) {
    write_real(args.tensor("gradInputOut"), gradient);
  }
  if (wanted(args, 1)) {
    write_real(args.tensor("gradWeightOut"), weight_sums);
  }
  if (wanted(args, 2)) {
    write_real(args.tensor("gradBiasOut"), bias_sums);
  }
}

// ---- group norm: rows of channels of a group

struct Groups {
  std::size_t batch;
  std::size_t channels;
  std::size_t inner;
  std::size_t groups;
  std::size_t length() const { return channels / groups * inner; }
  std::size_t channel(std::size_t element) const { return element / inner % channels; }
};
Groups groups_of(const Args& args) {
  return {static_cast<std::size_t>(args.integer("N")), static_cast<std::size_t>(args.integer("C")),
          static_cast<std::size_t>(args.integer("HxW")), static_cast<std::size_t>(args.integer("group"))};
}
void check_groups(const Args& args, const View& input) {
  if (args.integer("group") <= 0 || args.integer("C") % args.integer("group") != 0 ||
      args.integer("N") * args.integer("C") * args.integer("HxW") != input.count()) {
    refuse("N, C, HxW and group don't fit the input");
  }
}
void check_group_norm(const Args& args) {
  check_groups(args, args.tensor("self"));
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
  require_shape(args.tensor("meanOut"), {args.integer("N"), args.integer("group")}, "meanOut");
  require_shape(args.tensor("rstdOut"), {args.integer("N"), args.integer("group")}, "rstdOut");
}
void run_group_norm(const Args& args) {
  const Groups shape = groups_of(args);
  Reals values = read_real(args.tensor("self"));
  const Reals weight = optional_weight(args, "gamma", shape.channels, 1.0);
  const Reals bias = optional_weight(args, "beta", shape.channels, 0.0);
  Reals means;
  Reals rstds;
  const std::size_t n = shape.length();
  for (std::size_t first = 0; n > 0 && first < values.size(); first += n) {
    const Moments m = moments(values.data() + first, n, args.real("eps"));
    for (std::size_t i = first; i < first + n; ++i) {
      const std::size_t channel = shape.channel(i);
      values[i] = single(single(values[i] - m.mean) * m.rstd) * weight[channel] + bias[channel];
    }
    means.push_back(m.mean);
    rstds.push_back(m.rstd);
  }
  write_real(args.tensor("out"), values);
  write_real(args.tensor("meanOut"), means);
  write_real(args.tensor("rstdOut"), rstds);
}
void check_group_norm_backward(const Args& args) {
  check_groups(args, args.tensor("input"));
  check_output_mask(args, {"gradInput", "gradGammaOut", "gradBetaOut"});
}
void run_group_norm_backward(const Args& args) {
  const Groups shape = groups_of(args);
  const Reals x = read_real(args.tensor("input"));
  const Reals g = read_real(args.tensor("gradOut"));
  const Reals means = read_real(args.tensor("mean"));
  const Reals rstds = read_real(args.tensor("rstd"));
  const Reals weight = optional_weight(args, "gamma", shape.channels, 1.0);
  const std::size_t n = shape.length();
  Reals gradient(x.size());
  Reals gamma(shape.channels, 0.0);
  Reals beta(shape.channels, 0.0);
  Reals normal(n);
  Reals dy(n);
  for (std::size_t first = 0; n > 0 && first < x.size(); first += n) {
    const std::size_t row = first / n;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t channel = shape.channel(first + i);
      normal[i] = single(single(x[first + i] - means[row]) * rstds[row]);
      dy[i] = single(g[first + i] * weight[channel]);
      gamma[channel] = single(gamma[channel] + g[first + i] * normal[i]);
      beta[channel] = single(beta[channel] + g[first + i]);
    }
    normal_gradient(dy.data(), normal.data(), rstds[row], n, gradient.data() + first);
  }
  if (wanted(args, 0)) {
    write_real(args.tensor("gradInput"), gradient);
  }
  if (wanted(args, 1)) {
    write_real(args.tensor("gradGammaOut"), gamma);
  }
  if (wanted(args, 2)) {
    write_real(args.tensor("gradBetaOut"), beta);
  }
}

// ---- rms norm: rows of gamma's shape

double inverse_root_mean_square(const double* row, std::size_t n, double eps) {
  Reals squares(n);
  for (std::size_t i = 0; i < n; ++i) {
    squares[i] = single(row[i] * row[i]);
  }
  return single(1.0 / std::sqrt(single(tree_sum(squares, ACL_FLOAT) / static_cast<double>(n) + eps)));
}

void rms_norm(const Args& args, const Reals& x, double gamma_offset) {
  const Reals gamma = read_real(args.tensor("gamma"));
  const std::size_t n = gamma.size();
  Reals y(x.size());
  Reals rstds;
  for (std::size_t first = 0; n > 0 && first < x.size(); first += n) {
    const double rstd = inverse_root_mean_square(x.data() + first, n, args.real("epsilon"));
    for (std::size_t i = 0; i < n; ++i) {
      y[first + i] = single(x[first + i] * rstd) * (gamma[i] + gamma_offset);
    }
    rstds.push_back(rstd);
  }
  write_real(args.tensor("yOut"), y);
  write_real(args.tensor("rstdOut"), rstds);
}
void check_rms(const Args& args, const View& x) {
  const View& gamma = args.tensor("gamma");
  if (gamma.rank() > x.rank() || !std::equal(gamma.shape.rbegin(), gamma.shape.rend(), x.shape.rbegin())) {
    refuse("the shape of 'gamma' is not the end of the input's");
  }
  require_shape(args.tensor("yOut"), x.shape, "yOut");
  require_shape(args.tensor("rstdOut"), statistics_shape(x, gamma.rank()), "rstdOut");
  if (args.tensor("rstdOut").dtype != ACL_FLOAT) {
    refuse("'rstdOut' must be FLOAT");
  }
}
void check_rms_norm(const Args& args) { check_rms(args, args.tensor("x")); }
void run_rms_norm(const Args& args) { rms_norm(args, read_real(args.tensor("x")), 0.0); }
void run_gemma_rms_norm(const Args& args) { rms_norm(args, read_real(args.tensor("x")), 1.0); }
void check_add_rms_norm(const Args& args) {
  check_rms(args, args.tensor("x1"));
  require_shape(args.tensor("x2"), args.tensor("x1").shape, "x2");
  require_shape(args.tensor("xOut"), args.tensor("x1").shape, "xOut");
}
void run_add_rms_norm(const Args& args) {
  Reals sums = read_real(args.tensor("x1"));
  const Reals other = read_real(args.tensor("x2"));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = single(sums[i] + other[i]);
  }
  write_real(args.tensor("xOut"), sums);
  rms_norm(args, sums, 0.0);
}

void check_rms_norm_grad(const Args& args) {
  require_shape(args.tensor("dy"), args.tensor("x").shape, "dy");
  require_shape(args.tensor("dxOut"), args.tensor("x").shape, "dxOut");
  require_shape(args.tensor("dgammaOut"), args.tensor("gamma").shape, "dgammaOut");
}
void run_rms_norm_grad(const Args& args) {
  const Reals x = read_real(args.tensor("x"));
  const Reals dy = read_real(args.tensor("dy"));
  const Reals rstds = read_real(args.tensor("rstd"));
  const Reals gamma = read_real(args.tensor("gamma"));
  const std::size_t n = gamma.size();
  const std::size_t rows = n == 0 ? 0 : x.size() / n;
  Reals gradient(x.size());
  Reals parts(x.size());
  Reals products(n);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row * n;
    for (std::size_t i = 0; i < n; ++i) {
      const double normal = single(x[first + i] * rstds[row]);
      parts[first + i] = single(dy[first + i] * normal);
      products[i] = single(single(dy[first + i] * gamma[i]) * normal);
    }
    const double mean = single(tree_sum(products, ACL_FLOAT) / static_cast<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
      const double normal = single(x[first + i] * rstds[row]);
      gradient[first + i] = (dy[first + i] * gamma[i] - normal * mean) * rstds[row];
    }
  }
  Reals sums(n);
  for (std::size_t i = 0; i < n; ++i) {
    sums[i] = tree_sum(parts.data() + i, rows, n, ACL_FLOAT);
  }
  write_real(args.tensor("dxOut"), gradient);
  write_real(args.tensor("dgammaOut"), sums);
}

const Kernel kKernels[] = {
    {"aclnnLayerNorm", check_layer_norm, run_layer_norm, kUsesWorkspace},
    {"aclnnFastLayerNorm", check_layer_norm, run_layer_norm, kUsesWorkspace},
    {"aclnnLayerNormBackward", check_layer_norm_backward, run_layer_norm_backward, kUsesWorkspace},
    {"aclnnGroupNorm", check_group_norm, run_group_norm, kUsesWorkspace},
    {"aclnnGroupNormBackward", check_group_norm_backward, run_group_norm_backward, kUsesWorkspace},
    {"aclnnRmsNorm", check_rms_norm, run_rms_norm, kUsesWorkspace},
    {"aclnnGemmaRmsNorm", check_rms_norm, run_gemma_rms_norm, kUsesWorkspace},
    {"aclnnAddRmsNorm", check_add_rms_norm, run_add_rms_norm, kUsesWorkspace},
    {"aclnnRmsNormGrad", check_rms_norm_grad, run_rms_norm_grad, kUsesWorkspace},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
