// plugins/operators/common/arguments.hpp: the values of a call by parameter name, whether passed by position or by keyword.
//
//   const Arguments args(call, {"self|input", "gamma", "epsilon"});
//   const Array x = args.array("self");
//   const double epsilon = args.real("epsilon", 1e-6);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "array.hpp"
#include "assay/abi/call.h"

namespace assay::operators {

/// Every getter throws Error(ASSAY_INVALID_ARGUMENT), naming the parameter, where the value is missing or of another kind. A
/// recorded None counts as absent.
class Arguments {
 public:
  /// parameters  in the order of the signature; further spellings of one after '|'
  Arguments(const assay_call& call, std::vector<std::string> parameters);

  [[nodiscard]] bool has(const std::string& name) const { return find(name) != nullptr; }
  [[nodiscard]] TensorView tensor(const std::string& name) const;
  [[nodiscard]] Array array(const std::string& name) const { return to_array(tensor(name)); }
  [[nodiscard]] std::optional<Array> optional_array(const std::string& name) const;
  /// The tensors of a list or tuple.
  [[nodiscard]] std::vector<TensorView> tensors(const std::string& name) const;

  [[nodiscard]] double real(const std::string& name) const;
  [[nodiscard]] double real(const std::string& name, double fallback) const { return has(name) ? real(name) : fallback; }
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t fallback) const;
  [[nodiscard]] bool flag(const std::string& name, bool fallback) const;
  [[nodiscard]] std::string string(const std::string& name, const std::string& fallback) const;
  /// A list of integers, one integer (as a list of one), or an integer tensor.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const;

  /// Where the parameter stands in the call: "0", "gamma"; empty if absent.
  [[nodiscard]] std::string path(const std::string& name) const;
  [[nodiscard]] const assay_call& call() const { return call_; }

 private:
  struct Slot {
    std::vector<std::string> names;
    const assay_value* value = nullptr;
    std::string path;
  };
  [[nodiscard]] const Slot* slot(const std::string& name) const;
  [[nodiscard]] const assay_value* find(const std::string& name) const;
  [[nodiscard]] const assay_value& require(const std::string& name) const;

  const assay_call& call_;
  std::vector<Slot> slots_;
};

/// The gradient that arrives at an output, which must have that output's shape.
/// Throws Error(ASSAY_INVALID_ARGUMENT) where none arrives or the shape is another.
Array grad_output(const assay_call& call, std::size_t index, const Shape& shape);

}  // namespace assay::operators
