#include <algorithm>
#include <iostream>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "report/disagreements.hpp"
#include "report/merge.hpp"
#include "report/recordings.hpp"
#include "report/run_journal.hpp"
#include "watch/merge_ranks.hpp"

namespace assay {

namespace {

/// Joins the runs of one recording; `more` is a further sink.
Result<RunSummary> merge_runs(const RecordingRuns& recording, const std::filesystem::path& out, const po::variables_map& values,
                              std::unique_ptr<ResultSink> more) {
  Result<ShardedRun> run = ShardedRun::open(recording.folders);
  if (!run) return run.failure();
  if (Status s = make_out_folder(out); !s) return s.failure();
  // Held so that no run writes here meanwhile.
  Result<RunJournal> journal = open_run_journal(out, false, run->info(), local_timestamp());
  if (!journal) return journal.failure();
  std::vector<std::unique_ptr<ResultSink>> sinks;
  sinks.push_back(std::move(more));
  sinks.push_back(make_run_json_sink(out));
  sinks.push_back(make_table_sink(out));
  sinks.push_back(make_jsonl_sink(out));
  sinks.push_back(make_html_sink(out));
  if (values.count("format") != 0) sinks.push_back(make_msprobe_sink(out, local_timestamp()));
  Result<RunSummary> summary = run->write(sinks);
  if (!summary) return summary.failure();
  if (Status s = journal->journal.remove(); !s) return s.failure();
  return summary;
}

/// A result of its own for each recording, and where they disagree.
Result<VerdictCounts> merge_recordings(const std::vector<RecordingRuns>& recordings, const std::filesystem::path& out,
                                       const po::variables_map& values) {
  constexpr std::size_t kMostShown = 10;
  VerdictCounts counts;
  Disagreements all;
  for (const RecordingRuns& recording : recordings) {
    Result<RunSummary> summary = merge_runs(recording, out / recording.name, values, all.sink(recording.name));
    if (!summary) return summary.failure();
    counts.add(summary->counts);
  }
  const std::vector<Disagreement> list = all.list();
  const std::filesystem::path path = out / "ranks.csv";
  if (Status s = write_disagreements(list, path); !s) return s.failure();
  if (values.count("quiet") != 0) return counts;
  std::cout << recordings.size() << " recordings, " << counts.apis << " APIs: " << counts.pass << " passed, " << counts.warning
            << " warnings, " << counts.error << " errors, " << counts.skip << " skipped\n"
            << list.size() << " directions are judged differently in some of them" << (list.empty() ? "\n" : ":\n");
  for (std::size_t i = 0; i < std::min(list.size(), kMostShown); ++i) {
    std::cout << "  " << escape_control(list[i].name) << ": " << escape_control(disagreement_text(list[i])) << "\n";
  }
  if (list.size() > kMostShown) std::cout << "  ... and " << list.size() - kMostShown << " more\n";
  std::cout << "table: " << escape_control(path.string()) << "\n";
  return counts;
}

}  // namespace

int merge_command(const Arguments& arguments) {
  static const CommandHelp kHelp = {"assay merge DIR... --out DIR [options]",
                                    "Joins the results of `assay check --shard K/N`, of one recording or of many ranks and steps, "
                                    "and the ranks of `assay watch`.",
                                    "  assay merge shard-1 shard-2 shard-3 --out results\n"
                                    "  assay merge parts --out results          # every run below a folder\n"};
  po::options_description options("options");
  options.add_options()("out", po::value<std::string>()->value_name("DIR"), "folder for the results")(
      "format", po::value<std::vector<std::string>>()->value_name("F"), "files to write besides: msprobe")(
      "quiet,q", "say nothing unless something fails")("no-color", "no colours");
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, options, arguments, {"folder"}, true);
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const po::variables_map& values = **parsed;
  std::vector<std::filesystem::path> folders;
  for (const std::string& folder : get_list<std::string>(values, "folder")) folders.emplace_back(folder);
  const std::filesystem::path out = get_optional<std::string>(values, "out").value_or("");
  if (folders.empty() || out.empty()) return fail(input_failure("merge: no folders or no --out given; usage: " + kHelp.usage));
  for (const std::string& format : get_list<std::string>(values, "format")) {
    if (format != "msprobe") return fail(input_failure("use --format '" + format + "': expected msprobe"));
  }

  if (holds_ranks(folders.front())) {
    if (Status made = make_out_folder(out); !made) return fail(made.failure());
    const Status merged = merge_ranks(folders, out);
    return merged ? kExitPassed : fail(merged.failure());
  }
  Result<std::vector<RecordingRuns>> recordings = find_recordings(folders);
  if (!recordings) return fail(recordings.failure());
  if (recordings->size() > 1) {
    Result<VerdictCounts> counts = merge_recordings(*recordings, out, values);
    return counts ? exit_code(*counts) : fail(counts.failure());
  }
  const TerminalOptions terminal{values.count("quiet") != 0, use_color(values.count("no-color") != 0), use_progress(),
                                 out.string()};
  Result<RunSummary> summary = merge_runs(recordings->front(), out, values, make_terminal_sink(terminal));
  return summary ? exit_code(summary->counts) : fail(summary.failure());
}

}  // namespace assay
