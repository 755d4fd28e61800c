// What the watch knows about an operator from its schema, looked up once.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "perturb/stability.hpp"
#include "watch/api_names.hpp"

namespace assay::watch {

/// An API and its calls in the current step.
struct Api {
  std::string name;  ///< "Functional.linear"
  std::atomic<std::uint64_t> calls{0};
};

struct OperatorInfo {
  std::string name;  ///< "aten::linear"
  Api* api = nullptr;
  const char* skipped = nullptr;  ///< why it is never checked; null: it may be
  std::vector<bool> written;      ///< by argument: what is written, marked in the schema or not
  std::vector<bool> perturbable;  ///< by argument: what may go in changed; not what is only written
  bool writes = false;
  bool returns_tensors = false;
  bool custom = false;  ///< of the job: its schema may not say what it writes
  bool adds = false;    ///< one tensor to another
  std::uint64_t id = 0;
};

class Operators {
 public:
  /// namespaces  those that may be run again
  Operators(ApiNames names, std::vector<std::string> namespaces) : names_(std::move(names)), namespaces_(std::move(namespaces)) {}

  /// Lives as long as this. [any-thread]
  const OperatorInfo& info(const c10::OperatorHandle& op);
  /// All counts of calls back to 0.
  void begin_step();

 private:
  std::unique_ptr<OperatorInfo> make(const c10::OperatorHandle& op);

  ApiNames names_;
  std::vector<std::string> namespaces_;
  std::mutex mutex_;
  std::unordered_map<const void*, std::unique_ptr<OperatorInfo>> infos_;
  std::map<std::string, std::unique_ptr<Api>> apis_;
};

}  // namespace assay::watch
