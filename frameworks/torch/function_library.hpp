// Functions that PyTorch writes in Python, as data: TorchScript text compiled on first use.
//
//   def Functional_softsign(input: Tensor) -> Tensor:
//     return input / (input.abs() + 1)
//
// A function's name is the API's with '_' for '.'; several definitions of one name are overloads, tried in order. Inside,
// `torch.f` is the operator aten::f, `torch.float32` a dtype, and every other function of the library can be called. A parameter
// of type BroadcastingList2[int] also takes one int.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace assay::torch_adapter {

struct LibraryFunction {
  std::string name;
  std::shared_ptr<const c10::FunctionSchema> schema;
  bool writes = false;  ///< some operator inside works in place
  std::function<void(std::vector<c10::IValue>& stack)> run;
};

class FunctionLibrary {
 public:
  /// Reads the files; compiles nothing. Throws Error(ASSAY_INVALID_ARGUMENT).
  explicit FunctionLibrary(const std::vector<std::string>& files);
  ~FunctionLibrary();

  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;

  /// The overloads that compile with this LibTorch. Where none does, throws Error(ASSAY_UNSUPPORTED) with the compiler's reason.
  const std::vector<LibraryFunction>& overloads(const std::string& name);

 private:
  class Resolver;
  struct Definition;
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace assay::torch_adapter
