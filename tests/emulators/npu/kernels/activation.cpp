// Activations with parameters, and the gradients of all of them.
#include <cmath>

#include "kernels/access.hpp"
#include "kernels/special.hpp"

namespace assay::emulator {
namespace {

// What a formula may need beside its elements.
struct Settings {
  double a = 0;
  double b = 0;
  double c = 0;
  bool flag = false;
};

double scalar_or(const Args& args, const char* name, double otherwise) {
  return args.has(name) ? args.scalar(name).real : otherwise;
}

double keep_nan(double x, double result) { return std::isnan(x) ? x : result; }

// ---- forward

struct Forward {
  const char* name;
  double (*f)(double x, const Settings& s);
  Settings (*settings)(const Args& args);
};

const std::vector<Forward> kForward = {
    {"aclnnLeakyRelu", [](double x, const Settings& s) { return x > 0.0 ? x : x * s.a; },
     [](const Args& a) { return Settings{a.scalar("negativeSlope").real}; }},
    {"aclnnElu", [](double x, const Settings& s) { return x > 0.0 ? s.b * x : s.b * s.a * std::expm1(s.c * x); },
     [](const Args& a) {
       return Settings{a.scalar("alpha").real, a.scalar("scale").real, a.scalar("inputScale").real};
     }},
    {"aclnnCelu",
     [](double x, const Settings& s) { return keep_nan(x, std::fmax(x, 0.0) + std::fmin(0.0, s.a * std::expm1(x / s.a))); },
     [](const Args& a) { return Settings{a.scalar("alpha").real}; }},
    {"aclnnSwish", [](double x, const Settings& s) { return x * sigmoid(s.a * x); },
     [](const Args& a) { return Settings{scalar_or(a, "betaOptional", 1.0)}; }},
    {"aclnnGeluV2", [](double x, const Settings& s) { return s.flag ? gelu_tanh(x) : gelu_erf(x); },
     [](const Args& a) {
       return Settings{0, 0, 0, a.integer("approximate") == 1};
     }},
    {"aclnnHardtanh", [](double x, const Settings& s) { return keep_nan(x, std::fmin(std::fmax(x, s.a), s.b)); },
     [](const Args& a) {
       return Settings{a.scalar("clipValueMin").real, a.scalar("clipValueMax").real};
     }},
    {"aclnnHardshrink", [](double x, const Settings& s) { return x >= -s.a && x <= s.a ? 0.0 : x; },
     [](const Args& a) { return Settings{a.scalar("lambd").real}; }},
    {"aclnnSoftshrink", [](double x, const Settings& s) { return x > s.a    ? x - s.a
                                                                 : x < -s.a ? x + s.a
                                                                            : x * 0.0; },
     [](const Args& a) { return Settings{a.scalar("lambd").real}; }},
    {"aclnnSoftplus", [](double x, const Settings& s) { return x * s.a > s.b ? x : softplus(x * s.a) / s.a; },
     [](const Args& a) {
       return Settings{a.scalar("beta").real, a.scalar("threshold").real};
     }},
    {"aclnnThreshold", [](double x, const Settings& s) { return x <= s.a ? s.b : x; },
     [](const Args& a) {
       return Settings{a.scalar("threshold").real, a.scalar("value").real};
     }},
};

void check_forward(const Args& args) { require_shape(args.tensor_at(args.items().size() - 1), args.tensor_at(0).shape, "out"); }

const View& last_tensor(const Args& args) { return args.tensor_at(args.items().size() - 1); }

void run_forward(const Args& args) {
  const auto& forward = args.data<Forward>();
  const Settings settings = forward.settings(args);
  Reals values = read_real(args.tensor_at(0));
  for (double& value : values) {
    value = forward.f(value, settings);
  }
  write_real(last_tensor(args), values);
}

// ---- backward: gradient and one tensor of the forward

struct Backward {
  const char* name;
  const char* with;  // the tensor of the forward, input or output
  double (*f)(double g, double x, const Settings& s);
  Settings (*settings)(const Args& args);
};

Settings none(const Args&) { return {}; }

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

double mish_slope(double x) {
  const double t = std::tanh(softplus(x));
  return t + x * (1.0 - t * t) * sigmoid(x);
}

double elu_slope(double x, const Settings& s) {
  if (x > 0.0) {
    return s.b;
  }
  return s.flag ? s.c * (x + s.a * s.b) : s.c * s.a * s.b * std::exp(x * s.c);
}

const std::vector<Backward> kBackward = {
    {"aclnnLeakyReluBackward", "self", [](double g, double x, const Settings& s) { return x > 0.0 ? g : g * s.a; },
     [](const Args& a) { return Settings{a.scalar("negativeSlope").real}; }},
    {"aclnnEluBackward", "selfOrResult", [](double g, double x, const Settings& s) { return g * elu_slope(x, s); },
     [](const Args& a) {
       return Settings{a.scalar("alpha").real, a.scalar("scale").real, a.scalar("inputScale").real, a.flag("isResult")};
     }},
    {"aclnnSeluBackward", "result",
     [](double g, double y, const Settings&) { return g * (y > 0.0 ? kSeluScale : y + kSeluScale * kSeluAlpha); }, none},
    {"aclnnSigmoidBackward", "output", [](double g, double y, const Settings&) { return g * y * (1.0 - y); }, none},
    {"aclnnTanhBackward", "output", [](double g, double y, const Settings&) { return g * (1.0 - y * y); }, none},
    {"aclnnSiluBackward", "self",
     [](double g, double x, const Settings&) { return g * sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))); }, none},
    {"aclnnSwishBackward", "self",
     [](double g, double x, const Settings& s) {
       const double t = sigmoid(s.a * x);
       return g * (t + s.a * x * t * (1.0 - t));
     },
     [](const Args& a) { return Settings{scalar_or(a, "betaOptional", 1.0)}; }},
    {"aclnnMishBackward", "self", [](double g, double x, const Settings&) { return g * mish_slope(x); }, none},
    {"aclnnGeluBackward", "self", [](double g, double x, const Settings&) { return g * gelu_tanh_slope(x); }, none},
    {"aclnnGeluBackwardV2", "self",
     [](double g, double x, const Settings& s) { return g * (s.flag ? gelu_tanh_slope(x) : gelu_erf_slope(x)); },
     [](const Args& a) {
       return Settings{0, 0, 0, a.text("approximate") == "tanh"};
     }},
    {"aclnnFastGeluBackward", "self",
     [](double g, double x, const Settings&) {
       const double t = sigmoid(1.702 * x);
       return g * (t + 1.702 * x * t * (1.0 - t));
     },
     none},
    {"aclnnHardtanhBackward", "self", [](double g, double x, const Settings& s) { return x <= s.a || x >= s.b ? 0.0 : g; },
     [](const Args& a) {
       return Settings{a.scalar("min").real, a.scalar("max").real};
     }},
    {"aclnnHardsigmoidBackward", "self", [](double g, double x, const Settings&) { return x > -3.0 && x < 3.0 ? g / 6.0 : 0.0; },
     none},
    {"aclnnHardswishBackward", "self",
     [](double g, double x, const Settings&) { return x < -3.0   ? 0.0
                                                      : x <= 3.0 ? g * (x / 3.0 + 0.5)
                                                                 : g; }, none},
    {"aclnnHardshrinkBackward", "self", [](double g, double x, const Settings& s) { return x >= -s.a && x <= s.a ? 0.0 : g; },
     [](const Args& a) { return Settings{std::fmax(0.0, a.scalar("lambd").real)}; }},
    {"aclnnSoftshrinkBackward", "self", [](double g, double x, const Settings& s) { return x >= -s.a && x <= s.a ? 0.0 : g; },
     [](const Args& a) { return Settings{a.scalar("lambda").real}; }},
    {"aclnnSoftplusBackward", "self",
     [](double g, double x, const Settings& s) { return x * s.a > s.b ? g : g * sigmoid(x * s.a); },
     [](const Args& a) {
       return Settings{a.scalar("beta").real, a.scalar("threshold").real};
     }},
    {"aclnnLogSigmoidBackward", "self", [](double g, double x, const Settings&) { return g * sigmoid(-x); }, none},
    {"aclnnThresholdBackward", "self", [](double g, double x, const Settings& s) { return x <= s.a ? 0.0 : g; },
     [](const Args& a) { return Settings{a.scalar("threshold").real}; }},
};

void check_backward(const Args& args) {
  const auto& backward = args.data<Backward>();
  const Shape shape = broadcast_shapes(args.tensor("gradOutput").shape, args.tensor(backward.with).shape);
  require_shape(last_tensor(args), shape, "the gradient");
}

void run_backward(const Args& args) {
  const auto& backward = args.data<Backward>();
  const View& out = last_tensor(args);
  const Settings settings = backward.settings(args);
  Reals values = read_real(args.tensor("gradOutput"), out.shape);
  const Reals with = read_real(args.tensor(backward.with), out.shape);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = backward.f(values[i], with[i], settings);
  }
  write_real(out, values);
}

// ---- those with a second output or a weight for each channel

void check_log_sigmoid(const Args& args) { require_shape(args.tensor("out"), args.tensor("self").shape, "out"); }
void run_log_sigmoid(const Args& args) {
  Reals values = read_real(args.tensor("self"));
  Reals buffer(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    buffer[i] = std::exp(-std::fabs(values[i]));
    values[i] = log_sigmoid(values[i]);
  }
  write_real(args.tensor("out"), values);
  if (static_cast<std::size_t>(args.tensor("buffer").count()) == buffer.size()) {
    write_real(args.tensor("buffer"), buffer);
  }
}

// The weight as a tensor that broadcasts over the second dimension.
View channel_weight(const View& weight, const View& self) {
  View result = weight;
  result.shape.assign(self.rank(), 1);
  result.strides.assign(self.rank(), 0);
  const std::size_t axis = self.rank() > 1 ? 1 : 0;
  if (weight.count() != 1 && self.rank() > 0) {
    result.shape[axis] = weight.count();
    result.strides[axis] = weight.rank() > 0 ? weight.strides.back() : 0;
  }
  return broadcast(result, self.shape);
}

void check_prelu(const Args& args) {
  require_shape(args.tensor("out"), args.tensor("self").shape, "out");
  channel_weight(args.tensor("weight"), args.tensor("self"));
}
void run_prelu(const Args& args) {
  const View& self = args.tensor("self");
  Reals values = read_real(self);
  const Reals weight = read_real(channel_weight(args.tensor("weight"), self));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = values[i] > 0.0 ? values[i] : weight[i] * values[i];
  }
  write_real(args.tensor("out"), values);
}
void check_prelu_backward(const Args& args) {
  require_shape(args.tensor("gradInput"), args.tensor("self").shape, "gradInput");
  if (args.tensor("gradWeight").count() != args.tensor("weight").count()) {
    refuse("'gradWeight' has another size than 'weight'");
  }
}
void run_prelu_backward(const Args& args) {
  const View& self = args.tensor("self");
  const Reals x = read_real(self);
  const Reals g = read_real(args.tensor("gradOutput"), self.shape);
  const Reals weight = read_real(channel_weight(args.tensor("weight"), self));
  const auto channels = static_cast<std::size_t>(args.tensor("weight").count());
  std::size_t inner = 1;
  for (std::size_t i = 2; i < self.rank(); ++i) {
    inner *= static_cast<std::size_t>(self.shape[i]);
  }
  Reals gradient(x.size());
  Reals sums(channels, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    gradient[i] = x[i] > 0.0 ? g[i] : weight[i] * g[i];
    double& sum = sums[channels == 1 ? 0 : i / inner % channels];
    sum = rounded_to(sum + (x[i] > 0.0 ? 0.0 : x[i] * g[i]), ACL_FLOAT);
  }
  write_real(args.tensor("gradInput"), gradient);
  write_real(args.tensor("gradWeight"), sums);
}

std::vector<Kernel> kernels() {
  std::vector<Kernel> result = {
      {"aclnnLogSigmoidForward", check_log_sigmoid, run_log_sigmoid},
      {"aclnnPrelu", check_prelu, run_prelu},
      {"aclnnPreluBackward", check_prelu_backward, run_prelu_backward, kUsesWorkspace},
  };
  for (const Forward& forward : kForward) {
    result.push_back({forward.name, check_forward, run_forward, 0, &forward});
  }
  for (const Backward& backward : kBackward) {
    result.push_back({backward.name, check_backward, run_backward, 0, &backward});
  }
  return result;
}
const std::vector<Kernel> kKernels = kernels();
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
