// What a dump says about one API: elements as recorded, before any tensor is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "assay/sdk/value.hpp"

namespace assay {

/// A statistic as written: a number (NaN and infinities included), or absent (null, missing, not a number).
using Statistic = std::optional<double>;

/// A tensor by its metadata; the data are in a file, or have to be made from the statistics.
struct TensorElement {
  std::string type;                  ///< "torch.Tensor", "mindspore.Tensor", "torch.nn.parameter.Parameter", ...
  std::string dtype_text;            ///< as recorded: "torch.float32", "Float32"
  std::optional<assay_dtype> dtype;  ///< absent: a dtype we don't know
  std::vector<std::int64_t> shape;
  Statistic max, min, mean, norm;
  Statistic max_finite, min_finite;               ///< Max_except_inf_nan, Min_except_inf_nan of old dumps
  bool bounds_are_integers = false;               ///< Max and Min were written as JSON integers or booleans
  std::int64_t max_integer = 0, min_integer = 0;  ///< exact, if bounds_are_integers
  bool requires_grad = false;
  std::string data_name;  ///< file of the data; empty: none. "datapath", the old spelling, wins over "data_name"
  std::string md5;
};

/// An element that the format names but that can't be handed to an operator (process groups, NumPy string arrays, `{}`, ...).
struct OpaqueElement {
  std::string reason;  ///< why a call with it can't be replayed: "a dtype or device passed positionally was not recorded"
};

struct Element;
struct ElementList {
  std::vector<Element> items;
};
struct ElementDict {
  std::vector<std::pair<std::string, Element>> items;
};

/// One argument or result. `Value` holds everything that is complete in itself (None, numbers, strings, dtypes, slices, sizes,
/// ...).
struct Element {
  using Storage = std::variant<Value, TensorElement, OpaqueElement, ElementList, ElementDict>;
  Storage data;

  Element() = default;
  template <class T, class = std::enable_if_t<std::is_constructible_v<Storage, T&&> && !std::is_same_v<std::decay_t<T>, Element>>>
  Element(T&& element) : data(std::forward<T>(element)) {}

  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&data);
  }
};

/// The forward or backward entry of one API.
struct RecordedDirection {
  /// Forward: input_args. Backward: `input`, the gradients that arrive, one for each forward output.
  std::vector<Element> inputs;
  std::vector<std::pair<std::string, Element>> kwargs;
  std::vector<Element> outputs;
  bool has_inputs = false;  ///< the list was in the entry at all (data_mode can leave it out)
  bool has_outputs = false;
  bool is_recompute = false;
  std::optional<std::string> error;  ///< the entry can't be decoded; where and why. The lists are then empty
};

/// One API call of the run: both of its entries.
struct RecordedCall {
  std::string stem;  ///< "Functional.linear.3"
  std::string type;  ///< "Functional"
  std::string api;   ///< "Functional.linear", "Torch.fft.rfft"
  std::int64_t index = 0;
  std::optional<RecordedDirection> forward;
  std::optional<RecordedDirection> backward;
};

}  // namespace assay
