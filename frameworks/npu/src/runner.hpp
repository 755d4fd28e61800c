// What rules and statements may do to the device: make tensors, run operators by name.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "aclnn_operator.hpp"

namespace assay::npu {

using OperatorMap = std::map<std::string, std::unique_ptr<AclnnOperator>, std::less<>>;

/// Values that the adapter's configuration gives to parameters by name.
struct MathModes {
  std::int64_t matmul = 0;  ///< cubeMathType
  std::int64_t convolution = 0;
};

class Runner {
 public:
  Runner(Device& device, const Installation& installation, OperatorMap& operators, const MathModes& modes)
      : device_(device), installation_(installation), operators_(operators), modes_(modes) {}

  [[nodiscard]] Device& device() { return device_; }

  DeviceTensor make(assay_dtype dtype, Dims shape) { return allocate_tensor(device_, dtype, std::move(shape)); }
  /// A 0-d tensor of a number.
  DeviceTensor make_scalar(const Datum& number, assay_dtype dtype);

  /// Runs an operator; `arguments` are all of its parameters but cubeMathType. Throws Error(ASSAY_UNSUPPORTED) where the table
  /// doesn't have it, Error(ASSAY_INVALID_ARGUMENT) where the number of arguments is another.
  void call(const std::string& name, DatumList arguments);
  void call(AclnnOperator& operation, DatumList& arguments, const std::vector<std::size_t>& late_shape = {});
  [[nodiscard]] AclnnOperator* find(const std::string& name);

  /// The value of a parameter that no statement gives: cubeMathType.
  [[nodiscard]] std::int64_t math_mode(const std::string& operation) const;

 private:
  Device& device_;
  const Installation& installation_;
  OperatorMap& operators_;
  MathModes modes_;
};

/// The name of the parameter that the configuration fills.
inline constexpr const char* kMathModeParameter = "cubeMathType";

}  // namespace assay::npu
