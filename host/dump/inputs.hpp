// Turns recorded elements into values to call an operator with: tensors from files, or made from statistics.
#pragma once

#include <memory>
#include <string>

#include "dump/dump.hpp"

namespace assay {

enum class InputRule {
  kAssay,    ///< seeded by API name and argument path: order, resume and sharding change nothing
  kMsprobe,  ///< the peer's numbers, bit for bit
};

class InputBuilder {
 public:
  InputBuilder(const Dump& dump, InputRule rule, std::uint64_t seed);

  /// The value of an element.
  /// stem  "Functional.linear.3"; direction "forward" or "backward"; path "0.1", "weight"
  /// errors  kUnsupported: can't be replayed (an opaque element, statistics that are null, an API whose inputs need a structure
  /// that
  ///         random numbers don't have); kInput: a tensor file is missing or faulty
  [[nodiscard]] Result<Value> build(const Element& element, const std::string& stem, const std::string& direction,
                                    const std::string& path) const;

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
};

}  // namespace assay
