// Losses of two tensors element by element, and their gradients.
#include <cmath>

#include "kernels/access.hpp"
#include "kernels/special.hpp"
#include "kernels/vector_unit.hpp"

namespace assay::emulator {
namespace {

enum Reduction : std::int64_t { kNone = 0, kMean = 1, kSum = 2, kBatchMean = 3 };

struct Settings {
  double beta = 1.0;
  bool log_target = false;
};

struct Loss {
  const char* name;
  double (*f)(double x, double t, const Settings& s);
  double (*slope)(double x, double t, const Settings& s);  // for the gradient's name
};

double bounded_log(double x) { return std::fmax(std::log(x), -100.0); }

double smooth(double x, double t, const Settings& s) {
  const double distance = std::fabs(x - t);
  return distance < s.beta ? 0.5 * distance * distance / s.beta : distance - 0.5 * s.beta;
}
double smooth_slope(double x, double t, const Settings& s) {
  const double distance = x - t;
  return std::fabs(distance) < s.beta ? distance / s.beta : distance > 0.0 ? 1.0 : distance < 0.0 ? -1.0 : 0.0;
}
double divergence(double x, double t, const Settings& s) {
  if (s.log_target) {
    return std::exp(t) * (t - x);
  }
  return std::isnan(t) ? t : t > 0.0 ? t * (std::log(t) - x) : 0.0;
}

const std::vector<Loss> kLosses = {
    {"aclnnMseLoss", [](double x, double t, const Settings&) { return (x - t) * (x - t); }, nullptr},
    {"aclnnMseLossOut", [](double x, double t, const Settings&) { return (x - t) * (x - t); }, nullptr},
    {"aclnnL1Loss", [](double x, double t, const Settings&) { return std::fabs(x - t); }, nullptr},
    {"aclnnSmoothL1Loss", smooth, nullptr},
    {"aclnnKlDiv", divergence, nullptr},
    {"aclnnSoftMarginLoss", [](double x, double t, const Settings&) { return softplus(-t * x); }, nullptr},
    {"aclnnBinaryCrossEntropy",
     [](double x, double t, const Settings&) { return -(t * bounded_log(x) + (1.0 - t) * bounded_log(1.0 - x)); }, nullptr},
    {"aclnnMseLossBackward", nullptr, [](double x, double t, const Settings&) { return 2.0 * (x - t); }},
    {"aclnnL1LossBackward", nullptr, [](double x, double t, const Settings&) { return x > t   ? 1.0
                                                                                      : x < t ? -1.0
                                                                                              : 0.0; }},
    {"aclnnSmoothL1LossBackward", nullptr, smooth_slope},
    {"aclnnKlDivBackward", nullptr,
     [](double, double t, const Settings& s) { return s.log_target ? -std::exp(t)
                                                      : t > 0.0    ? -t
                                                                   : 0.0; }},
    {"aclnnSoftMarginLossBackward", nullptr, [](double x, double t, const Settings&) { return -t * sigmoid(-t * x); }},
    {"aclnnBinaryCrossEntropyBackward", nullptr,
     [](double x, double t, const Settings&) { return (x - t) / std::fmax((1.0 - x) * x, 1e-12); }},
};

bool has_parameter(const Args& args, std::string_view name) {
  for (int i = 0; i < args.op().kernel_count; ++i) {
    if (args.op().kernel_parameters[i].name == name) {
      return true;
    }
  }
  return false;
}

Settings settings(const Args& args) {
  Settings result;
  if (has_parameter(args, "beta")) {
    result.beta = args.real("beta");
  }
  if (has_parameter(args, "logTarget")) {
    result.log_target = args.flag("logTarget");
  }
  return result;
}

const View& result_of(const Args& args) { return args.tensor_at(args.items().size() - 1); }

Shape together(const Args& args) { return broadcast_shapes(args.tensor("self").shape, args.tensor("target").shape); }

aclDataType compute_dtype(const Args& args) { return args.tensor("self").dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT; }

void check_reduction(const Args& args) {
  if (args.integer("reduction") < kNone || args.integer("reduction") > kBatchMean) {
    refuse("reduction " + std::to_string(args.integer("reduction")) + " doesn't exist");
  }
}

// Multiplies by the optional weight, whatever it is called here.
void apply_weight(const Args& args, Reals& values, const Shape& shape) {
  for (const char* name : {"weight", "weightOptional"}) {
    if (has_parameter(args, name) && args.has(name)) {
      const Reals weight = read_real(args.tensor(name), shape);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] *= weight[i];
      }
    }
  }
}

// The mean or sum of the losses in the one element of `out`, or each of them.
void write_reduced(const Args& args, Reals values, const Shape& shape) {
  const aclDataType dtype = compute_dtype(args);
  const std::int64_t reduction = args.integer("reduction");
  if (reduction == kNone) {
    return write_real(result_of(args), values);
  }
  for (double& value : values) {
    value = rounded_to(value, dtype);
  }
  const double sum = tree_sum(values, dtype);
  const double count = reduction == kMean        ? static_cast<double>(values.size())
                       : reduction == kBatchMean ? static_cast<double>(shape.at(0))
                                                 : 1.0;
  write_real(result_of(args), {sum / count});
}

void check_loss(const Args& args) {
  check_reduction(args);
  const Shape shape = together(args);
  if (args.integer("reduction") == kNone) {
    require_shape(result_of(args), shape, "out");
  } else if (result_of(args).count() != 1) {
    refuse("the output of a reduced loss must have one element");
  }
}
void run_loss(const Args& args) {
  const Shape shape = together(args);
  const Settings s = settings(args);
  Reals x = read_real(args.tensor("self"), shape);
  const Reals t = read_real(args.tensor("target"), shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = args.data<Loss>().f(x[i], t[i], s);
  }
  apply_weight(args, x, shape);
  write_reduced(args, std::move(x), shape);
}

// grad * slope * weight / count
void write_gradient(const Args& args, Reals slopes, const Shape& shape) {
  apply_weight(args, slopes, shape);
  const Reals g = read_real(args.tensor_at(0), shape);
  const std::int64_t reduction = args.integer("reduction");
  const double count = reduction == kMean        ? static_cast<double>(slopes.size())
                       : reduction == kBatchMean ? static_cast<double>(shape.at(0))
                                                 : 1.0;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    slopes[i] = slopes[i] * g[i] / count;
  }
  write_real(result_of(args), slopes);
}
void check_gradient(const Args& args) {
  check_reduction(args);
  const Shape shape = together(args);
  require_shape(result_of(args), shape, "the gradient");
  broadcast(args.tensor_at(0), shape);
}
void run_gradient(const Args& args) {
  const Shape shape = together(args);
  const Settings s = settings(args);
  Reals x = read_real(args.tensor("self"), shape);
  const Reals t = read_real(args.tensor("target"), shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = args.data<Loss>().slope(x[i], t[i], s);
  }
  write_gradient(args, std::move(x), shape);
}

// ---- binary cross entropy of logits, with a weight for positives

Reals positive_weight(const Args& args, const Shape& shape) {
  return args.has("posWeightOptional") ? read_real(args.tensor("posWeightOptional"), shape)
                                       : Reals(static_cast<std::size_t>(count_of(shape)), 1.0);
}
void run_logits(const Args& args) {
  const Shape shape = together(args);
  Reals x = read_real(args.tensor("self"), shape);
  const Reals t = read_real(args.tensor("target"), shape);
  const Reals p = positive_weight(args, shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = (1.0 - t[i]) * x[i] + (1.0 + (p[i] - 1.0) * t[i]) * softplus(-x[i]);
  }
  apply_weight(args, x, shape);
  write_reduced(args, std::move(x), shape);
}
void run_logits_gradient(const Args& args) {
  const Shape shape = together(args);
  Reals x = read_real(args.tensor("self"), shape);
  const Reals t = read_real(args.tensor("target"), shape);
  const Reals p = positive_weight(args, shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = sigmoid(x[i]);
    x[i] = (p[i] * t[i] + 1.0 - t[i]) * y - p[i] * t[i];
  }
  write_gradient(args, std::move(x), shape);
}
void run_logits_target_gradient(const Args& args) {
  const Shape shape = together(args);
  Reals x = read_real(args.tensor("self"), shape);
  const Reals p = positive_weight(args, shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = p[i] * log_sigmoid(x[i]) * -1.0 + log_sigmoid(-x[i]);
  }
  write_gradient(args, std::move(x), shape);
}

std::vector<Kernel> kernels() {
  std::vector<Kernel> result = {
      {"aclnnBinaryCrossEntropyWithLogits", check_loss, run_logits, kUsesWorkspace},
      {"aclnnBinaryCrossEntropyWithLogitsBackward", check_gradient, run_logits_gradient},
      {"aclnnBinaryCrossEntropyWithLogitsTargetBackward", check_gradient, run_logits_target_gradient},
  };
  for (const Loss& loss : kLosses) {
    const bool forward = loss.f != nullptr;
    result.push_back({loss.name, forward ? check_loss : check_gradient, forward ? run_loss : run_gradient, kUsesWorkspace, &loss});
  }
  return result;
}
const std::vector<Kernel> kKernels = kernels();
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
