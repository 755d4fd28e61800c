// Attention against the definition in extended precision: four loops over indices, in every layout and sparse mode.
#include <array>
#include <map>

#include "operator_under_test.hpp"

namespace assay::testing {
namespace {

const OperatorUnderTest& attention() {
  static const OperatorUnderTest op("assay.fused-attention");
  return op;
}

struct Sizes {
  std::int64_t batch = 2, heads = 2, key_heads = 2, queries = 3, keys = 4, size = 2;
};

std::vector<std::int64_t> shape_in(const std::string& layout, std::int64_t b, std::int64_t n, std::int64_t s, std::int64_t d) {
  if (layout == "BSH") return {b, s, n * d};
  if (layout == "SBH") return {s, b, n * d};
  if (layout == "BSND") return {b, s, n, d};
  return {b, n, s, d};
}

/// Where element (b, n, s, d) lies.
std::size_t place(const std::string& layout, const std::array<std::int64_t, 4>& sizes, std::int64_t b, std::int64_t n,
                  std::int64_t s, std::int64_t d) {
  const auto [batch, heads, length, size] = sizes;
  if (layout == "SBH") return static_cast<std::size_t>(((s * batch + b) * heads + n) * size + d);
  if (layout == "BNSD") return static_cast<std::size_t>(((b * heads + n) * length + s) * size + d);
  return static_cast<std::size_t>(((b * length + s) * heads + n) * size + d);
}

using Visible = std::function<bool(std::int64_t b, std::int64_t n, std::int64_t i, std::int64_t j)>;
using Kept = std::function<Real(std::int64_t b, std::int64_t n, std::int64_t i, std::int64_t j)>;

bool everything(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return true; }
Real all_kept(std::int64_t, std::int64_t, std::int64_t, std::int64_t) { return 1; }

/// in: query, key, value and, if there are four, pse [B or 1, N, Sq, Skv].
Formula definition(const std::string& layout, const Sizes& z, Real scale, const Visible& visible, const Kept& kept = all_kept) {
  return [=](const Inputs& in) {
    const std::array<std::int64_t, 4> q = {z.batch, z.heads, z.queries, z.size};
    const std::array<std::int64_t, 4> k = {z.batch, z.key_heads, z.keys, z.size};
    Reals out(in[0].size(), 0);
    for (std::int64_t b = 0; b < z.batch; ++b) {
      for (std::int64_t n = 0; n < z.heads; ++n) {
        const std::int64_t shared = n / (z.heads / z.key_heads);
        for (std::int64_t i = 0; i < z.queries; ++i) {
          Reals weight(static_cast<std::size_t>(z.keys), 0);
          Reals score = weight;
          Real largest = -INFINITY;
          Real sum = 0;
          for (std::int64_t j = 0; j < z.keys; ++j) {
            Real s = 0;
            for (std::int64_t d = 0; d < z.size; ++d)
              s += in[0][place(layout, q, b, n, i, d)] * in[1][place(layout, k, b, shared, j, d)];
            if (in.size() > 3) {
              const std::int64_t pb = in[3].size() == static_cast<std::size_t>(z.heads * z.queries * z.keys) ? 0 : b;
              s += in[3][static_cast<std::size_t>(((pb * z.heads + n) * z.queries + i) * z.keys + j)];
            }
            score[static_cast<std::size_t>(j)] = scale * s;
            if (visible(b, n, i, j)) largest = std::max(largest, scale * s);
          }
          for (std::int64_t j = 0; j < z.keys; ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (visible(b, n, i, j)) weight[at] = std::exp(score[at] - largest);
            sum += weight[at];
          }
          for (std::int64_t j = 0; sum > 0 && j < z.keys; ++j) {
            const Real p = weight[static_cast<std::size_t>(j)] / sum * kept(b, n, i, j);
            for (std::int64_t d = 0; d < z.size; ++d)
              out[place(layout, q, b, n, i, d)] += p * in[2][place(layout, k, b, shared, j, d)];
          }
        }
      }
    }
    return out;
  };
}

Call call_of(const std::string& layout, const Sizes& z, std::vector<NamedValue> kwargs = {}, double low = -2, double high = 2) {
  Call call{"NPU.npu_fusion_attention",
            {drawn(shape_in(layout, z.batch, z.heads, z.queries, z.size), 1, low, high),
             drawn(shape_in(layout, z.batch, z.key_heads, z.keys, z.size), 2, low, high),
             drawn(shape_in(layout, z.batch, z.key_heads, z.keys, z.size), 3), z.heads, layout},
            std::move(kwargs)};
  call.kwargs.emplace_back("scale", 0.7);
  return call;
}

/// The compressed mask of modes 2 to 4; only its presence counts.
Tensor triangle() { return bytes({2, 2}, {0, 1, 0, 0}); }

TEST(FusedAttention, EveryLayoutIsTheSameFunction) {
  for (const char* layout : {"BSH", "SBH", "BSND", "BNSD"}) {
    SCOPED_TRACE(layout);
    expect_formula(attention(), call_of(layout, {}), definition(layout, {}, 0.7L, everything));
  }
}

TEST(FusedAttention, QueryHeadsShareKeyHeads) {
  Sizes z;
  z.heads = 4;
  for (const char* layout : {"BSH", "SBH", "BSND", "BNSD"}) {
    SCOPED_TRACE(layout);
    expect_formula(attention(), call_of(layout, z), definition(layout, z, 0.7L, everything));
  }
  z.key_heads = 1;
  expect_formula(attention(), call_of("BSH", z), definition("BSH", z, 0.7L, everything));
}

TEST(FusedAttention, SparseModesSeeWhatTheySay) {
  for (const auto& [queries, keys] : std::vector<std::pair<std::int64_t, std::int64_t>>{{4, 4}, {3, 5}, {5, 3}}) {
    Sizes z;
    z.queries = queries;
    z.keys = keys;
    SCOPED_TRACE(std::to_string(queries) + " queries, " + std::to_string(keys) + " keys");
    const std::int64_t shift = keys - queries;
    const std::map<std::int64_t, Visible> modes = {
        {2, [](std::int64_t, std::int64_t, std::int64_t i, std::int64_t j) { return j <= i; }},
        {3, [=](std::int64_t, std::int64_t, std::int64_t i, std::int64_t j) { return j <= i + shift; }},
        {4, [=](std::int64_t, std::int64_t, std::int64_t i, std::int64_t j) { return j >= i + shift - 2 && j <= i + shift + 1; }}};
    for (const auto& [mode, visible] : modes) {
      SCOPED_TRACE(mode);
      const Call call = call_of(
          "BSND", z,
          {{"atten_mask", triangle()}, {"sparse_mode", mode}, {"pre_tockens", std::int64_t{2}}, {"next_tockens", std::int64_t{1}}});
      expect_formula(attention(), call, definition("BSND", z, 0.7L, visible));
    }
  }
}

TEST(FusedAttention, MasksOfEveryShapeHideScores) {
  const Sizes z;
  std::vector<int> bits;
  for (int i = 0; i < 2 * 2 * 3 * 4; ++i) bits.push_back(i % 5 == 2 || i % 7 == 3 ? 1 : 0);
  const std::map<std::vector<std::int64_t>, std::array<std::int64_t, 2>> shapes = {
      {{3, 4}, {0, 0}}, {{1, 1, 3, 4}, {0, 0}}, {{2, 1, 3, 4}, {1, 0}}, {{2, 2, 3, 4}, {2, 1}}};
  for (const auto& [shape, steps] : shapes) {
    for (const std::int64_t mode : {0, 1}) {
      SCOPED_TRACE(std::to_string(shape.size()) + " dimensions, mode " + std::to_string(mode));
      const std::vector<int> used(bits.begin(), bits.begin() + count_of(shape));
      // Mode 0 also leaves out what is outside the band.
      const Visible visible = [&, step = steps](std::int64_t b, std::int64_t n, std::int64_t i, std::int64_t j) {
        const bool band = mode == 1 || (j <= i + 2 && j >= i - 1);
        return band && used[static_cast<std::size_t>((b * step[0] + n * step[1]) * 12 + i * 4 + j)] == 0;
      };
      const Call call = call_of("BNSD", z,
                                {{"atten_mask", bytes(shape, used)},
                                 {"sparse_mode", mode},
                                 {"pre_tockens", std::int64_t{1}},
                                 {"next_tockens", std::int64_t{2}}});
      expect_formula(attention(), call, definition("BNSD", z, 0.7L, visible));
    }
  }
  // Without a mask, the mode and the band count for nothing.
  expect_formula(attention(), call_of("BNSD", z, {{"sparse_mode", std::int64_t{2}}, {"next_tockens", std::int64_t{0}}}),
                 definition("BNSD", z, 0.7L, everything));
}

TEST(FusedAttention, ARowThatSeesNoKeyIsZeroAndSaysSo) {
  Sizes z;
  z.queries = 5;
  z.keys = 3;
  const Call call = call_of("BNSD", z, {{"atten_mask", triangle()}, {"sparse_mode", std::int64_t{3}}});
  const Answer answer = attention().forward(call);
  EXPECT_EQ(answer.outputs.at(0).values[0], 0);
  EXPECT_EQ(answer.outputs.at(1).values[0], -INFINITY);
  EXPECT_EQ(answer.outputs.at(2).values[0], 0);
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_EQ(answer.notes[0].substr(0, 19), "8 rows see no key: ");
}

TEST(FusedAttention, PositionNumbersAreAddedInsideTheScaling) {
  const Sizes z;
  for (const std::int64_t batch : {1, 2}) {
    expect_formula(attention(), call_of("BSH", z, {{"pse", drawn({batch, 2, 3, 4}, 9)}}), definition("BSH", z, 0.7L, everything));
  }
  EXPECT_EQ(attention().forward(call_of("BSH", z, {{"pse", drawn({1, 2, 2, 4}, 9)}})).status, ASSAY_UNSUPPORTED);
}

TEST(FusedAttention, LargeScoresPickOneKey) {
  const Sizes z;
  expect_formula(attention(), call_of("BNSD", z, {}, -200, 200), definition("BNSD", z, 0.7L, everything), false);
  Call call = call_of("BNSD", z);
  call.args[0] = drawn({2, 2, 3, 2}, 1, 1e150, 1e151);
  expect_formula(attention(), call, definition("BNSD", z, 0.7L, everything), false);
}

TEST(FusedAttention, NothingAttendsToNothing) {
  for (const auto& [batch, queries, keys] : std::vector<std::array<std::int64_t, 3>>{{0, 3, 4}, {2, 0, 4}, {2, 3, 0}}) {
    Sizes z;
    z.batch = batch;
    z.queries = queries;
    z.keys = keys;
    for (const char* layout : {"BSH", "SBH", "BSND", "BNSD"}) {
      SCOPED_TRACE(layout);
      expect_formula(attention(), call_of(layout, z), definition(layout, z, 0.7L, everything));
    }
  }
}

TEST(FusedAttention, StatisticsAreGivenEightTimesAndTheGeneratorsStateIsNot) {
  const Answer answer = attention().forward(call_of("BSND", {}));
  ASSERT_EQ(answer.outputs.size(), 7u);
  EXPECT_EQ(answer.outputs[1].shape, (std::vector<std::int64_t>{2, 2, 3, 8}));
  for (std::size_t i = 1; i < 8; ++i) EXPECT_EQ(answer.outputs[1].values[i], answer.outputs[1].values[0]);
  EXPECT_GE(answer.outputs[2].values[0], 1);
  EXPECT_EQ(answer.outputs[3].shape, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(answer.outputs[4].kind, ASSAY_VALUE_NONE);
  EXPECT_EQ(answer.outputs[5].kind, ASSAY_VALUE_NONE);
  EXPECT_EQ(answer.outputs[6].integer, 2 * 2 * 3 * 4);
}

TEST(FusedAttention, SequencesOfSeveralLengthsAreEachOnTheirOwn) {
  // Sequences of 2, 0 and 3 queries with 1, 2 and 4 keys; T = 6 has one row that takes no part.
  const std::vector<std::array<std::int64_t, 4>> parts = {{0, 2, 0, 1}, {2, 2, 1, 3}, {2, 5, 3, 7}};
  const Formula formula = [&](const Inputs& in) {
    Reals out(in[0].size(), 0);
    for (const auto& [q0, q1, k0, k1] : parts) {
      Sizes z;
      z.batch = 1;
      z.queries = q1 - q0;
      z.keys = k1 - k0;
      const auto rows = [](const Reals& x, std::int64_t first, std::int64_t last) {
        return Reals(x.begin() + first * 4, x.begin() + last * 4);
      };
      const Reals part = definition("BSND", z, 0.7L, [&](std::int64_t, std::int64_t, std::int64_t i, std::int64_t j) {
        return j <= i + z.keys - z.queries;
      })({rows(in[0], q0, q1), rows(in[1], k0, k1), rows(in[2], k0, k1)});
      std::copy(part.begin(), part.end(), out.begin() + q0 * 4);
    }
    return out;
  };
  Call call{"NPU.npu_fusion_attention",
            {drawn({6, 2, 2}, 1), drawn({7, 2, 2}, 2), drawn({7, 2, 2}, 3), std::int64_t{2}, std::string("TND")},
            {{"scale", 0.7},
             {"atten_mask", triangle()},
             {"sparse_mode", std::int64_t{3}},
             {"actual_seq_qlen", integers({2, 2, 5, 0})},
             {"actual_seq_kvlen", integers({1, 3, 7, 0})}}};
  expect_formula(attention(), call, formula);
  EXPECT_EQ(attention().forward(call).outputs.at(1).shape, (std::vector<std::int64_t>{6, 2, 8}));
  for (const std::vector<std::int64_t>& ends : {std::vector<std::int64_t>{2, 1, 5}, {2, 2, 9}, {2, 5}, {-1, 2, 5}}) {
    call.kwargs[3].second = integers(ends);
    EXPECT_EQ(attention().forward(call).status, ASSAY_INVALID_ARGUMENT);
  }
}

TEST(FusedAttention, DropoutNeedsTheMaskOfWhatWasKept) {
  Sizes z;
  z.keys = 8;
  const std::vector<int> packed = {0xA5, 0x3C, 0xFF, 0x01, 0x80, 0x7E, 0x18, 0x66, 0x99, 0x0F, 0xF0, 0x55};
  const Kept kept = [&](std::int64_t b, std::int64_t n, std::int64_t i, std::int64_t j) -> Real {
    return (packed[static_cast<std::size_t>((b * 2 + n) * 3 + i)] >> j & 1) != 0 ? 1 / static_cast<Real>(0.8) : 0;
  };
  Call call = call_of("BNSD", z);
  call.api = "Functional.flash_attention_score";
  call.args.pop_back();
  call.kwargs = {{"scalar_value", 0.7},
                 {"input_layout", std::string("BNSD")},
                 {"keep_prob", 0.8},
                 {"drop_mask", bytes({2, 2, 3, 1}, packed, kUInt8)}};
  expect_formula(attention(), call, definition("BNSD", z, 0.7L, everything, kept));

  Call without = call_of("BNSD", z, {{"keep_prob", 0.8}});
  EXPECT_EQ(attention().forward(without).status, ASSAY_UNSUPPORTED);
  without.kwargs[0].second = 0.0;
  expect_close(attention().forward(without).outputs.at(0).values, Reals(24, 0), "keep_prob 0");
  without.kwargs[0].second = 1.5;
  EXPECT_EQ(attention().forward(without).status, ASSAY_INVALID_ARGUMENT);
}

TEST(FusedAttention, FlashAttentionScoreTakesItsOwnNamesAndGivesOneOutput) {
  Sizes z;
  z.heads = 4;
  Call call = call_of("BSH", z);
  call.api = "Functional.flash_attention_score";
  call.args.pop_back();
  call.kwargs = {{"scalar_value", 0.7}, {"attn_mask", triangle()}, {"sparse_mode", std::int64_t{2}}};
  expect_formula(attention(), call,
                 definition("BSH", z, 0.7L, [](std::int64_t, std::int64_t, std::int64_t i, std::int64_t j) { return j <= i; }));
  EXPECT_EQ(attention().forward(call).outputs.size(), 1u);
}

TEST(FusedAttention, RefusesWhatDoesNotFit) {
  const Call good = call_of("BNSD", {});
  const auto status = [](Call call, std::size_t argument, Value value) {
    call.args[argument] = std::move(value);
    return attention().forward(call).status;
  };
  EXPECT_EQ(status(good, 1, drawn({2, 2, 4, 3}, 2)), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(status(good, 1, drawn({1, 2, 4, 2}, 2)), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(status(good, 2, drawn({2, 2, 5, 2}, 2)), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(status(good, 3, std::int64_t{0}), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(status(good, 3, std::int64_t{3}), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(status(good, 4, std::string("BDNS")), ASSAY_UNSUPPORTED);
  EXPECT_EQ(attention().forward(call_of("BNSD", {}, {{"atten_mask", bytes({2, 2}, {0, 1, 0, 0})}})).status, ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(attention().forward(call_of("BNSD", {}, {{"sparse_mode", std::int64_t{6}}})).status, ASSAY_UNSUPPORTED);
  EXPECT_EQ(attention().forward(call_of("BNSD", {}, {{"prefix", integers({1, 2})}})).status, ASSAY_UNSUPPORTED);
}

}  // namespace
}  // namespace assay::testing
