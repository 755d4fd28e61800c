// One or more perturbation plugins that change a tensor one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/abi/perturbation.h"
#include "assay/sdk/tensor.hpp"
#include "loader/registry.hpp"

namespace assay {

struct PerturbationConfig {
  std::string component;  ///< "assay.add-noise"
  std::string config_json = "{}";
};

/// A stage of the pipeline: what is applied, in this order, before one run of the operator.
struct PerturbationStage {
  std::string name;  ///< as rows show it: "add-noise"
  std::vector<PerturbationConfig> chain;
  std::vector<std::string> classes;  ///< of the stability table: the only operators it is for; empty: all
};

struct PerturbedTensor {
  Tensor tensor;
  std::uint64_t changed = 0;  ///< elements that differ in value from the input
};

class PerturbationChain {
 public:
  /// errors  those of Registry::create; kPlugin: a component has no perturbation table
  static Result<PerturbationChain> create(Registry& registry, const PerturbationStage& stage);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The peer's word for it: "add_noise"; parts of a chain joined by '+'.
  [[nodiscard]] const std::string& peer_name() const { return peer_name_; }
  /// Whether the stage is for a class of operators.
  [[nodiscard]] bool is_for(const std::string& operator_class) const;
  /// A control: no part changes a value.
  [[nodiscard]] bool is_identity() const;
  /// Some part is meant for all tensors of a call together.
  [[nodiscard]] bool wants_all_inputs() const;

  /// Why the tensor isn't eligible for the first part; empty if it is.
  [[nodiscard]] std::string refusal(const Tensor& input) const;

  /// The changed copy. errors  kUnsupported: a part refuses the tensor; kPlugin: a part failed
  [[nodiscard]] Result<PerturbedTensor> apply(const Tensor& input, std::uint64_t seed, std::uint32_t max_threads) const;

  /// The parts one by one, over memory of the caller's: what a part makes of a tensor, then the changed copy.
  [[nodiscard]] std::size_t parts() const { return parts_.size(); }
  [[nodiscard]] Result<assay_perturbed_layout> plan_part(std::size_t part, const assay_tensor& input) const;
  /// Returns how many elements changed their value.
  [[nodiscard]] Result<std::uint64_t> apply_part(std::size_t part, const assay_tensor& input, std::uint64_t seed,
                                                 std::uint32_t max_threads, assay_tensor& output) const;

 private:
  struct Part {
    std::string component;
    Instance instance;
    const assay_perturbation* table;
  };

  std::string name_;
  std::string peer_name_;
  std::vector<std::string> classes_;
  std::vector<Part> parts_;
};

}  // namespace assay
