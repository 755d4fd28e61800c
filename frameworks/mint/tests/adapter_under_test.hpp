// Loads the bridge's plugin as a host does and runs calls through the C ABI.
//
//   AdapterUnderTest adapter("assay.mint", R"({"python": "/opt/venv/bin/python"})");
//   Outcome sum = adapter.invoke({"Mint.add", {tensor<float>({2}, {1, 2}), 3.0}});
//   EXPECT_EQ(numbers(sum.output(0)), (std::vector<double>{4, 5}));
#pragma once

#include <string>
#include <vector>

#include "assay/abi/adapter.h"
#include "assay/sdk/dtype.hpp"
#include "assay/sdk/value.hpp"

namespace assay::bridge {

struct CallSpec {
  std::string api;
  std::vector<Value> args;
  std::vector<NamedValue> kwargs = {};
  std::vector<Value> gradients = {};  ///< not empty: backward
  std::int32_t precision = ASSAY_PRECISION_AS_RECORDED;
  std::uint64_t seed = 0;
};

/// Status and message of a failure, or the results of a success.
class Outcome {
 public:
  Outcome() { results_.struct_size = sizeof results_; }
  ~Outcome() { release(); }
  Outcome(Outcome&& other) noexcept;
  Outcome& operator=(Outcome&&) = delete;

  assay_status status = ASSAY_OK;
  std::string message;

  [[nodiscard]] const assay_results& results() const { return results_; }
  [[nodiscard]] assay_results* slot() { return &results_; }
  /// Output `i`; throws if there is none.
  [[nodiscard]] const assay_value& output(std::size_t i) const;
  /// Null: no such path.
  [[nodiscard]] const assay_value* gradient(const std::string& path) const;
  [[nodiscard]] const assay_value* mutated(const std::string& path) const;
  void release();

 private:
  assay_results results_{};
};

class AdapterUnderTest {
 public:
  AdapterUnderTest(const std::string& component, const std::string& config_json);
  ~AdapterUnderTest();
  AdapterUnderTest(const AdapterUnderTest&) = delete;
  AdapterUnderTest& operator=(const AdapterUnderTest&) = delete;

  /// Of create; the other functions need ASSAY_OK.
  [[nodiscard]] assay_status status() const { return status_; }
  [[nodiscard]] const std::string& message() const { return message_; }

  Outcome invoke(const CallSpec& spec);
  Outcome supports(const std::string& api);
  assay_adapter_info describe();
  [[nodiscard]] const assay_adapter& table() const { return *table_; }

 private:
  assay_instance* instance_ = nullptr;
  const assay_adapter* table_ = nullptr;
  assay_status status_ = ASSAY_OK;
  std::string message_;
};

/// Lines that plugins logged since the last call.
std::vector<std::string> take_log();

template <class T>
constexpr assay_dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>) return kFloat32;
  if constexpr (std::is_same_v<T, double>) return kFloat64;
  if constexpr (std::is_same_v<T, std::int64_t>) return kInt64;
  if constexpr (std::is_same_v<T, std::int32_t>) return kInt32;
  if constexpr (std::is_same_v<T, std::uint16_t>) return kUInt16;
  if constexpr (std::is_same_v<T, std::uint8_t>) return kUInt8;
}

/// A tensor of the elements, `dtype` as given or that of T.
template <class T>
Value tensor(std::vector<std::int64_t> shape, const std::vector<T>& elements, assay_dtype dtype = dtype_of<T>()) {
  Tensor made = Tensor::allocate(dtype, std::move(shape));
  if (!elements.empty()) std::memcpy(made.data_as<char>(), elements.data(), elements.size() * sizeof(T));
  return made;
}

/// The elements of a tensor value, row-major; throws if it is none.
std::vector<double> numbers(const assay_value& value);
std::vector<std::int64_t> shape_of(const assay_value& value);
std::string dtype_of(const assay_value& value);
/// The bytes of a compact tensor value.
std::string bytes_of(const assay_value& value);

/// Processes whose parent is this one: none may be left by an adapter that is gone.
std::vector<int> child_processes();
/// Mappings of memfds of the bridge in this process.
std::size_t shared_mappings();

}  // namespace assay::bridge
