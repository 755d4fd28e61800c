#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "report/merge.hpp"
#include "report/run_journal.hpp"
#include "watch/merge_ranks.hpp"

namespace assay {

int merge_command(const Arguments& arguments) {
  static const CommandHelp kHelp = {
      "assay merge DIR... --out DIR [options]",
      "Joins the results of `assay check --shard K/N` into one run, and the ranks of `assay watch` into one table.",
      "  assay merge shard-1 shard-2 shard-3 --out results\n"};
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
  Result<ShardedRun> run = ShardedRun::open(folders);
  if (!run) return fail(run.failure());
  if (Status s = make_out_folder(out); !s) return fail(s.failure());
  // Held so that no run writes here meanwhile.
  Result<RunJournal> journal = open_run_journal(out, false, run->info(), local_timestamp());
  if (!journal) return fail(journal.failure());
  std::vector<std::unique_ptr<ResultSink>> sinks;
  sinks.push_back(
      make_terminal_sink({values.count("quiet") != 0, use_color(values.count("no-color") != 0), use_progress(), out.string()}));
  sinks.push_back(make_run_json_sink(out));
  sinks.push_back(make_table_sink(out));
  sinks.push_back(make_jsonl_sink(out));
  sinks.push_back(make_html_sink(out));
  if (values.count("format") != 0) sinks.push_back(make_msprobe_sink(out, local_timestamp()));
  Result<RunSummary> summary = run->write(sinks);
  if (!summary) return fail(summary.failure());
  if (Status s = journal->journal.remove(); !s) return fail(s.failure());
  return exit_code(summary->counts);
}

}  // namespace assay
