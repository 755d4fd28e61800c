// Tells whether the tensors that go into an operator are the same afterwards: for operators of the job, whose schemas may not say
// what they write.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::watch {

class Fingerprints {
 public:
  /// Of the tensors in CPU memory; arguments that are written by the schema are left out.
  Fingerprints(c10::ArrayRef<c10::IValue> arguments, const std::vector<bool>& written);

  /// The first argument whose tensor has other bytes now.
  [[nodiscard]] std::optional<std::size_t> first_changed() const;

 private:
  struct Entry {
    std::size_t argument;
    at::Tensor tensor;
    std::uint64_t sum;
  };
  std::vector<Entry> entries_;
};

}  // namespace assay::watch
