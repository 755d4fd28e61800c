// Parameters of an operator's first phase, as the table writes them: "self:T other:T alpha:S out:T!".
#pragma once

#include <string>
#include <vector>

namespace assay::npu {

enum class ParameterType {
  kTensor,      // T
  kTensorList,  // L
  kScalar,      // S
  kIntArray,    // I
  kFloatArray,  // F
  kBoolArray,   // B
  kInt64,       // i64
  kUInt64,      // u64
  kInt32,       // i32
  kInt8,        // i8
  kBool,        // b
  kDouble,      // f64
  kFloat,       // f32
  kDType,       // dt
  kString       // str
};

enum class ParameterRole {
  kIn,
  kOut,   // !
  kInOut  // &
};

struct Parameter {
  std::string name;
  ParameterType type = ParameterType::kTensor;
  ParameterRole role = ParameterRole::kIn;
  bool optional = false;  // ?
};

/// Throws Error(ASSAY_INVALID_ARGUMENT) that names the part that can't be read.
std::vector<Parameter> parse_signature(const std::string& text);

}  // namespace assay::npu
