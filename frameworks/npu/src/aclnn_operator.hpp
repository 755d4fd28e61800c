// One aclnn operator: its two functions, found by name, and its call through libffi by the table's signature.
//
//   AclnnOperator add("aclnnAdd", parse_signature("self:T other:T alpha:S out:T!"));
//   add.run(device, installation, {x, y, 1.0, out});
#pragma once

#include <ffi.h>

#include <memory>
#include <string>
#include <vector>

#include "datum.hpp"
#include "signature.hpp"

namespace assay::npu {

class AclnnOperator {
 public:
  AclnnOperator(std::string name, std::vector<Parameter> parameters);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }

  /// Whether the libraries have both functions; looks once.
  bool find(const Installation& installation);

  /// Both phases; the work is on the stream afterwards, not done. One argument for each parameter, outputs too.
  /// `late_shape`: parameters whose true shape is known only after the operator: waits, and cuts the tensor to it.
  /// Throws Error(ASSAY_UNSUPPORTED) that names the symbol where the libraries lack it, AclError where the operator refuses.
  void run(Device& device, const Installation& installation, std::vector<Datum>& arguments,
           const std::vector<std::size_t>& late_shape = {});

 private:
  /// A place for each type of value that a parameter can have.
  union Slot {
    void* pointer;
    const void* constant;
    std::int64_t i64;
    std::uint64_t u64;
    double f64;
    float f32;
  };
  void fill(Slot& slot, const Parameter& parameter, const Datum& datum, class AclObjects& objects) const;

  std::string name_;
  std::vector<Parameter> parameters_;
  bool looked_ = false;
  void (*plan_)() = nullptr;
  aclnnLaunch launch_ = nullptr;
  std::vector<ffi_type*> types_;
  ffi_cif cif_{};
};

}  // namespace assay::npu
