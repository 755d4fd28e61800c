#include "runner.hpp"

#include <cstring>

#include "assay/sdk/half.hpp"

namespace assay::npu {

namespace {

template <class T>
void put(unsigned char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

/// The bytes of a number in a dtype.
void write_number(unsigned char* at, const Datum& number, assay_dtype dtype) {
  if (is_complex(dtype)) {
    const auto* complex = number.get_if<std::complex<double>>();
    const std::complex<double> value = complex != nullptr ? *complex : std::complex<double>(as_real(number, "a number"));
    if (dtype.bits == 128) return put(at, value);
    return put(at, std::complex<float>(value));
  }
  if (is_floating(dtype)) {
    const double value = as_real(number, "a number");
    if (dtype == kFloat64) return put(at, value);
    if (dtype == kFloat32) return put(at, static_cast<float>(value));
    if (dtype == kBFloat16) return put(at, double_to_bfloat16(value));
    return put(at, double_to_float16(value));
  }
  if (dtype == kBool) return put(at, as_flag(number, "a number"));
  const std::int64_t value = as_integer(number, "a number");
  std::memcpy(at, &value, dtype_size(dtype));  // little endian: the low bytes
}

bool is_convolution(const std::string& name) { return name.find("Conv") != std::string::npos; }

}  // namespace

DeviceTensor Runner::make_scalar(const Datum& number, assay_dtype dtype) {
  unsigned char bytes[16] = {};
  write_number(bytes, number, dtype);
  DeviceTensor tensor = make(dtype, {});
  device_.copy_to_device(tensor.memory.get(), bytes, dtype_size(dtype));
  return tensor;
}

AclnnOperator* Runner::find(const std::string& name) {
  const auto found = operators_.find(name);
  return found != operators_.end() ? found->second.get() : nullptr;
}

void Runner::call(const std::string& name, DatumList arguments) {
  AclnnOperator* const operation = find(name);
  if (operation == nullptr) throw Error(ASSAY_UNSUPPORTED, "the operator table has no signature of " + name);
  const std::vector<Parameter>& parameters = operation->parameters();
  DatumList all;
  all.reserve(parameters.size());
  std::size_t next = 0;
  for (const Parameter& parameter : parameters) {
    if (parameter.name == kMathModeParameter) {
      all.emplace_back(math_mode(name));
    } else if (next < arguments.size()) {
      all.push_back(std::move(arguments[next++]));
    }
  }
  if (all.size() != parameters.size() || next != arguments.size()) {
    throw Error(ASSAY_INVALID_ARGUMENT, name + " got " + std::to_string(arguments.size()) + " arguments, its signature has " +
                                            std::to_string(parameters.size()));
  }
  call(*operation, all);
}

void Runner::call(AclnnOperator& operation, DatumList& arguments, const std::vector<std::size_t>& late_shape) {
  operation.run(device_, installation_, arguments, late_shape);
}

std::int64_t Runner::math_mode(const std::string& operation) const {
  return is_convolution(operation) ? modes_.convolution : modes_.matmul;
}

}  // namespace assay::npu
