// What `assay perturb` says: plain data, written by its sinks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "perturb/peer_compare.hpp"

namespace assay {

/// What a row found out.
enum class Finding {
  kControl,           ///< the same inputs gave the same outputs
  kNonDeterministic,  ///< the same inputs gave other outputs: nothing else can be said
  kStable,            ///< amplification as expected
  kUnstable,          ///< amplification above what is expected of the operator
  kLeftDomain,        ///< the perturbed inputs led to NaN or infinity
  kDiscrete,          ///< only integers or bools come out
  kNotMeasured,       ///< an input of zeros changed: no relative change
  kUnperturbed,       ///< the perturbation changed nothing
  kNotEligible,       ///< no input that the perturbation is for
  kReplaced,          ///< fix: the perturbed outputs took the original's place
  kNotRun             ///< the call could not be made
};

/// "stable", "left the domain", ...
std::string_view finding_name(Finding finding);

struct Spread {
  double mean = 0;
  double deviation = 0;  ///< standard deviation over the seeds
  double largest = 0;
};

/// One perturbation of one input (or of all) of one call in one direction.
struct PerturbRow {
  std::string name;          ///< "Functional.linear.3.forward"
  std::string api;           ///< "Functional.linear"
  std::string direction;     ///< "forward", "backward"
  std::string perturbation;  ///< stage name
  std::string input;         ///< path, or "all"
  std::string dtype;         ///< of the (first) perturbed input
  Finding finding = Finding::kNotRun;
  Verdict verdict = Verdict::kSkip;
  std::string reason;
  std::string message;
  unsigned seeds = 0;          ///< runs that count
  std::uint64_t changed = 0;   ///< input elements of another value, of the first seed
  std::uint64_t elements = 0;  ///< of the perturbed inputs
  double input_change = 0;     ///< relative, mean over seeds
  double output_change = 0;    ///< of the output that reacts most
  std::string output;          ///< its path
  std::optional<Spread> amplification;
  std::optional<double> bits_lost;  ///< log2 of the mean amplification, at least 0
  std::string expected;             ///< class of the operator
  std::optional<double> limit;
  std::optional<WorstElement> worst;  ///< actual: perturbed, expected: original
  double plain_ms = 0;                ///< one run of the operator
  double perturbed_ms = 0;            ///< mean of a run on perturbed inputs
  double overhead_ms = 0;             ///< mean of perturbing and comparing
  bool damaged = false;               ///< not run because of a damaged recording or a failed plugin
};

/// One inconsistent output by the peer's rules.
struct PeerRow {
  std::string perturbation;  ///< "add_noise"
  std::string stage;         ///< "forward", "backward"
  std::string api_name;      ///< "Torch.matmul.0.forward"; MindSpore: "Mint.add.0"
  PeerDifference difference;
};

struct PerturbReport {
  std::string stem;
  std::vector<PerturbRow> rows;
  std::vector<PeerRow> peer_rows;
};

/// An operator in the ranking: its largest mean amplification over all calls and small perturbations.
struct RankedOperator {
  std::string api;
  std::string direction;
  std::string dtype;
  double amplification = 0;
  double bits_lost = 0;
  std::string perturbation;
  std::string call;
  std::string input;
  Finding finding = Finding::kStable;
};

struct PerturbCounts {
  std::size_t calls = 0;
  std::size_t rows = 0;
  std::size_t stable = 0;
  std::size_t unstable = 0;
  std::size_t left_domain = 0;
  std::size_t non_deterministic = 0;
  std::size_t unperturbed = 0;  ///< nothing changed, or no eligible input
  std::size_t not_run = 0;
  std::size_t damaged = 0;
};

/// Time of a perturbation as a ratio to running each operator once.
struct StageCost {
  std::string perturbation;
  double ratio = 0;  ///< (one plain run + one perturbed run + perturbing and comparing) / one plain run, over all rows that ran
};

struct PerturbSummary {
  PerturbCounts counts;
  std::vector<RankedOperator> ranking;  ///< most unstable first
  std::vector<StageCost> costs;
  double seconds = 0;
  double plain_seconds = 0;  ///< each operator once
  bool complete = false;
};

}  // namespace assay
