// Every operator with a backward against LibTorch: a composition of its functions in float64, differentiated by autograd. Larger
// tensors than the formulas are tested on, and masked, empty and extreme ones.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <map>

#include "operator_under_test.hpp"

namespace assay::testing {
namespace {

using Tensors = std::vector<at::Tensor>;
/// The first output from the floating-point tensors of the call.
using Composition = std::function<at::Tensor(const Tensors&)>;

at::Tensor to_torch(const Tensor& tensor) {
  const TensorView view = tensor.view();
  at::Tensor out = at::empty(view.shape(), at::kDouble);
  for (std::int64_t i = 0; i < view.numel(); ++i) out.data_ptr<double>()[i] = view.number_at(i);
  return out;
}

Reals reals_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().contiguous();
  const double* data = flat.data_ptr<double>();
  return {data, data + flat.numel()};
}

const OperatorUnderTest& plugin(const std::string& id) {
  static std::map<std::string, OperatorUnderTest> loaded;
  return loaded.try_emplace(id, "assay.fused-" + id).first->second;
}

/// Output 0 is the composition's, and every gradient autograd's.
void expect_autograd(const OperatorUnderTest& op, Call call, const Composition& composition) {
  Tensors inputs;
  for (const auto& [path, tensor] : call.tensors()) inputs.push_back(to_torch(*tensor).requires_grad_());
  const at::Tensor expected = composition(inputs);
  const Answer forward = op.forward(call);
  ASSERT_EQ(forward.status, ASSAY_OK) << forward.message;
  EXPECT_EQ(forward.outputs.at(0).shape, expected.sizes().vec());
  expect_close(forward.outputs[0].values, reals_of(expected), call.api);

  const Tensor arriving = drawn(forward.outputs[0].shape, 77);
  const Tensors gradients = torch::autograd::grad({expected}, inputs, {to_torch(arriving)}, false, false, true);
  const Answer backward = op.backward(call, {arriving});
  ASSERT_EQ(backward.status, ASSAY_OK) << backward.message;
  const auto tensors = call.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Answer::Item* gradient = backward.gradient(tensors[i].first);
    ASSERT_NE(gradient, nullptr) << tensors[i].first;
    const at::Tensor reference = gradients[i].defined() ? gradients[i] : at::zeros_like(inputs[i]);
    expect_close(gradient->values, reals_of(reference), call.api + " gradient of argument " + tensors[i].first);
  }
}

TEST(FusedAutograd, Activations) {
  const auto& op = plugin("activations");
  for (const Tensor& x : {drawn({7, 33}, 1, -9, 9), drawn({0, 4}, 1), doubles({7}, {0, 1e-300, 1e-8, 50, -50, 700, -700})}) {
    expect_autograd(op, {"NPU.npu_fast_gelu", {x}, {}}, [](const Tensors& in) { return in[0] * at::sigmoid(1.702 * in[0]); });
    expect_autograd(op, {"NPU.npu_mish", {x}, {}}, [](const Tensors& in) { return at::mish(in[0]); });
  }
  for (const std::int64_t dim : {0, 1, -1}) {
    const auto swiglu = [dim](const Tensors& in) {
      const Tensors halves = at::chunk(in[0], 2, dim);
      return at::silu(halves[0]) * halves[1];
    };
    for (const double scale : {1.0, 30.0, 500.0})
      expect_autograd(op, {"NPU.npu_swiglu", {drawn({6, 10, 8}, 2, -scale, scale), dim}, {}}, swiglu);
    expect_autograd(op, {"NPU.npu_swiglu", {drawn({4, 0, 2}, 2), dim}, {}}, swiglu);
  }
}

TEST(FusedAutograd, RmsNorm) {
  const Composition composition = [](const Tensors& in) {
    return in[0] * at::rsqrt(in[0].square().mean({-1}, true) + 1e-6) * in[1];
  };
  for (const double scale : {1.0, 1e-6, 1e6}) {
    expect_autograd(plugin("norms"),
                    {"NPU.npu_rms_norm", {drawn({5, 3, 48}, 3, -scale, scale), drawn({48}, 4)}, {{"epsilon", 1e-6}}},
                    [&](const Tensors& in) { return composition(in); });
  }
  expect_autograd(plugin("norms"), {"NPU.npu_rms_norm", {drawn({0, 8}, 3), drawn({8}, 4)}, {{"epsilon", 1e-6}}}, composition);
  expect_autograd(plugin("norms"), {"NPU.npu_rms_norm", {doubles({2, 2}, {0, 0, 3, 0}), drawn({2}, 4)}, {{"epsilon", 1e-6}}},
                  composition);
}

TEST(FusedAutograd, LayerNormEval) {
  for (const auto& shape : {std::vector<std::int64_t>{6, 4, 10}, {0, 4, 10}}) {
    expect_autograd(
        plugin("norms"),
        {"NPU.npu_layer_norm_eval", {drawn(shape, 5, -20, 20), integers({4, 10}), drawn({4, 10}, 6), drawn({4, 10}, 7)}, {}},
        [](const Tensors& in) {
          return at::layer_norm(in[0], {4, 10}, in[1], in[2], 1e-5);
        });
  }
}

TEST(FusedAutograd, GroupNormSilu) {
  for (const std::int64_t groups : {1, 3, 6}) {
    expect_autograd(plugin("norms"),
                    {"NPU.npu_group_norm_silu", {drawn({3, 6, 5, 2}, 8), drawn({6}, 9), drawn({6}, 10), groups}, {}},
                    [=](const Tensors& in) { return at::silu(at::group_norm(in[0], groups, in[1], in[2], 1e-5)); });
  }
}

TEST(FusedAutograd, Linear) {
  for (const auto& shape : {std::vector<std::int64_t>{40, 30}, {2, 5, 30}, {0, 30}}) {
    expect_autograd(plugin("transforms"), {"NPU.npu_linear", {drawn(shape, 11), drawn({20, 30}, 12), drawn({20}, 13)}, {}},
                    [](const Tensors& in) { return at::linear(in[0], in[1], in[2]); });
  }
}

TEST(FusedAutograd, RotaryMul) {
  const auto halves = [](const at::Tensor& x) {
    const Tensors parts = at::chunk(x, 2, -1);
    return at::cat({-parts[1], parts[0]}, -1);
  };
  const auto pairs = [](const at::Tensor& x) {
    return at::stack({-x.slice(-1, 1, c10::nullopt, 2), x.slice(-1, 0, c10::nullopt, 2)}, -1).flatten(-2);
  };
  for (const std::int64_t batch : {2, 0}) {
    for (const bool interleaved : {false, true}) {
      expect_autograd(plugin("transforms"),
                      {"NPU.npu_rotary_mul",
                       {drawn({batch, 5, 3, 16}, 14), drawn({1, 5, 1, 16}, 15), drawn({1, 5, 1, 16}, 16)},
                       {{"rotary_mode", std::string(interleaved ? "interleave" : "half")}}},
                      [&](const Tensors& in) { return in[1] * in[0] + in[2] * (interleaved ? pairs(in[0]) : halves(in[0])); });
    }
  }
}

TEST(FusedAutograd, ConfusionTransposeAndSort) {
  expect_autograd(plugin("transforms"),
                  {"NPU.npu_confusion_transpose", {drawn({4, 6, 5}, 17), integers({2, 0, 1}), integers({10, 12}), true}, {}},
                  [](const Tensors& in) {
                    return in[0].permute({2, 0, 1}).reshape({10, 12});
                  });
  expect_autograd(plugin("transforms"),
                  {"NPU.npu_confusion_transpose", {drawn({120}, 17), integers({1, 2, 0}), integers({4, 6, 5}), false}, {}},
                  [](const Tensors& in) {
                    return in[0].reshape({4, 6, 5}).permute({1, 2, 0});
                  });
  for (const bool descending : {false, true}) {
    for (const std::int64_t rows : {9, 0}) {
      expect_autograd(plugin("transforms"), {"NPU.npu_sort_v2", {drawn({rows, 13}, 18), std::int64_t{1}, descending}, {}},
                      [=](const Tensors& in) { return std::get<0>(at::sort(in[0], 1, descending)); });
    }
  }
}

/// Bytes that hide about every third element, and none of the first in a row.
Tensor some_hidden(std::vector<std::int64_t> shape) {
  std::vector<int> values;
  const std::int64_t row = shape.back();
  for (std::int64_t i = 0; i < count_of(shape); ++i) values.push_back(i % row != 0 && (i * 7 + i / row) % 3 == 0 ? 1 : 0);
  return bytes(std::move(shape), values);
}

at::Tensor hidden_of(const Tensor& mask) {
  const TensorView view = mask.view();
  at::Tensor out = at::empty(view.shape(), at::kBool);
  for (std::int64_t i = 0; i < view.numel(); ++i) out.data_ptr<bool>()[i] = view.data_as<std::uint8_t>()[i] != 0;
  return out;
}

TEST(FusedAutograd, ScaledMaskedSoftmax) {
  for (const double scale : {1.0, 40.0}) {
    for (const std::int64_t batch : {2, 0}) {
      const Tensor mask = some_hidden({batch, 1, 6, 10});
      expect_autograd(plugin("softmax"),
                      {"NPU.npu_scaled_masked_softmax", {drawn({batch, 3, 6, 10}, 19, -scale, scale), mask, 0.4}, {}},
                      [&](const Tensors& in) { return at::softmax((in[0] * 0.4).masked_fill(hidden_of(mask), -10000.0), -1); });
    }
  }
}

TEST(FusedAutograd, MoeGatingTopKSoftmax) {
  expect_autograd(plugin("softmax"), {"NPU.npu_moe_gating_top_k_softmax", {drawn({20, 16}, 20)}, {{"k", std::int64_t{4}}}},
                  [](const Tensors& in) { return std::get<0>(at::topk(at::softmax(in[0], -1), 4)); });
}

/// softmax(scale q kT + hidden) v for [B, N, S, D]; rows that see no key are zero.
Composition attention(double scale, const at::Tensor& hidden) {
  return [=](const Tensors& in) {
    const std::int64_t shared = in[0].size(1) / in[1].size(1);
    const at::Tensor key = in[1].repeat_interleave(shared, 1);
    const at::Tensor value = in[2].repeat_interleave(shared, 1);
    at::Tensor score = scale * at::matmul(in[0], key.transpose(-1, -2));
    if (!hidden.defined()) return at::matmul(at::softmax(score, -1), value);
    const at::Tensor blind = hidden.all(-1, true);
    score = score.masked_fill(hidden.logical_and(blind.logical_not()), -INFINITY);
    return at::matmul(at::softmax(score, -1).masked_fill(blind, 0.0), value);
  };
}

Call attention_call(std::int64_t batch, std::int64_t queries, std::int64_t keys, double range, std::vector<NamedValue> kwargs) {
  kwargs.emplace_back("scale", 0.3);
  return {"NPU.npu_fusion_attention",
          {drawn({batch, 4, queries, 8}, 21, -range, range), drawn({batch, 2, keys, 8}, 22, -range, range),
           drawn({batch, 2, keys, 8}, 23), std::int64_t{4}, std::string("BNSD")},
          std::move(kwargs)};
}

TEST(FusedAutograd, FusionAttention) {
  const auto& op = plugin("attention");
  for (const double range : {1.0, 20.0}) expect_autograd(op, attention_call(2, 17, 23, range, {}), attention(0.3, {}));
  expect_autograd(op, attention_call(0, 3, 4, 1, {}), attention(0.3, {}));
  expect_autograd(op, attention_call(2, 0, 4, 1, {}), attention(0.3, {}));

  const Tensor mask = some_hidden({2, 1, 17, 23});
  expect_autograd(op, attention_call(2, 17, 23, 2, {{"atten_mask", mask}, {"sparse_mode", std::int64_t{1}}}),
                  attention(0.3, hidden_of(mask)));
  // Down-right causal: the first 6 of 17 queries see none of 11 keys.
  const at::Tensor causal = at::ones({17, 11}, at::kBool).triu(11 - 17 + 1);
  const Tensor triangle = bytes({2, 2}, {0, 1, 0, 0});
  expect_autograd(op, attention_call(2, 17, 11, 2, {{"atten_mask", triangle}, {"sparse_mode", std::int64_t{3}}}),
                  attention(0.3, causal));
}

}  // namespace
}  // namespace assay::testing
