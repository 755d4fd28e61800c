// Losses over classes: negative log likelihood, cross entropy.
#include <cmath>

#include "kernels/access.hpp"
#include "kernels/vector_unit.hpp"

namespace assay::emulator {
namespace {

enum Reduction : std::int64_t { kNone = 0, kMean = 1, kSum = 2 };

// Batch, classes and what follows them: (N, C), (C) or (N, C, H, W).
struct Classes {
  std::int64_t batch = 1;
  std::int64_t classes = 1;
  std::int64_t inner = 1;
  std::size_t place(std::int64_t element, std::int64_t which) const {
    return static_cast<std::size_t>((element / inner * classes + which) * inner + element % inner);
  }
  std::int64_t elements() const { return batch * inner; }
};
Classes classes_of(const View& self) {
  Classes result;
  const std::size_t axis = self.rank() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < self.rank(); ++i) {
    (i < axis ? result.batch : i == axis ? result.classes : result.inner) *= self.shape[i];
  }
  return result;
}

std::int64_t checked(std::int64_t target, std::int64_t classes) {
  if (target < 0 || target >= classes) {
    throw std::out_of_range("class " + std::to_string(target) + " is not one of " + std::to_string(classes));
  }
  return target;
}

void check_nll(const Args& args) {
  const Classes shape = classes_of(args.tensor("self"));
  if (args.tensor("target").count() != shape.elements() || args.tensor("weight").count() != shape.classes) {
    refuse("'target' or 'weight' doesn't fit 'self'");
  }
  if (args.integer("reduction") < kNone || args.integer("reduction") > kSum) {
    refuse("the reduction doesn't exist");
  }
  if (args.tensor("out").count() != (args.integer("reduction") == kNone ? shape.elements() : 1) ||
      args.tensor("totalWeightOut").count() != 1) {
    refuse("'out' or 'totalWeightOut' has another number of elements");
  }
}
void run_nll(const Args& args) {
  const View& self = args.tensor("self");
  const Classes shape = classes_of(self);
  const Reals x = read_real(self);
  const Integers targets = read_integer(args.tensor("target"));
  const Reals weight = read_real(args.tensor("weight"));
  Reals losses(targets.size(), 0.0);
  Reals weights(targets.size(), 0.0);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] != args.integer("ignoreIndex")) {
      const std::int64_t target = checked(targets[i], shape.classes);
      weights[i] = weight[static_cast<std::size_t>(target)];
      losses[i] = rounded_to(-x[shape.place(static_cast<std::int64_t>(i), target)] * weights[i], ACL_FLOAT);
    }
  }
  const double total = tree_sum(weights, ACL_FLOAT);
  if (args.integer("reduction") == kNone) {
    write_real(args.tensor("out"), losses);
  } else {
    const double sum = tree_sum(losses, ACL_FLOAT);
    write_real(args.tensor("out"), {args.integer("reduction") == kMean ? sum / total : sum});
  }
  write_real(args.tensor("totalWeightOut"), {total});
}

void check_nll_backward(const Args& args) { require_shape(args.tensor("out"), args.tensor("self").shape, "out"); }
void run_nll_backward(const Args& args) {
  const View& self = args.tensor("self");
  const Classes shape = classes_of(self);
  const Integers targets = read_integer(args.tensor("target"));
  const Reals weight = read_real(args.tensor("weight"));
  const Reals g = read_real(args.tensor("gradOutput"));
  const double total = read_real(args.tensor("totalWeight")).at(0);
  const std::int64_t reduction = args.integer("reduction");
  Reals gradient(static_cast<std::size_t>(self.count()), 0.0);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] != args.integer("ignoreIndex")) {
      const std::int64_t target = checked(targets[i], shape.classes);
      const double arriving = reduction == kNone ? g.at(i) : g.at(0);
      gradient[shape.place(static_cast<std::int64_t>(i), target)] =
          -weight[static_cast<std::size_t>(target)] * arriving / (reduction == kMean ? total : 1.0);
    }
  }
  write_real(args.tensor("out"), gradient);
}

// ---- cross entropy of (N, C) with class numbers

std::string reduction_text(const Args& args) { return args.has("reductionOptional") ? args.text("reductionOptional") : "mean"; }

void check_cross_entropy(const Args& args) {
  const View& input = args.tensor("input");
  require_shape(args.tensor("target"), {input.dim(0)}, "target");
  require_shape(args.tensor("logProbOut"), input.shape, "logProbOut");
  const std::string reduction = reduction_text(args);
  if (reduction != "mean" && reduction != "sum" && reduction != "none") {
    refuse("reduction '" + reduction + "' doesn't exist");
  }
  if (args.tensor("lossOut").count() != (reduction == "none" ? input.dim(0) : 1)) {
    refuse("'lossOut' has another number of elements");
  }
}
void run_cross_entropy(const Args& args) {
  const View& input = args.tensor("input");
  const auto classes = static_cast<std::size_t>(input.dim(1));
  Reals x = read_real(input);
  const Integers targets = read_integer(args.tensor("target"));
  const Reals weight = args.has("weightOptional") ? read_real(args.tensor("weightOptional")) : Reals(classes, 1.0);
  const double smoothing = args.real("labelSmoothing");
  Reals losses(targets.size(), 0.0);
  Reals weights(targets.size(), 0.0);
  for (std::size_t row = 0; row < targets.size(); ++row) {
    double* line = x.data() + row * classes;
    double high = line[0];
    for (std::size_t i = 1; i < classes; ++i) {
      high = std::fmax(high, line[i]);
    }
    Reals powers(classes);
    for (std::size_t i = 0; i < classes; ++i) {
      powers[i] = rounded_to(std::exp(line[i] - high), ACL_FLOAT);
    }
    const double logarithm = high + std::log(tree_sum(powers, ACL_FLOAT));
    double spread = 0.0;
    for (std::size_t i = 0; i < classes; ++i) {
      line[i] = rounded_to(line[i] - logarithm, ACL_FLOAT);
      spread -= line[i] * weight[i];
    }
    if (targets[row] != args.integer("ignoreIndex")) {
      const auto target = static_cast<std::size_t>(checked(targets[row], input.dim(1)));
      weights[row] = weight[target];
      losses[row] = (1.0 - smoothing) * -line[target] * weight[target] + smoothing * spread / static_cast<double>(classes);
    }
  }
  write_real(args.tensor("logProbOut"), x);
  const std::string reduction = reduction_text(args);
  if (reduction == "none") {
    return write_real(args.tensor("lossOut"), losses);
  }
  const double sum = tree_sum(losses, ACL_FLOAT);
  write_real(args.tensor("lossOut"), {reduction == "mean" ? sum / tree_sum(weights, ACL_FLOAT) : sum});
}

void check_cross_entropy_grad(const Args& args) {
  require_shape(args.tensor("out"), args.tensor("logProb").shape, "out");
  if (args.real("labelSmoothing") != 0.0) {
    refuse("label smoothing is not supported in the gradient");
  }
}
void run_cross_entropy_grad(const Args& args) {
  const View& log_prob = args.tensor("logProb");
  const auto classes = static_cast<std::size_t>(log_prob.dim(1));
  Reals x = read_real(log_prob);
  const Integers targets = read_integer(args.tensor("target"));
  const Reals weight = args.has("weightOptional") ? read_real(args.tensor("weightOptional")) : Reals(classes, 1.0);
  const Reals g = read_real(args.tensor("gradLoss"));
  double total = 0.0;
  for (const std::int64_t target : targets) {
    total += target == args.integer("ignoreIndex") ? 0.0 : weight[static_cast<std::size_t>(checked(target, log_prob.dim(1)))];
  }
  const std::string reduction = reduction_text(args);
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const bool ignored = targets[row] == args.integer("ignoreIndex");
    const double arriving = ignored ? 0.0 : (reduction == "none" ? g.at(row) : g.at(0)) / (reduction == "mean" ? total : 1.0);
    for (std::size_t i = 0; i < classes; ++i) {
      const bool hit = static_cast<std::int64_t>(i) == targets[row];
      const double scale = ignored ? 0.0 : weight[static_cast<std::size_t>(targets[row])];
      double& element = x[row * classes + i];
      element = arriving * scale * (std::exp(element) - (hit ? 1.0 : 0.0));
    }
  }
  write_real(args.tensor("out"), x);
}

const Kernel kKernels[] = {
    {"aclnnNLLLoss", check_nll, run_nll, kUsesWorkspace},
    {"aclnnNLLLoss2d", check_nll, run_nll, kUsesWorkspace},
    {"aclnnNLLLossBackward", check_nll_backward, run_nll_backward},
    {"aclnnNLLLoss2dBackward", check_nll_backward, run_nll_backward},
    {"aclnnCrossEntropyLoss", check_cross_entropy, run_cross_entropy, kUsesWorkspace},
    {"aclnnCrossEntropyLossGrad", check_cross_entropy_grad, run_cross_entropy_grad, kUsesWorkspace},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
