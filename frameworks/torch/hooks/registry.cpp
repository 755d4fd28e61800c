#include "hooks.hpp"

namespace assay::torch_adapter {

const std::map<std::string, Hook>& hooks() {
  static const std::map<std::string, Hook> table = {};
  return table;
}

}  // namespace assay::torch_adapter
