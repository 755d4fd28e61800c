// Judges one recorded API: builds its inputs, asks target and reference, compares what they gave.
#pragma once

#include <cstdint>
#include <optional>

#include "dump/inputs.hpp"
#include "judge/judge.hpp"
#include "pipeline/breakdown.hpp"
#include "pipeline/call_plan.hpp"
#include "pipeline/engine.hpp"
#include "pipeline/failure_saver.hpp"
#include "pipeline/results.hpp"
#include "pipeline/second_meanings.hpp"

namespace assay {

/// Which directions of a call to judge.
inline constexpr unsigned kForwardDirection = 1;
inline constexpr unsigned kBackwardDirection = 2;
inline constexpr unsigned kBothDirections = kForwardDirection | kBackwardDirection;

struct EvaluatorOptions {
  std::uint64_t seed = 0;
  std::uint32_t threads = 1;
  bool summaries = false;             ///< fill min, max, mean and norm of both sides
  std::optional<FailureSaver> saver;  ///< for calls with errors; absent: they are not saved
  bool nudge = false;  ///< judge failing outputs again beside a reference run on inputs moved by one unit in the last place
};

class Evaluator {
 public:
  /// target  absent: the outputs recorded in the dump
  Evaluator(Dump dump, InputBuilder inputs, Judge judge, SecondMeanings meanings, std::optional<Engine> target, Engine reference,
            EvaluatorOptions options);

  /// The same call gives the same result whatever was evaluated before. Never fails as a whole: what goes wrong is in the result.
  /// After a breakdown in the forward call the backward is not tried, see breakdown().
  [[nodiscard]] ApiResult evaluate(std::size_t position, unsigned directions = kBothDirections, const Started& started = {}) const;

  /// The result of a call that the call `original` stands for.
  [[nodiscard]] ApiResult stand_in(std::size_t position, unsigned directions, const std::string& original) const;

  /// Of the last call that was evaluated.
  [[nodiscard]] const Breakdown& breakdown() const { return breakdown_; }

  [[nodiscard]] const Judge& judge() const { return judge_; }
  [[nodiscard]] const Dump& dump() const { return dump_; }

 private:
  struct Context;
  using DirectionOf = DirectionResult (Evaluator::*)(const Context&) const;
  /// Recorded outputs that don't fit the first API that a name stands for may be those of the second.
  [[nodiscard]] DirectionResult by_either_meaning(const Context& context, DirectionOf direction) const;
  /// Engine::invoke, which notes breakdowns.
  [[nodiscard]] Invocation invoke(const Engine& engine, const std::string& api, std::int32_t direction, const CallInputs& inputs,
                                  std::uint64_t seed, const std::string& precision = {}) const;
  template <class Judging>
  [[nodiscard]] DirectionResult contained(const Judging& judging) const;
  /// In the precision that the pipeline sets for the API.
  [[nodiscard]] Invocation ask_reference(const Context& context, std::int32_t direction, const CallInputs& inputs) const;
  [[nodiscard]] DirectionResult forward(const Context& context) const;
  [[nodiscard]] DirectionResult backward(const Context& context) const;
  /// Judges pairs of outputs into rows named "<stem>.<direction>.output.<position>".
  [[nodiscard]] std::vector<OutputRow> judge_pairs(const Context& context, const struct Pairs& pairs) const;
  /// The direction's verdict; where outputs fail, asks the reference again on nudged inputs first.
  void conclude(const Context& context, struct Pairs& pairs, DirectionResult& out) const;

  Dump dump_;
  InputBuilder inputs_;
  Judge judge_;
  SecondMeanings meanings_;
  std::optional<Engine> target_;
  Engine reference_;
  EvaluatorOptions options_;
  mutable Breakdown breakdown_;
};

}  // namespace assay
