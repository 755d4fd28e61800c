// Fused attention, forward and backward, and rotary positions.
#include <cmath>
#include <limits>

#include "kernels/cube.hpp"
#include "kernels/vector_unit.hpp"

namespace assay::emulator {
namespace {

// query, key or value as [batch, heads, sequence, size] whatever the layout.
View as_bnsd(const View& view, const std::string& layout, std::int64_t heads) {
  View result = view;
  const auto set = [&](std::size_t b, std::size_t s) {
    const std::int64_t size = view.shape[2] / heads;
    result.shape = {view.shape[b], heads, view.shape[s], size};
    result.strides = {view.strides[b], size * view.strides[2], view.strides[s], view.strides[2]};
  };
  if (layout == "BNSD" && view.rank() == 4) {
    return result;
  }
  if (layout == "BSND" && view.rank() == 4) {
    std::swap(result.shape[1], result.shape[2]);
    std::swap(result.strides[1], result.strides[2]);
  } else if (layout == "BSH" && view.rank() == 3) {
    set(0, 1);
  } else if (layout == "SBH" && view.rank() == 3) {
    set(1, 0);
  } else {
    refuse("layout '" + layout + "' doesn't fit a tensor of rank " + std::to_string(view.rank()));
  }
  return result;
}

struct Problem {
  View query;
  View key;
  View value;
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t group = 1;  // heads of query for each of key and value
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t size = 0;
};

Problem problem(const Args& args, const char* key_name) {
  const std::string& layout = args.text("inputLayout");
  const std::int64_t heads = args.integer("headNum");
  if (heads <= 0) {
    refuse("'headNum' must be positive");
  }
  Problem p;
  p.query = as_bnsd(args.tensor("query"), layout, heads);
  p.batch = p.query.shape[0];
  p.heads = heads;
  p.rows = p.query.shape[2];
  p.size = p.query.shape[3];
  const View& key = args.tensor(key_name);
  const std::int64_t key_heads = key.rank() == 3 && p.size > 0 ? key.shape[2] / p.size : heads;
  p.key = as_bnsd(key, layout, std::max<std::int64_t>(key_heads, 1));
  p.value = as_bnsd(args.tensor("value"), layout, std::max<std::int64_t>(key_heads, 1));
  p.columns = p.key.shape[2];
  const std::int64_t shared = p.key.shape[1];
  if (p.query.shape[1] != heads || shared == 0 || heads % shared != 0 || p.key.shape[3] != p.size ||
      p.value.shape[2] != p.columns) {
    refuse("query, key and value don't fit together");
  }
  p.group = heads / shared;
  if (args.real("keepProb") != 1.0) {
    refuse("dropout inside attention is not emulated");
  }
  return p;
}

// Which places a row must not see, true = masked.
std::vector<bool> mask_of(const Args& args, const Problem& p, std::int64_t batch, std::int64_t head) {
  std::vector<bool> masked(static_cast<std::size_t>(p.rows * p.columns), false);
  const std::int64_t mode = args.integer("sparseMode");
  Integers mask;
  if (args.has("attenMaskOptional") && mode <= 1) {
    const View all = broadcast(args.tensor("attenMaskOptional"), {p.batch, p.heads, p.rows, p.columns});
    View one = all;
    one.shape = {p.rows, p.columns};
    one.strides = {all.strides[2], all.strides[3]};
    one.data += (batch * all.strides[0] + head * all.strides[1]) * static_cast<std::int64_t>(item_size(all.dtype));
    mask = read_integer(one);
  }
  const bool has_mask = args.has("attenMaskOptional");
  for (std::int64_t i = 0; i < p.rows; ++i) {
    for (std::int64_t j = 0; j < p.columns; ++j) {
      bool hidden = false;
      if (mode == 2) {
        hidden = j > i;
      } else if (mode == 3) {
        hidden = j > i + p.columns - p.rows;
      } else if (mode == 4) {
        hidden = j > i + p.columns - p.rows + args.integer("nextTokens") || j < i + p.columns - p.rows - args.integer("preTokens");
      } else if (!mask.empty()) {
        hidden = mask[static_cast<std::size_t>(i * p.columns + j)] != 0;
      }
      // Mode 0 with a mask looks at the two limits as well.
      if (mode == 0 && has_mask) {
        hidden = hidden || j - i > args.integer("nextTokens") || i - j > args.integer("preTokens");
      }
      masked[static_cast<std::size_t>(i * p.columns + j)] = hidden;
    }
  }
  return masked;
}

View head_view(const View& view, std::int64_t batch, std::int64_t head) {
  View part = view;
  part.shape = {view.shape[2], view.shape[3]};
  part.strides = {view.strides[2], view.strides[3]};
  part.data += (batch * view.strides[0] + head * view.strides[1]) * static_cast<std::int64_t>(item_size(view.dtype));
  return part;
}

using Floats = std::vector<float>;

Floats one_head(const View& view, std::int64_t batch, std::int64_t head, const CubeMode& mode) {
  return cube_input(head_view(view, batch, head), mode);
}

Floats turned(const Floats& matrix, std::int64_t rows, std::int64_t columns) {
  Floats result(matrix.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      result[static_cast<std::size_t>(j * rows + i)] = matrix[static_cast<std::size_t>(i * columns + j)];
    }
  }
  return result;
}

// The attention weights of one head, with each row's maximum and sum.
struct Weights {
  Floats weights;
  Reals maxima;
  Reals sums;
};
Weights weights_of(const Args& args, const Problem& p, std::int64_t batch, std::int64_t head, const CubeMode& mode) {
  const Floats q = one_head(p.query, batch, head, mode);
  const Floats k = one_head(p.key, batch, head / p.group, mode);
  Weights result;
  result.weights = cube_product(q, turned(k, p.columns, p.size), p.rows, p.size, p.columns, mode);
  const std::vector<bool> masked = mask_of(args, p, batch, head);
  const auto columns = static_cast<std::size_t>(p.columns);
  for (std::size_t row = 0; row < static_cast<std::size_t>(p.rows); ++row) {
    float* line = result.weights.data() + row * columns;
    double high = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < columns; ++i) {
      line[i] =
          masked[row * columns + i] ? std::numeric_limits<float>::lowest() : static_cast<float>(line[i] * args.real("scaleValue"));
      high = std::fmax(high, line[i]);
    }
    Reals powers(columns);
    for (std::size_t i = 0; i < columns; ++i) {
      powers[i] = static_cast<float>(std::exp(line[i] - high));
    }
    const double sum = tree_sum(powers, ACL_FLOAT);
    for (std::size_t i = 0; i < columns; ++i) {
      line[i] = static_cast<float>(powers[i] / sum);
    }
    result.maxima.push_back(high);
    result.sums.push_back(sum);
  }
  return result;
}

// What the cube multiplies next is of the input's dtype again.
void narrow(Floats& values, aclDataType dtype) {
  for (float& value : values) {
    value = static_cast<float>(rounded_to(value, dtype));
  }
}
Reals doubles(const Floats& values) { return {values.begin(), values.end()}; }
CubeMode mode_of(const Problem& p) { return cube_mode(0, p.query.dtype); }

void check_forward(const Args& args) {
  const Problem p = problem(args, "key");
  require_shape(args.tensor("attentionOutOut"), args.tensor("query").shape, "attentionOutOut");
  for (const char* name : {"softmaxMaxOut", "softmaxSumOut"}) {
    require_shape(args.tensor(name), {p.batch, p.heads, p.rows, 8}, name);
  }
}
void run_forward(const Args& args) {
  const Problem p = problem(args, "key");
  const CubeMode mode = mode_of(p);
  const View out = as_bnsd(args.tensor("attentionOutOut"), args.text("inputLayout"), p.heads);
  Reals maxima;
  Reals sums;
  std::vector<Reals> results;
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    for (std::int64_t head = 0; head < p.heads; ++head) {
      Weights w = weights_of(args, p, batch, head, mode);
      narrow(w.weights, p.query.dtype);
      results.push_back(doubles(
          cube_product(w.weights, one_head(p.value, batch, head / p.group, mode), p.rows, p.columns, p.value.shape[3], mode)));
      for (std::size_t row = 0; row < w.sums.size(); ++row) {
        maxima.insert(maxima.end(), 8, w.maxima[row]);
        sums.insert(sums.end(), 8, w.sums[row]);
      }
    }
  }
  for (std::int64_t i = 0; i < p.batch * p.heads; ++i) {
    write_real(head_view(out, i / p.heads, i % p.heads), results[static_cast<std::size_t>(i)]);
  }
  write_real(args.tensor("softmaxMaxOut"), maxima);
  write_real(args.tensor("softmaxSumOut"), sums);
}

void check_backward(const Args& args) {
  problem(args, "keyIn");
  require_shape(args.tensor("dqOut"), args.tensor("query").shape, "dqOut");
  require_shape(args.tensor("dkOut"), args.tensor("keyIn").shape, "dkOut");
  require_shape(args.tensor("dvOut"), args.tensor("value").shape, "dvOut");
  for (const char* name : {"softmaxMaxOptional", "softmaxSumOptional", "attentionInOptional"}) {
    if (!args.has(name)) {
      throw Refused(ACLNN_ERR_PARAM_NULLPTR, std::string("'") + name + "' must not be null");
    }
  }
}
void add(Floats& sums, const Floats& values) {
  sums.resize(values.size(), 0.0F);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[i] += values[i];
  }
}
void run_backward(const Args& args) {
  const Problem p = problem(args, "keyIn");
  const CubeMode mode = mode_of(p);
  const std::string& layout = args.text("inputLayout");
  const View dy = as_bnsd(args.tensor("dy"), layout, p.heads);
  const std::int64_t shared = p.heads / p.group;
  const View dq = as_bnsd(args.tensor("dqOut"), layout, p.heads);
  const View dk = as_bnsd(args.tensor("dkOut"), layout, shared);
  const View dv = as_bnsd(args.tensor("dvOut"), layout, shared);
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    std::vector<Floats> key_sums(static_cast<std::size_t>(shared));
    std::vector<Floats> value_sums(static_cast<std::size_t>(shared));
    for (std::int64_t head = 0; head < p.heads; ++head) {
      const auto of = static_cast<std::size_t>(head / p.group);
      const Weights w = weights_of(args, p, batch, head, mode);
      const Floats g = one_head(dy, batch, head, mode);
      const Floats v = one_head(p.value, batch, head / p.group, mode);
      Floats narrowed = w.weights;
      narrow(narrowed, p.query.dtype);
      const std::int64_t width = p.value.shape[3];
      add(value_sums[of], cube_product(turned(narrowed, p.rows, p.columns), g, p.columns, p.rows, width, mode));
      Floats slope = cube_product(g, turned(v, p.columns, width), p.rows, width, p.columns, mode);
      for (std::int64_t row = 0; row < p.rows; ++row) {
        Reals products(static_cast<std::size_t>(p.columns));
        float* line = slope.data() + row * p.columns;
        const float* weights = w.weights.data() + row * p.columns;
        for (std::int64_t i = 0; i < p.columns; ++i) {
          products[static_cast<std::size_t>(i)] = line[i] * weights[i];
        }
        const auto sum = static_cast<float>(tree_sum(products, ACL_FLOAT));
        for (std::int64_t i = 0; i < p.columns; ++i) {
          line[i] = static_cast<float>((line[i] - sum) * weights[i] * args.real("scaleValue"));
        }
      }
      narrow(slope, p.query.dtype);
      const Floats q = one_head(p.query, batch, head, mode);
      const Floats k = one_head(p.key, batch, head / p.group, mode);
      add(key_sums[of], cube_product(turned(slope, p.rows, p.columns), q, p.columns, p.rows, p.size, mode));
      write_real(head_view(dq, batch, head), doubles(cube_product(slope, k, p.rows, p.columns, p.size, mode)));
    }
    for (std::int64_t head = 0; head < shared; ++head) {
      write_real(head_view(dk, batch, head), doubles(key_sums[static_cast<std::size_t>(head)]));
      write_real(head_view(dv, batch, head), doubles(value_sums[static_cast<std::size_t>(head)]));
    }
  }
}

// ---- rotary positions: 0 turns the halves against each other, 1 neighbours

std::size_t partner(std::size_t i, std::size_t n, std::int64_t mode) { return mode == 0 ? (i + n / 2) % n : i ^ 1U; }
double sign(std::size_t i, std::size_t n, std::int64_t mode) { return (mode == 0 ? i < n / 2 : i % 2 == 0) ? -1.0 : 1.0; }

void rotate(const View& x, const View& cosines, const View& sines, std::int64_t mode, const View& out) {
  const Reals values = read_real(x);
  const Reals c = read_real(cosines, x.shape);
  const Reals s = read_real(sines, x.shape);
  const auto n = static_cast<std::size_t>(x.dim(-1));
  Reals result(values.size());
  for (std::size_t first = 0; n > 0 && first < values.size(); first += n) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = partner(i, n, mode);
      result[first + i] = values[first + i] * c[first + i] + sign(i, n, mode) * values[first + j] * s[first + i];
    }
  }
  write_real(out, result);
}
void check_rotary_shapes(const Args& args, const View& x) {
  if (x.dim(-1) % 2 != 0) {
    refuse("the last dimension must be even");
  }
  if (args.integer("mode") < 0 || args.integer("mode") > 1) {
    refuse("only modes 0 and 1 are emulated");
  }
  broadcast(args.tensor("cos"), x.shape);
  broadcast(args.tensor("sin"), x.shape);
}
void check_rotary(const Args& args) {
  check_rotary_shapes(args, args.tensor("x"));
  require_shape(args.tensor("out"), args.tensor("x").shape, "out");
}
void run_rotary(const Args& args) {
  rotate(args.tensor("x"), args.tensor("cos"), args.tensor("sin"), args.integer("mode"), args.tensor("out"));
}
void check_apply(const Args& args) {
  for (const char* name : {"queryRef", "keyRef"}) {
    broadcast(args.tensor("cos"), args.tensor(name).shape);
    if (args.tensor(name).dim(-1) != 64 && args.tensor(name).dim(-1) != 128) {
      refuse("the last dimension must be 64 or 128");
    }
  }
}
void run_apply(const Args& args) {
  for (const char* name : {"queryRef", "keyRef"}) {
    rotate(args.tensor(name), args.tensor("cos"), args.tensor("sin"), 0, args.tensor(name));
  }
}

const Kernel kKernels[] = {
    {"aclnnFlashAttentionScore", check_forward, run_forward, kUsesWorkspace},
    {"aclnnFlashAttentionScoreGrad", check_backward, run_backward, kUsesWorkspace},
    {"aclnnRotaryPositionEmbedding", check_rotary, run_rotary},
    {"aclnnApplyRotaryPosEmb", check_apply, run_apply},
};
const RegisterKernels kRegister(kKernels);

}  // namespace
}  // namespace assay::emulator
