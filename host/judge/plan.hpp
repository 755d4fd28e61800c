// What a standard says about one API and direction, looked up once.
#pragma once

#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "judge/standard_model.hpp"

namespace assay {

struct Plan {
  OperatorClass op_class;
  std::vector<const Rule*> rules;     ///< that can apply to the class
  std::vector<const Kind*> kinds;     ///< that name the API; their `when` is still to be asked
  const Override* changed = nullptr;  ///< null: the user asks for nothing special
};

/// Plans by API and direction; made on first use. [any-thread]
class PlanBook {
 public:
  explicit PlanBook(const Standard& standard) : standard_(standard) {}
  const Plan& plan(const std::string& api, const std::string& direction);

 private:
  [[nodiscard]] Plan make(const std::string& api, const std::string& direction) const;

  Standard standard_;
  std::shared_mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<const Plan>> plans_;
};

}  // namespace assay
