// What a run says about one API: plain data, so that it can cross a process boundary and be written by any sink.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/judge.hpp"

namespace assay {

/// Least and largest value, mean and L2 norm of one side of a comparison, over finite elements.
struct ValueSummary {
  std::string dtype;  ///< "float32", or the kind of a plain value: "int", "bool"
  std::vector<std::int64_t> shape;
  bool is_tensor = false;
  std::string text;  ///< a plain value, written out
  double min = 0, max = 0, mean = 0, norm = 0;
  std::int64_t finite_count = 0;
};

/// One compared output.
struct OutputRow {
  std::string name;  ///< "Functional.linear.3.forward.output.0"
  Verdict verdict = Verdict::kNone;
  std::string reason;
  std::string message;
  std::string judged_as;             ///< class of the API in the standard: "reduction", "exact", "random"
  std::optional<Decision> decision;  ///< the number and the limit that decided
  ValueSummary actual;
  ValueSummary expected;
  std::vector<std::optional<double>> metrics;  ///< in order of the judge's metric_names()
  std::optional<WorstElement> worst;
  std::vector<WorstElement> next_worst;  ///< the elements that follow it, worst first
  std::vector<std::pair<std::uint32_t, double>>
      ulp_histogram;  ///< bins that hold elements, as (bin, count): 0, 1, 2, 3-4, 5-8, ... ulp
};

/// One direction of an API.
struct DirectionResult {
  Verdict verdict = Verdict::kNone;  ///< kNone: the dump has no such entry
  std::string reason;                ///< set when the direction was not judged
  std::string message;
  bool damaged = false;  ///< not judged because a recording is damaged or a plugin failed, not because it can't be
  std::vector<OutputRow> outputs;
  std::vector<std::string> notes;
  double target_ms = 0;
  double reference_ms = 0;
  /// What the framework's allocator held at most while the call ran, beyond what it held before; 0: the adapter doesn't say.
  std::uint64_t target_bytes = 0;
  std::uint64_t reference_bytes = 0;
};

struct ApiResult {
  std::size_t position = 0;  ///< in the dump
  std::string stem;          ///< "Functional.linear.3"
  std::string api;           ///< "Functional.linear"
  DirectionResult forward;
  DirectionResult backward;
};

/// How many directions ended how.
struct VerdictCounts {
  std::size_t apis = 0;
  std::size_t pass = 0;
  std::size_t warning = 0;
  std::size_t error = 0;
  std::size_t skip = 0;
  std::size_t damaged = 0;  ///< of the skipped: DirectionResult::damaged

  void add(const ApiResult& result);
  void add(const VerdictCounts& other);
};

/// The larger verdict of the two.
Verdict worse(Verdict left, Verdict right);

}  // namespace assay
