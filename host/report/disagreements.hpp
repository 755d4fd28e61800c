// Where the recordings of a job disagree: a call that is wrong on one rank and right on the others points to that rank's device,
// data or software; one that is wrong on all points to the operator.
//
//   Disagreements all;
//   run.write({..., all.sink("step0/rank3")});    // for each recording
//   all.write(out / "ranks.csv");
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/sink.hpp"

namespace assay {

/// One direction of a call that isn't judged alike everywhere.
struct Disagreement {
  std::string name;                   ///< "Functional.linear.3.forward"
  std::array<std::size_t, 4> counts;  ///< recordings with the verdict pass, warning, error, skip
  Verdict odd = Verdict::kNone;       ///< the verdict that the fewest have
  std::vector<std::string> odd_in;    ///< the first of those
};

class Disagreements {
 public:
  /// Takes the results of one recording; lives no longer than this object. Memory grows with the calls of a recording, not with the
  /// number of recordings.
  std::unique_ptr<ResultSink> sink(const std::string& recording);

  /// Errors that few have come first.
  [[nodiscard]] std::vector<Disagreement> list() const;
  [[nodiscard]] std::size_t recordings() const { return recordings_.size(); }

 private:
  friend class DisagreementSink;
  static constexpr std::size_t kNamed = 4;

  /// Of one direction: how many recordings say what, and the first of them.
  struct Tally {
    std::array<std::uint32_t, 4> counts{};
    std::array<std::array<std::uint32_t, kNamed>, 4> first{};
    void add(Verdict verdict, std::uint32_t recording);
  };
  struct Call {
    std::string stem;
    std::array<Tally, 2> directions;
  };
  void add(std::uint32_t recording, const ApiResult& result);

  std::vector<std::string> recordings_;
  std::vector<Call> calls_;  // in the order in which they were seen first
  std::unordered_map<std::string, std::size_t> index_;
};

/// ranks.csv. errors  those of OutputFile
Status write_disagreements(const std::vector<Disagreement>& list, const std::filesystem::path& path);

/// "error in step0/rank3, pass in 63": for people.
std::string disagreement_text(const Disagreement& disagreement);

}  // namespace assay
