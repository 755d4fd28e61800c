// change-value: a copy with two elements swapped.
#include <optional>
#include <utility>

#include "assay/sdk/elementwise.hpp"
#include "assay/sdk/perturbation.hpp"

namespace assay {
namespace {

constexpr char kSchema[] = R"({
  "type": "object",
  "properties": {"compat": {"enum": ["none", "msprobe"]}},
  "additionalProperties": false
})";

/// Two runs of `length` elements in row-major order that change places.
struct Swap {
  std::int64_t first;
  std::int64_t second;
  std::int64_t length;
};

class ChangeValue final : public Perturbation {
 public:
  explicit ChangeValue(const Context& context) : compat_(context.config.get<std::string>("compat", "none") == "msprobe") {}

  [[nodiscard]] PerturbedLayout plan(const TensorView& input) const override {
    require_known_dtype(input);
    if (!input.on_cpu()) throw Error(ASSAY_UNSUPPORTED, "tensor is on a device");
    if (!is_floating(input.dtype()) && (compat_ || !is_complex(input.dtype()))) {
      throw Error(ASSAY_UNSUPPORTED, "dtype " + std::string(dtype_name(input.dtype())) + " is no floating-point type");
    }
    if (compat_ ? !has_corners(input) : input.numel() < 2) throw Error(ASSAY_UNSUPPORTED, "tensor has no two elements to swap");
    return {input.dtype(), input.abi().dl.device};
  }

  std::uint64_t apply(const TensorView& input, std::uint64_t, std::uint32_t max_threads, assay_tensor& output) const override {
    require_output(input, output, plan(input).dtype);
    copy_tensor(input, output, max_threads);
    const std::optional<Swap> swap = compat_ ? corners(input) : two_numbers(input);
    if (!swap) return 0;
    const TensorView out(output);
    const std::size_t size = dtype_size(input.dtype());
    char* const to = static_cast<char*>(output.dl.data) + output.dl.byte_offset;
    const auto place = [&](std::int64_t from, std::int64_t at) {
      std::memcpy(to + out.offset_of(at) * static_cast<std::int64_t>(size),
                  static_cast<const char*>(input.data()) + input.offset_of(from) * static_cast<std::int64_t>(size), size);
    };
    std::uint64_t changed = 0;
    for (std::int64_t i = 0; i < swap->length; ++i) {
      place(swap->second + i, swap->first + i);
      place(swap->first + i, swap->second + i);
      if (differ(input, swap->first + i, swap->second + i)) changed += 2;
    }
    return changed;
  }

 private:
  /// The peer's rule for tensors that have a first and a last part.
  static bool has_corners(const TensorView& input) {
    if (input.ndim() == 0) return false;
    if (input.ndim() == 1) return input.size(0) >= 2;
    return input.size(0) >= 1 && input.size(1) >= 1 && (input.size(0) >= 2 || input.size(1) >= 2);
  }

  /// The peer's choice: x[0] and x[-1] of a vector, else x[0][0] and x[-1][-1], which are whole tensors beyond two dimensions.
  static std::optional<Swap> corners(const TensorView& input) {
    const std::int64_t parts = input.ndim() == 1 ? input.size(0) : input.size(0) * input.size(1);
    const std::int64_t length = input.numel() / parts;
    return Swap{0, (parts - 1) * length, length};
  }

  /// The first number, and the last one that has another value; infinities and NaNs stay where they are.
  static std::optional<Swap> two_numbers(const TensorView& input) {
    const std::int64_t n = input.numel();
    std::int64_t first = 0;
    while (first < n && !is_finite(input, first)) ++first;
    for (std::int64_t second = n - 1; second > first; --second) {
      if (is_finite(input, second) && differ(input, first, second)) return Swap{first, second, 1};
    }
    return std::nullopt;
  }

  static bool is_finite(const TensorView& input, std::int64_t index) {
    const std::int64_t offset = input.offset_of(index);
    return std::isfinite(input.number_at(offset)) && std::isfinite(input.imaginary_at(offset));
  }

  static bool differ(const TensorView& input, std::int64_t left, std::int64_t right) {
    const std::int64_t l = input.offset_of(left);
    const std::int64_t r = input.offset_of(right);
    const auto other = [](double x, double y) { return x != y && !(std::isnan(x) && std::isnan(y)); };
    return other(input.number_at(l), input.number_at(r)) || other(input.imaginary_at(l), input.imaginary_at(r));
  }

  bool compat_;
};

}  // namespace
}  // namespace assay

ASSAY_EXPORT_PLUGIN("assay.change-value", "0.1.0",
                    ASSAY_COMPONENT(assay::ChangeValue, "assay.change-value", "0.1.0", "swaps the first and the last element",
                                    assay::kSchema))
