// The published table: what a step costs under the watch, row by row.
//
//   Result<std::vector<PublishedRow>> rows = read_rows("bench/inflation/data/published.csv");
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::bench {

struct PublishedRow {
  std::size_t number = 0;         ///< in the file, from 1
  std::string model;              ///< "LLaMA2-7B"
  std::string mode;               ///< baseline, check, fix, preheat
  std::string direction;          ///< forward, backward; empty for a baseline
  std::string scope;              ///< as it stands: ["softmax"], [] for all operators
  std::vector<std::string> apis;  ///< the names in it
  std::string perturbation;       ///< add_noise, ...; empty for a baseline
  std::string time_s, peak_gb;    ///< as printed
  double time_inflation = 0;
  double memory_inflation = 0;
  std::string note;

  [[nodiscard]] bool is_baseline() const { return mode == "baseline"; }
  /// "check forward ["softmax"] add_noise"
  [[nodiscard]] std::string what() const;
};

/// errors  kInput: no such file, other columns, a row that makes no sense; with its line
Result<std::vector<PublishedRow>> read_rows(const std::filesystem::path& path);

}  // namespace assay::bench
