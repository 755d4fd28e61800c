// What one side of a comparison says, whichever file it came from: directions of API calls, their outputs, verdicts and metrics.
//
//   ResultSet set(path, {"max_ulp", "max_scaled_error"});
//   set.add("Functional.linear.3", false).outputs.push_back(output);
//   const DirectionEntry* entry = set.find("Functional.linear.3", false);
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "judge/judge.hpp"

namespace assay {

/// Things that were noticed while reading; the first ones in words, all of them counted.
class Notes {
 public:
  static constexpr std::size_t kMaxKept = 200;

  void add(std::string note) {
    if (kept_.size() < kMaxKept) kept_.push_back(std::move(note));
    ++count_;
  }
  [[nodiscard]] const std::vector<std::string>& kept() const { return kept_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::vector<std::string> kept_;
  std::size_t count_ = 0;
};

/// The name of an output, taken apart; all views borrow from it.
struct OutputName {
  std::string_view stem;  ///< "Functional.linear.3"
  bool backward = false;
  std::string_view output = {};  ///< "output.0"
};

/// "Functional.linear.3.forward.output.0"; nothing if there is no direction in it.
std::optional<OutputName> parse_output_name(std::string_view name);

/// "Functional.linear" of "Functional.linear.3".
std::string_view api_of_stem(std::string_view stem);

struct OutputEntry {
  std::string output;  ///< "output.0"
  Verdict verdict = Verdict::kNone;
  std::string dtype;
  std::string message;
  std::vector<std::optional<double>> metrics;  ///< parallel to ResultSet::metric_names()
};

struct DirectionEntry {
  std::string stem;
  bool backward = false;
  Verdict verdict = Verdict::kNone;
  std::string message;
  std::vector<OutputEntry> outputs;
};

class ResultSet {
 public:
  ResultSet() = default;
  ResultSet(std::string source, std::vector<std::string> metric_names)
      : source_(std::move(source)), metric_names_(std::move(metric_names)) {}

  /// The entry of a direction, made where it is new. Valid until the set goes.
  DirectionEntry& add(std::string_view stem, bool backward);
  /// Null: the side doesn't have it.
  [[nodiscard]] const DirectionEntry* find(const std::string& stem, bool backward) const;

  [[nodiscard]] const std::deque<DirectionEntry>& directions() const { return directions_; }
  [[nodiscard]] const std::vector<std::string>& metric_names() const { return metric_names_; }
  [[nodiscard]] std::size_t api_count() const;
  [[nodiscard]] const std::string& source() const { return source_; }

  Notes notes;

 private:
  std::string source_;
  std::vector<std::string> metric_names_;
  std::deque<DirectionEntry> directions_;  // in order of the file
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace assay
