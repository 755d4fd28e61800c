// Normalisation over the batch, channel by channel.
#include <cmath>

#include "kernels/access.hpp"
#include "kernels/output_mask.hpp"
#include "kernels/vector_unit.hpp"

namespace assay::emulator {
namespace {

float single(double value) { return static_cast<float>(value); }

// The elements of (N, C, ...) channel by channel.
View channels_first(const View& view) {
  View result = view;
  if (view.rank() > 1) {
    std::swap(result.shape[0], result.shape[1]);
    std::swap(result.strides[0], result.strides[1]);
  }
  return result;
}

struct Channels {
  std::size_t count;
  std::size_t length;  // elements of one
};
Channels channels_of(const View& view) {
  const auto count = static_cast<std::size_t>(view.dim(1));
  return {count, count == 0 ? 0 : static_cast<std::size_t>(view.count()) / count};
}

Reals per_channel(const Args& args, const char* name, std::size_t count, double otherwise) {
  return args.has(name) ? read_real(args.tensor(name)) : Reals(count, otherwise);
}

struct Statistics {
  Reals mean;
  Reals variance;
};
Statistics statistics(const Reals& values, const Channels& c) {
  Statistics result;
  Reals squares(c.length);
  for (std::size_t channel = 0; channel < c.count; ++channel) {
    const double* row = values.data() + channel * c.length;
    const double mean = single(tree_sum(row, c.length, 1, ACL_FLOAT) / static_cast<double>(c.length));
    for (std::size_t i = 0; i < c.length; ++i) {
      const double distance = single(row[i] - mean);
      squares[i] = single(distance * distance);
    }
    result.mean.push_back(mean);
    result.variance.push_back(single(tree_sum(squares, ACL_FLOAT) / static_cast<double>(c.length)));
  }
  return result;
}

Reals inverse_roots(const Reals& variance, double eps) {
  Reals result;
  for (const double value : variance) {
    result.push_back(single(1.0 / std::sqrt(single(value + eps))));
  }
  return result;
}

void normalise(Reals& values, const Channels& c, const Reals& mean, const Reals& invstd, const Reals& weight, const Reals& bias) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = i / c.length;
    values[i] = single(single(values[i] - mean[channel]) * invstd[channel]) * weight[channel] + bias[channel];
  }
}

void check_forward(const Args& args) {
  const View& input = args.tensor("input");
  if (input.rank() < 2) {
    refuse("'input' must have two dimensions or more");
  }
  require_shape(args.tensor("output"), input.shape, "output");
  for (const char* name : {"weight", "bias", "runningMean", "runningVar"}) {
    if (args.has(name)) {
      require_shape(args.tensor(name), {input.dim(1)}, name);
    }
  }
  if (!args.flag("training") && (!args.has("runningMean") || !args.has("runningVar"))) {
    throw Refused(ACLNN_ERR_PARAM_NULLPTR, "running statistics are null though it is not training");
  }
}
void run_forward(const Args& args) {
  const View& input = args.tensor("input");
  const Channels c = channels_of(input);
  Reals values = read_real(channels_first(input));
  const Reals weight = per_channel(args, "weight", c.count, 1.0);
  const Reals bias = per_channel(args, "bias", c.count, 0.0);
  Statistics s;
  if (args.flag("training")) {
    s = statistics(values, c);
  } else {
    s = {read_real(args.tensor("runningMean")), read_real(args.tensor("runningVar"))};
  }
  const Reals invstd = inverse_roots(s.variance, args.real("eps"));
  normalise(values, c, s.mean, invstd, weight, bias);
  write_real(channels_first(args.tensor("output")), values);
  if (!args.flag("training")) {
    return;
  }
  write_real(args.tensor("saveMean"), s.mean);
  write_real(args.tensor("saveInvstd"), invstd);
  const double momentum = args.real("momentum");
  const double unbias = c.length > 1 ? static_cast<double>(c.length) / static_cast<double>(c.length - 1) : 1.0;
  const auto update = [&](const char* name, const Reals& fresh, double factor) {
    if (args.has(name)) {
      Reals running = read_real(args.tensor(name));
      for (std::size_t i = 0; i < running.size(); ++i) {
        running[i] = single(running[i] * (1.0 - momentum)) + single(fresh[i] * factor * momentum);
      }
      write_real(args.tensor(name), running);
    }
  };
  update("runningMean", s.mean, 1.0);
  update("runningVar", s.variance, unbias);
}

void check_backward(const Args& args) {
  require_shape(args.tensor("gradOut"), args.tensor("input").shape, "gradOut");
  check_output_mask(args, {"gradInput", "gradWeight", "gradBias"});
}
void run_backward(const Args& args) {
  const View& input = args.tensor("input");
  const Channels c = channels_of(input);
  const Reals x = read_real(channels_first(input));
  const Reals g = read_real(channels_first(args.tensor("gradOut")));
  const bool training = args.flag("training");
  const Reals mean = read_real(args.tensor(training ? "saveMean" : "runningMean"));
  const Reals invstd =
      training ? read_real(args.tensor("saveInvstd")) : inverse_roots(read_real(args.tensor("runningVar")), args.real("eps"));
  const Reals weight = per_channel(args, "weight", c.count, 1.0);
  Reals gradient(x.size());
  Reals weight_sums;
  Reals bias_sums;
  Reals products(c.length);
  for (std::size_t channel = 0; channel < c.count; ++channel) {
    const std::size_t first = channel * c.length;
    for (std::size_t i = 0; i < c.length; ++i) {
      products[i] = single(g[first + i] * single(single(x[first + i] - mean[channel]) * invstd[channel]));
    }
    const double bias_sum = tree_sum(g.data() + first, c.length, 1, ACL_FLOAT);
    const double weight_sum = tree_sum(products, ACL_FLOAT);
    const auto n = static_cast<double>(c.length);
    for (std::size_t i = 0; i < c.length; ++i) {
      const double normal = single(single(x[first + i] - mean[channel]) * invstd[channel]);
      const double centred = training ? g[first + i] - bias_sum / n - normal * weight_sum / n : g[first + i];
      gradient[first + i] = centred * invstd[channel] * weight[channel];
    }
    weight_sums.push_back(weight_sum);
    bias_sums.push_back(bias_sum);
  }
  if (wanted(args, 0)) {
    write_real(channels_first(args.tensor("gradInput")), gradient);
  }
  if (wanted(args, 1)) {
    write_real(args.tensor("gradWeight"), weight_sums);
  }
  if (wanted(args, 2)) {
    write_real(args.tensor("gradBias"), bias_sums);
  }
}

void check_stats(const Args& args) {
  require_shape(args.tensor("mean"), {args.tensor("input").dim(1)}, "mean");
  require_shape(args.tensor("invstd"), {args.tensor("input").dim(1)}, "invstd");
}
void run_stats(const Args& args) {
  const View& input = args.tensor("input");
  const Statistics s = statistics(read_real(channels_first(input)), channels_of(input));
  write_real(args.tensor("mean"), s.mean);
  write_real(args.tensor("invstd"), inverse_roots(s.variance, args.real("eps")));
}
void check_elemt(const Args& args) { require_shape(args.tensor("output"), args.tensor("input").shape, "output"); }
void run_elemt(const Args& args) {
  const View& input = args.tensor("input");
  const Channels c = channels_of(input);
  Reals values = read_real(channels_first(input));
  normalise(values, c, read_real(args.tensor("mean")), read_real(args.tensor("invstd")), per_channel(args, "weight", c.count, 1.0),
            per_channel(args, "bias", c.count, 0.0));
  write_real(channels_first(args.tensor("output")), values);
}

const Kernel kKernels[] = {
    {"aclnnBatchNorm", check_forward, run_forward, kUsesWorkspace},
    {"aclnnBatchNormBackward", check_backward, run_backward, kUsesWorkspace},
    {"aclnnBatchNormStats", check_stats, run_stats, kUsesWorkspace},
    {"aclnnBatchNormElemt", check_elemt, run_elemt},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
