// The API that an operator stands for: "aten::linear" is Functional.linear, "aten::add_" Tensor.add_. Data:
// configs/apis/watch.json.
//
//   Result<ApiNames> names = ApiNames::load();
//   names->api_of("aten::nll_loss_nd");  // "Functional.nll_loss"
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/result.hpp"

namespace assay {

class ApiNames {
 public:
  /// errors  kInput: the shipped table can't be read
  static Result<ApiNames> load();

  /// op  "aten::name" without overload; other namespaces keep their name: "mylib::f" -> "mylib.f"
  [[nodiscard]] std::string api_of(const std::string& op) const;

 private:
  std::set<std::string> functional_;
  std::map<std::string, std::string> renamed_;
};

}  // namespace assay
