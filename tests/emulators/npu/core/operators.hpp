// Operators as the library exports them: the signature, which generate.py makes from operators.json, and the two phases.
//
//   int aclnnAbsGetWorkspaceSize(const void* p0, const void* p1, uint64_t* size, aclOpExecutor** executor) {
//     const Argument arguments[] = {p0, p1};
//     return plan(kAbs, arguments, size, executor);
//   }
#pragma once

#include <cstdint>

#include "core/process.hpp"

namespace assay::emulator {

struct Kernel;

enum class Type : std::uint8_t {
  kTensor,
  kTensorList,
  kScalar,
  kIntArray,
  kFloatArray,
  kBoolArray,
  kText,
  kInteger,
  kBool,
  kInt8,
  kReal,
  kDtype
};
enum class Role : std::uint8_t { kIn, kOut, kInOut, kAttribute };

struct Parameter {
  const char* name;
  Type type;
  Role role;
  bool optional;
  bool contiguous_only;
  std::int8_t same_dtype_as;  // index of a parameter, or -1
  std::int8_t min_rank;       // -1: any
  std::int8_t max_rank;
  std::uint64_t dtypes;   // bit i: aclDataType i; 0: any
  std::uint64_t formats;  // bit i: aclFormat i; 0: any plain one
};

struct Operator {
  const char* name;         // "aclnnInplaceAdd"
  const char* phase1_name;  // "aclnnInplaceAddGetWorkspaceSize"
  const char* kernel;       // "aclnnAdd": whose arguments the kernel sees
  const Parameter* parameters;
  int count;
  const Parameter* kernel_parameters;
  int kernel_count;
  const std::int8_t* kernel_from;  // for each of the kernel's parameters, the index of ours
  bool nondeterministic;
};

/// One argument as it arrives.
struct Argument {
  // NOLINTBEGIN(google-explicit-constructor): generated code lists arguments of any type.
  Argument(const void* value) : pointer(value) {}
  Argument(std::int64_t value) : integer(value) {}
  Argument(std::uint64_t value) : integer(static_cast<std::int64_t>(value)) {}
  Argument(std::int32_t value) : integer(value) {}
  Argument(std::int8_t value) : integer(value) {}
  Argument(std::uint8_t value) : integer(value) {}
  Argument(std::uint32_t value) : integer(value) {}
  Argument(double value) : real(value) {}
  // NOLINTEND
  const void* pointer = nullptr;
  std::int64_t integer = 0;
  double real = 0.0;
};

// How a bool or an int8_t arrives in a register. On x86-64 every caller extends them to 32 bits, so that dirty upper bits can be
// seen; elsewhere the upper bits mean nothing.
#ifdef __x86_64__
using SmallBool = std::uint32_t;
using SmallInt = std::int32_t;
#else
using SmallBool = std::uint8_t;
using SmallInt = std::int8_t;
#endif

aclnnStatus plan(const Operator& op, const Argument* arguments, std::uint64_t* workspace_size, aclOpExecutor** executor);
aclnnStatus launch(const Operator& op, void* workspace, std::uint64_t workspace_size, aclOpExecutor* executor, aclrtStream stream);

}  // namespace assay::emulator
