// One tensor from statistics by the rules of MindStudio Probe's PyTorch checker: what is drawn, from how many words, to which bits.
//
//   TorchDraw draw = plan_torch_draw(element, "Functional.cross_entropy", "1");
//   std::mt19937 words(1234);
//   Result<Tensor> tensor = draw_torch_tensor(draw, words);
#pragma once

#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "assay/sdk/tensor.hpp"
#include "base/result.hpp"
#include "dump/recorded.hpp"

namespace assay {

struct TorchDraw {
  enum class Kind {
    kEmpty,     ///< no elements
    kNan,       ///< every element
    kInfinite,  ///< every element `high`, the last slice `low`
    kFloat,
    kInteger,
    kBoolean,
    kMask,  ///< the compressed mask of fused attention
  };

  Kind kind = Kind::kEmpty;
  assay_dtype dtype{};
  std::vector<std::int64_t> shape;
  double low = 0, high = 0;                  ///< over the finite elements where those are recorded
  double written_low = 0, written_high = 0;  ///< Min and Max themselves
  std::int64_t low_integer = 0;              ///< kInteger, kBool
  std::uint64_t integer_range = 1;           ///< number of values; 0 means 2^64
  bool round_to_hf32 = false;
  std::optional<std::string> failure;  ///< why nothing can be drawn
  bool words_before_failure = false;   ///< the generator moves on although the draw fails
  std::uint64_t words = 0;             ///< 32-bit words that it takes from the generator
};

/// path  of the argument, "1" or "weight" or "0.2"
TorchDraw plan_torch_draw(const TensorElement& element, std::string_view api, std::string_view path);

/// Takes draw.words words. Throws Error(ASSAY_OUT_OF_MEMORY). errors  kUnsupported: draw.failure
Result<Tensor> draw_torch_tensor(const TorchDraw& draw, std::mt19937& words);

}  // namespace assay
