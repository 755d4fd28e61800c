#include "signature.hpp"

#include <sstream>
#include <string_view>

#include "assay/sdk/error.hpp"

namespace assay::npu {

namespace {

struct TypeName {
  std::string_view name;
  ParameterType type;
};

constexpr TypeName kTypes[] = {{"T", ParameterType::kTensor},   {"L", ParameterType::kTensorList}, {"S", ParameterType::kScalar},
                               {"I", ParameterType::kIntArray}, {"F", ParameterType::kFloatArray}, {"B", ParameterType::kBoolArray},
                               {"i64", ParameterType::kInt64},  {"u64", ParameterType::kUInt64},   {"i32", ParameterType::kInt32},
                               {"i8", ParameterType::kInt8},    {"b", ParameterType::kBool},       {"f64", ParameterType::kDouble},
                               {"f32", ParameterType::kFloat},  {"dt", ParameterType::kDType},     {"str", ParameterType::kString}};

Parameter parse_parameter(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) throw Error(ASSAY_INVALID_ARGUMENT, "expected name:type, got '" + text + "'");
  Parameter parameter;
  parameter.name = text.substr(0, colon);
  std::string_view type = std::string_view(text).substr(colon + 1);
  const auto take = [&](char mark) {
    if (type.empty() || type.back() != mark) return false;
    type.remove_suffix(1);
    return true;
  };
  parameter.optional = take('?');
  if (take('!')) parameter.role = ParameterRole::kOut;
  if (take('&')) parameter.role = ParameterRole::kInOut;
  for (const TypeName& entry : kTypes) {
    if (entry.name != type) continue;
    parameter.type = entry.type;
    return parameter;
  }
  throw Error(ASSAY_INVALID_ARGUMENT, "unknown type in '" + text + "'; types are T L S I F B i64 u64 i32 i8 b f64 f32 dt str");
}

}  // namespace

std::vector<Parameter> parse_signature(const std::string& text) {
  constexpr std::size_t kMost = 64;
  std::vector<Parameter> parameters;
  std::istringstream stream(text);
  for (std::string part; stream >> part;) parameters.push_back(parse_parameter(part));
  if (parameters.empty() || parameters.size() > kMost)
    throw Error(ASSAY_INVALID_ARGUMENT, std::to_string(parameters.size()) + " parameters, expected 1 to 64");
  return parameters;
}

}  // namespace assay::npu
