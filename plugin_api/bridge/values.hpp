// Values of a call to bytes and back. Tensors are placed in shared memory, the bytes name their offsets.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/abi/call.h"
#include "assay/sdk/value.hpp"
#include "bridge/shared_memory.hpp"
#include "bridge/wire.hpp"

namespace assay::bridge {

/// Plans where the tensors of a call go, then copies them there.
class TensorPlacer {
 public:
  /// The offset of the tensor's data. Throws Error(ASSAY_UNSUPPORTED or ASSAY_INVALID_ARGUMENT) for what can't be shared.
  std::uint64_t place(const assay_tensor& tensor);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Writes every placed tensor, compact and row-major.
  void copy_to(char* memory) const;

 private:
  struct Placed {
    const assay_tensor* tensor;
    std::uint64_t offset;
  };
  std::vector<Placed> placed_;
  std::uint64_t bytes_ = 0;
};

void write_segment(Writer& out, const SegmentRef& segment);
SegmentRef read_segment(Reader& in);

void write_value(Writer& out, const assay_value& value, TensorPlacer& placer);
void write_values(Writer& out, const assay_value* values, std::uint64_t count, TensorPlacer& placer);
void write_named(Writer& out, const assay_named_value* values, std::uint64_t count, TensorPlacer& placer);

/// Reads values whose tensors live in a leased segment (null: the frame named none); the tensors keep the lease alive.
class ValueReader {
 public:
  ValueReader(Reader& in, std::shared_ptr<ReceivedSegments::Lease> lease) : in_(in), lease_(std::move(lease)) {}
  Value value() { return value_at(0); }
  std::vector<Value> values();
  std::vector<NamedValue> named();

 private:
  Value value_at(int depth);
  std::vector<Value> items(int depth);
  std::vector<NamedValue> pairs(int depth);
  Tensor tensor();
  assay_dtype dtype();

  Reader& in_;
  std::shared_ptr<ReceivedSegments::Lease> lease_;
};

}  // namespace assay::bridge
