// What the caller holds handles of: arguments of operators, streams, events, contexts. A handle is looked up before it is used,
// and destroyed objects are kept for a while, so that a late use is seen and not guessed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "core/numbers.hpp"

namespace assay::emulator {

enum class ObjectKind {
  kTensor,
  kScalar,
  kIntArray,
  kFloatArray,
  kBoolArray,
  kTensorList,
  kScalarList,
  kExecutor,
  kContext,
  kStream,
  kEvent
};
const char* name_of(ObjectKind kind);

struct Object {
  explicit Object(ObjectKind object_kind) : kind(object_kind) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  ObjectKind kind;
  unsigned users = 0;    // executors and pending work that need it
  bool in_list = false;  // a list owns it
};

}  // namespace assay::emulator

struct aclTensor : assay::emulator::Object {
  static constexpr auto kKind = assay::emulator::ObjectKind::kTensor;
  aclTensor() : Object(kKind) {}
  aclDataType dtype = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_ND;
  assay::emulator::Shape shape;
  assay::emulator::Shape strides;
  assay::emulator::Shape storage;
  std::int64_t offset = 0;
  void* data = nullptr;
  bool shape_pending = false;  // an operator that has not run yet will say what the shape is
};

struct aclScalar : assay::emulator::Object {
  static constexpr auto kKind = assay::emulator::ObjectKind::kScalar;
  aclScalar() : Object(kKind) {}
  aclDataType dtype = ACL_DOUBLE;
  std::array<std::byte, 16> value{};
};

struct aclIntArray : assay::emulator::Object {
  static constexpr auto kKind = assay::emulator::ObjectKind::kIntArray;
  aclIntArray() : Object(kKind) {}
  std::vector<std::int64_t> values;
};

struct aclFloatArray : assay::emulator::Object {
  static constexpr auto kKind = assay::emulator::ObjectKind::kFloatArray;
  aclFloatArray() : Object(kKind) {}
  std::vector<float> values;
};

struct aclBoolArray : assay::emulator::Object {
  static constexpr auto kKind = assay::emulator::ObjectKind::kBoolArray;
  aclBoolArray() : Object(kKind) {}
  std::vector<std::uint8_t> values;
};

struct aclTensorList : assay::emulator::Object {
  static constexpr auto kKind = assay::emulator::ObjectKind::kTensorList;
  aclTensorList() : Object(kKind) {}
  std::vector<aclTensor*> members;
};

struct aclScalarList : assay::emulator::Object {
  static constexpr auto kKind = assay::emulator::ObjectKind::kScalarList;
  aclScalarList() : Object(kKind) {}
  std::vector<aclScalar*> members;
};

namespace assay::emulator {

struct Stream;

struct Context : Object {
  static constexpr auto kKind = ObjectKind::kContext;
  Context() : Object(kKind) {}
  int device = 0;
  bool is_default = false;
  Stream* default_stream = nullptr;
  std::map<int, std::int64_t> options;
};

/// A stretch of device or host memory that pending work reads or writes.
struct Range {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  bool written = false;
};

/// Work in a stream.
struct Task {
  std::string name;
  std::function<aclError()> run;
  std::vector<Range> ranges;
  std::vector<Object*> holds;  // what must live until it ran
  bool hangs = false;
};

struct Stream : Object {
  static constexpr auto kKind = ObjectKind::kStream;
  Stream() : Object(kKind) {}
  Context* context = nullptr;
  std::int32_t id = 0;
  bool saturate = false;
  std::uint32_t overflow_switch = 0;
  std::uint64_t failure_mode = 0;
  std::deque<Task> tasks;
  std::uint64_t enqueued = 0;
  std::uint64_t done = 0;
  aclError error = 0;
};

struct Event : Object {
  static constexpr auto kKind = ObjectKind::kEvent;
  Event() : Object(kKind) {}
  Stream* stream = nullptr;  // where it was recorded last
  std::uint64_t sequence = 0;
  std::uint64_t time_us = 0;
};

}  // namespace assay::emulator
