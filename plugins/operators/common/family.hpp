// plugins/operators/common/family.hpp: an operator component made of functions, one pair for each API.
//
//   class Activations final : public Family {
//    public:
//     explicit Activations(const Context&) : Family({{"NPU.npu_mish", mish_forward, mish_backward}}) {}
//   };
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assay/sdk/operator.hpp"

namespace assay::operators {

struct Function {
  const char* api;
  Results (*forward)(const assay_call& call);
  Results (*backward)(const assay_call& call);  ///< null: not differentiable
};

class Family : public Operator {
 public:
  explicit Family(std::vector<Function> functions) : functions_(std::move(functions)) {
    for (const Function& function : functions_) apis_.push_back(function.api);
  }

  [[nodiscard]] const std::vector<const char*>& apis() const override { return apis_; }

  Results invoke(const assay_call& call) override {
    for (const Function& function : functions_) {
      if (std::string(function.api) != call.api) continue;
      if (call.direction == ASSAY_FORWARD) return function.forward(call);
      if (function.backward == nullptr) throw Error(ASSAY_UNSUPPORTED, std::string(call.api) + " is not differentiable");
      return function.backward(call);
    }
    throw Error(ASSAY_NOT_FOUND, "there is no operator '" + std::string(call.api) + "' here");
  }

 private:
  std::vector<Function> functions_;
  std::vector<const char*> apis_;
};

}  // namespace assay::operators
