// The operator plugins: reference implementations that stand in for APIs which an adapter lacks.
//
//   Operators operators(registry);
//   if (const OperatorPlugin* plugin = operators.find("NPU.npu_rms_norm")) plugin->table->invoke(...);
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/abi/operator.h"
#include "loader/registry.hpp"

namespace assay {

struct OperatorPlugin {
  Instance instance;
  const assay_operator* table;
};

class Operators {
 public:
  /// Loads nothing: most runs need no operator plugin.
  explicit Operators(Registry registry);

  /// The plugin that has the API, null if none has; the first that the registry found wins. Plugins that can't be brought up are
  /// logged and left out. [instance-serial]
  const OperatorPlugin* find(const std::string& api);

 private:
  void load();

  Registry registry_;
  bool loaded_ = false;
  std::vector<OperatorPlugin> plugins_;
  std::map<std::string, std::size_t> by_api_;
};

}  // namespace assay
