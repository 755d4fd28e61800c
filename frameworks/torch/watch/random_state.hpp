// The state of the random generators that an operator may draw from: kept while the operator runs, so that a repetition draws the
// same numbers, and afterwards nothing is different.
//
//   RandomState random(arguments);
//   run();                 // may draw
//   random.mark();         // what the job goes on with
//   random.rewind(); run_again();
//   random.restore();
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>
#include <ATen/core/ivalue.h>

#include <optional>
#include <vector>

namespace assay::watch {

class RandomState {
 public:
  /// Of the CPU's default generator and of those among the arguments.
  explicit RandomState(c10::ArrayRef<c10::IValue> arguments);

  void mark();
  void rewind();
  void restore();

 private:
  struct Cpu {
    at::mt19937_data_pod engine;
    std::optional<float> next_float;
    std::optional<double> next_double;
  };
  struct Other {
    at::Generator generator;
    at::Tensor before;
    at::Tensor after;
  };
  static Cpu read_default();
  static void write_default(const Cpu& state);
  static bool same(const Cpu& left, const Cpu& right);

  Cpu before_;
  Cpu after_;
  bool drew_ = false;
  std::vector<Other> others_;
};

}  // namespace assay::watch
