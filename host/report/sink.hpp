// Where results go. A run calls begin once, add for each API in dump order, finish once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "dump/dump.hpp"
#include "pipeline/results.hpp"

namespace assay {

/// One side of the comparison, by name.
struct SideInfo {
  std::string source;  ///< "recorded" or the adapter's component id
  std::string framework;
  std::string version;
  std::string precision;
  std::string details;  ///< of an adapter: its build; of recorded outputs: which dump, where there are two
};

/// What a run is about; known before the first result.
struct RunInfo {
  std::string assay_version;  ///< set when it was read back
  std::string command;        ///< how to repeat the run, as a shell line
  std::string dump_path;
  std::string dump_fingerprint;
  DumpHeader header;
  std::size_t api_count = 0;  ///< selected
  std::string shard;          ///< "2/4" where the run is a part of one; else empty
  SideInfo target;
  SideInfo reference;
  std::string standard;
  std::vector<std::string> metric_names;
  std::string config_json;
  std::vector<SkippedKey> skipped_keys;
};

struct RunSummary {
  VerdictCounts counts;
  double seconds = 0;
  bool complete = false;  ///< false: interrupted; the results are a part
};

class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual Status begin(const RunInfo& info) = 0;
  virtual Status add(const ApiResult& result) = 0;
  virtual Status finish(const RunSummary& summary) = 0;
};

/// details.csv, result.csv and times.csv in `folder`.
std::unique_ptr<ResultSink> make_table_sink(const std::filesystem::path& folder);
/// results.jsonl in `folder`: a line of JSON for each API (pipeline/result_json.hpp); run.json names the metrics.
std::unique_ptr<ResultSink> make_jsonl_sink(const std::filesystem::path& folder);
/// run.json in `folder`: versions, configuration, counts, how to reproduce.
std::unique_ptr<ResultSink> make_run_json_sink(const std::filesystem::path& folder);
/// report.html in `folder`: one self-contained page. `more` is HTML that stands before the page's other sections.
std::unique_ptr<ResultSink> make_html_sink(const std::filesystem::path& folder, std::string more = {});
/// junit.xml in `folder`: a test case for each direction of each API, for CI servers.
std::unique_ptr<ResultSink> make_junit_sink(const std::filesystem::path& folder);
/// summary.md in `folder`: a screen for a pull request. `more` is Markdown that stands before the command.
std::unique_ptr<ResultSink> make_markdown_sink(const std::filesystem::path& folder, std::string more = {});
/// The peer's two files in `folder`, named with the local time `timestamp` (YYYYmmddHHMMSS).
std::unique_ptr<ResultSink> make_msprobe_sink(const std::filesystem::path& folder, const std::string& timestamp);
/// Progress, failures as they happen and the closing summary.
struct TerminalOptions {
  bool quiet = false;
  bool color = false;
  bool progress = false;  ///< stderr is a terminal
  std::string out_folder;
};
std::unique_ptr<ResultSink> make_terminal_sink(const TerminalOptions& options);
/// Both sides' summary of each output, for `--api`.
std::unique_ptr<ResultSink> make_inspection_sink(bool color);

}  // namespace assay
