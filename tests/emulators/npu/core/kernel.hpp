// What a kernel gets and how it is found: by the name of its operator, in the tables of the kernel files.
//
//   void check(const Args& args) { require_shape(args.tensor("out"), args.tensor("self").shape); }
//   void run(const Args& args) { ... args.tensor("self") ... }
//   const Kernel kKernels[] = {{"aclnnAbs", check, run}};
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/operators.hpp"

namespace assay::emulator {

/// A tensor as a kernel sees it. In phase 1 there is no data.
struct View {
  aclDataType dtype = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_ND;
  Shape shape;
  Shape strides;
  std::byte* data = nullptr;  // of the first element
  aclTensor* object = nullptr;

  std::int64_t count() const;
  std::size_t rank() const { return shape.size(); }
  /// The dimension, counted from the end if negative.
  std::int64_t dim(std::int64_t index) const;
};

struct ScalarValue {
  aclDataType dtype = ACL_DOUBLE;
  double real = 0;
  std::int64_t integer = 0;
  Complex complex;
};

/// Phase 1 says no: 161001, 161002 or an inner code, with the reason.
class Refused : public std::runtime_error {
 public:
  Refused(aclnnStatus code, const std::string& text) : std::runtime_error(text), code_(code) {}
  aclnnStatus code() const { return code_; }

 private:
  aclnnStatus code_;
};
/// Throws that the arguments are wrong.
[[noreturn]] void refuse(const std::string& text);

struct Item {
  bool present = false;
  View view;
  std::vector<View> views;
  ScalarValue scalar;
  Shape integers;  // int and bool arrays
  std::vector<float> reals;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
};

/// The arguments of one call, by the parameter's name.
class Args {
 public:
  Args(const Operator& op, const Kernel& kernel, std::vector<Item> items)
      : operator_(&op), kernel_(&kernel), items_(std::move(items)) {}

  const Operator& op() const { return *operator_; }
  bool has(std::string_view name) const { return item(name).present; }
  const View& tensor(std::string_view name) const { return item(name).view; }
  const std::vector<View>& list(std::string_view name) const { return item(name).views; }
  const ScalarValue& scalar(std::string_view name) const { return item(name).scalar; }
  const Shape& ints(std::string_view name) const { return item(name).integers; }
  const std::vector<float>& floats(std::string_view name) const { return item(name).reals; }
  const std::string& text(std::string_view name) const { return item(name).text; }
  std::int64_t integer(std::string_view name) const { return item(name).integer; }
  bool flag(std::string_view name) const { return item(name).integer != 0; }
  double real(std::string_view name) const { return item(name).real; }
  aclDataType dtype(std::string_view name) const { return static_cast<aclDataType>(item(name).integer); }

  /// What the kernel's table says beside its functions.
  template <class T>
  const T& data() const;

  const std::vector<Item>& items() const { return items_; }
  /// The i-th parameter that is a tensor, for kernels of one shape and many names.
  const View& tensor_at(std::size_t index) const { return items_[index].view; }

 private:
  const Item& item(std::string_view name) const;

  const Operator* operator_;
  const Kernel* kernel_;
  std::vector<Item> items_;
};

enum : unsigned {
  kUsesWorkspace = 1,   // asks for workspace of the size of its inputs
  kShapesFromData = 2,  // its outputs get their shape when it runs
};

struct Kernel {
  const char* name;
  void (*check)(const Args& args);
  void (*run)(const Args& args);
  unsigned flags = 0;
  const void* data = nullptr;
};

template <class T>
const T& Args::data() const {
  return *static_cast<const T*>(kernel_->data);
}

const Kernel* find_kernel(std::string_view name);

/// Every kernel file adds its table with a static one of these.
struct RegisterKernels {
  template <std::size_t N>
  explicit RegisterKernels(const Kernel (&table)[N]) {
    add(table, N);
  }
  explicit RegisterKernels(const std::vector<Kernel>& table) { add(table.data(), table.size()); }
  static void add(const Kernel* table, std::size_t count);
};

}  // namespace assay::emulator
