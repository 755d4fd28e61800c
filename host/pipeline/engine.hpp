// Runs single calls on an adapter and brings the results safely over the boundary. What the adapter lacks may be run by an operator
// plugin instead.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/abi/adapter.h"
#include "assay/sdk/value.hpp"
#include "loader/registry.hpp"
#include "pipeline/operators.hpp"

namespace assay {

/// Which adapter, and how it computes.
struct EngineSpec {
  std::string component;              ///< "assay.torch", "assay.torch@1.13"
  std::string precision = "float64";  ///< "as-recorded", "float32", "float64"
  std::string config_json = "{}";     ///< of the component
};

/// The arguments of one call.
struct CallInputs {
  std::vector<Value> args;
  std::vector<NamedValue> kwargs;
  std::vector<Value> grad_outputs;
};

/// What came of a call. The tensors in `results` keep the adapter's memory alive.
struct Invocation {
  assay_status status = ASSAY_OK;
  std::string message;  ///< why it failed
  Results results;
  double milliseconds = 0;
  std::string operator_plugin;   ///< "assay.norms" where that ran instead of the adapter
  std::uint64_t peak_bytes = 0;  ///< of the framework's allocator, beyond what it held before; 0: the adapter doesn't say
};

class Engine {
 public:
  /// errors  those of Registry::create; kPlugin: the component has no adapter table
  static Result<Engine> create(Registry& registry, const EngineSpec& spec);

  /// The same in a process of its own, whose calls may take `memory_limit` bytes (0: no limit).
  static Result<Engine> create_isolated(const Registry& registry, const EngineSpec& spec, std::uint64_t memory_limit);

  /// From now on, calls that the adapter doesn't have or support go to the operator plugin that has the API; a note says so.
  void fall_through_to(std::shared_ptr<Operators> operators) { operators_ = std::move(operators); }

  /// Whether the adapter has the API; the message is the adapter's reason.
  [[nodiscard]] Invocation supports(const std::string& api, std::int32_t direction) const;

  /// Runs one call. Results are checked before they are touched: what a plugin returns is data like any other. [instance-serial]
  /// precision  as in EngineSpec; "": the engine's
  [[nodiscard]] Invocation invoke(const std::string& api, std::int32_t direction, const CallInputs& inputs, std::uint64_t seed,
                                  const std::string& precision = {}) const;

  [[nodiscard]] const EngineSpec& spec() const { return spec_; }
  [[nodiscard]] const std::string& framework() const { return framework_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const std::string& details() const { return details_; }

 private:
  Engine(Instance instance, const assay_adapter* table, EngineSpec spec);
  static Result<Engine> of(Instance instance, const EngineSpec& spec);

  [[nodiscard]] std::uint64_t held_bytes() const;
  /// Beyond `held_before`.
  [[nodiscard]] std::uint64_t peak_bytes(std::uint64_t held_before) const;

  Instance instance_;
  const assay_adapter* table_;
  std::shared_ptr<Operators> operators_;
  const assay_memory_stats* memory_ = nullptr;  ///< null: the adapter has none
  EngineSpec spec_;
  std::int32_t precision_ = ASSAY_PRECISION_FLOAT64;
  std::string framework_;
  std::string version_;
  std::string details_;
};

}  // namespace assay
