// Where the rows of `assay perturb` go. A run calls begin once, add for each call in dump order, finish once.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "perturb/perturb_results.hpp"
#include "perturb/preheat.hpp"
#include "report/sink.hpp"

namespace assay {

struct PerturbInfo {
  std::string command;
  std::string dump_path;
  std::string dump_fingerprint;
  DumpHeader header;
  std::size_t call_count = 0;     ///< selected
  std::vector<std::string> apis;  ///< of each selected call
  SideInfo engine;
  std::vector<std::string> perturbations;
  unsigned seeds = 1;
  std::string config_json;
  std::string rank;  ///< as the peer writes it; empty: unknown
  std::string step;
};

class PerturbSink {
 public:
  virtual ~PerturbSink() = default;
  virtual Status begin(const PerturbInfo& info) = 0;
  virtual Status add(const PerturbReport& report) = 0;
  virtual Status finish(const PerturbSummary& summary, const std::vector<Preheat::Learned>& learned) = 0;
};

/// perturb.csv (a row for each call, direction, perturbation and input), ranking.csv, preheat.csv where something was learned.
std::unique_ptr<PerturbSink> make_perturb_table_sink(const std::filesystem::path& folder);
/// The peer's free_benchmark.csv in `folder`.
std::unique_ptr<PerturbSink> make_free_benchmark_sink(const std::filesystem::path& folder);
/// run.json in `folder`: versions, configuration, counts, cost, how to reproduce.
std::unique_ptr<PerturbSink> make_perturb_run_json_sink(const std::filesystem::path& folder);
/// perturb.jsonl in `folder`: a line about the run, then a line for each call; what reports are rebuilt from.
std::unique_ptr<PerturbSink> make_perturb_jsonl_sink(const std::filesystem::path& folder);
/// report.html in `folder`: one self-contained page.
std::unique_ptr<PerturbSink> make_perturb_html_sink(const std::filesystem::path& folder);
/// Findings as they happen, the ranking and the closing line.
std::unique_ptr<PerturbSink> make_perturb_terminal_sink(const TerminalOptions& options);

}  // namespace assay
