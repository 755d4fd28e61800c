#include <algorithm>
#include <iostream>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/worker_options.hpp"
#include "rebuild/rebuild.hpp"
#include "report/run_journal.hpp"
#include "worker/check_job.hpp"
#include "worker/in_process.hpp"
#include "worker/limits.hpp"
#include "worker/supervisor.hpp"

namespace assay {

namespace {

po::options_description check_options() {
  po::options_description options("options");
  auto add = options.add_options();
  add("config", po::value<std::string>()->value_name("FILE"), "pipeline configuration, merged over the shipped one");
  add("out", po::value<std::string>()->value_name("DIR"), "folder for the results");
  add("resume", po::value<std::string>()->value_name("DIR"), "as --out, and go on with what an earlier run did there");
  add("target", po::value<std::string>()->value_name("NAME"), "what is tested: recorded, torch, mint, or a component id");
  add("reference", po::value<std::string>()->value_name("NAME"), "the adapter that is trusted (torch)");
  add("precision", po::value<std::string>()->value_name("P"), "of the reference: as-recorded, float32 or float64");
  add("standard", po::value<std::string>()->value_name("NAME"), "rules of judgement: assay, msprobe-mint, ..., or a file");
  add("inputs", po::value<std::string>()->value_name("RULE"), "inputs made from statistics: assay or msprobe");
  add("api", po::value<std::vector<std::string>>()->value_name("NAME"),
      "check only these (globs; Functional.linear or Functional.linear.3) and show both sides");
  add("filter", po::value<std::vector<std::string>>()->value_name("NAME"), "as --api, without showing both sides");
  add("skip", po::value<std::vector<std::string>>()->value_name("NAME"), "leave these out (globs)");
  add("only-from", po::value<std::string>()->value_name("FILE"), "as --filter, from a file with a name or glob a line");
  add("skip-from", po::value<std::string>()->value_name("FILE"), "as --skip, from a file");
  add("dedup", "check calls with the same API, shapes, dtypes and plain arguments once");
  add("sample", po::value<unsigned>()->value_name("N"), "at most N calls of each API, chosen by the seed");
  add("save-failures", po::value<std::string>()->value_name("SIZE"),
      "keep calls with errors, of at most this size each, in DIR/failures: recordings that `assay check` replays");
  add("shard", po::value<std::string>()->value_name("K/N"), "the K-th of N parts of about the same cost; `assay merge` joins them");
  add("format", po::value<std::vector<std::string>>()->value_name("F"),
      "further files to write: junit, md, msprobe (repeat for several); csv, html and jsonl are always written");
  add("baseline", po::value<std::string>()->value_name("DIR"), "results of an earlier run: the report says what changed");
  add("step", po::value<int>()->value_name("N"), "which step*/ below DUMP");
  add("rank", po::value<int>()->value_name("N"), "which rank*/ below DUMP");
  add("seed", po::value<std::uint64_t>()->value_name("N"), "seed of made inputs and random operators");
  add("threads", po::value<unsigned>()->value_name("N"), "threads of the comparisons");
  add("plugin-path", po::value<std::vector<std::string>>()->value_name("DIR"), "look for plugins here first");
  add("print-config", "print the merged configuration and stop");
  add("quiet,q", "say nothing unless something fails");
  add("no-color", "no colours");
  add_worker_options(options);
  return options;
}

const CommandHelp kHelp = {"assay check DUMP [options]", "Replays a recorded run on a reference framework and judges every output.",
                           "  assay check step0/rank0/dump.json --out results\n"
                           "  assay check run/ --step 0 --rank 3 --standard msprobe-mint --format msprobe --out results\n"
                           "  assay check dump.json --api Functional.linear.3\n"};

/// A file of names: one a line, blanks around them and lines that begin with '#' don't count.
Status add_names_of(const po::variables_map& values, const char* option, std::vector<std::string>& names) {
  const std::optional<std::string> file = get_optional<std::string>(values, option);
  if (!file) return Done{};
  Result<std::string> text = read_text(*file);
  if (!text) return text.failure();
  for (std::string_view line : split(*text, '\n')) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos || line[start] == '#') continue;
    names.emplace_back(line.substr(start, line.find_last_not_of(" \t\r") - start + 1));
  }
  return Done{};
}

Result<ConfigFlags> config_flags(const po::variables_map& values) {
  ConfigFlags flags;
  flags.target = get_optional<std::string>(values, "target");
  flags.reference = get_optional<std::string>(values, "reference");
  flags.precision = get_optional<std::string>(values, "precision");
  flags.standard = get_optional<std::string>(values, "standard");
  flags.inputs = get_optional<std::string>(values, "inputs");
  flags.seed = get_optional<std::uint64_t>(values, "seed");
  flags.threads = get_optional<unsigned>(values, "threads");
  flags.api = get_list<std::string>(values, "api");
  const std::vector<std::string> filter = get_list<std::string>(values, "filter");
  flags.api.insert(flags.api.end(), filter.begin(), filter.end());
  if (Status s = add_names_of(values, "only-from", flags.api); !s) return s.failure();
  flags.skip = get_list<std::string>(values, "skip");
  if (Status s = add_names_of(values, "skip-from", flags.skip); !s) return s.failure();
  flags.dedup = values.count("dedup") != 0;
  flags.sample = get_optional<unsigned>(values, "sample");
  flags.formats = get_list<std::string>(values, "format");
  return flags;
}

std::vector<std::unique_ptr<ResultSink>> make_sinks(const po::variables_map& values, const PipelineConfig& config,
                                                    const std::filesystem::path& out, const std::string& timestamp) {
  std::vector<std::unique_ptr<ResultSink>> sinks;
  const bool color = use_color(values.count("no-color") != 0);
  sinks.push_back(make_terminal_sink({values.count("quiet") != 0, color, use_progress(), out.string()}));
  if (values.count("api") != 0) sinks.push_back(make_inspection_sink(color));
  if (out.empty()) return sinks;
  sinks.push_back(make_run_json_sink(out));
  sinks.push_back(make_table_sink(out));
  sinks.push_back(make_jsonl_sink(out));
  sinks.push_back(make_html_sink(out));
  for (const std::string& format : config.formats) {
    if (format == "junit") sinks.push_back(make_junit_sink(out));
    if (format == "md") sinks.push_back(make_markdown_sink(out));
    if (format == "msprobe") sinks.push_back(make_msprobe_sink(out, timestamp));
  }
  return sinks;
}

Result<std::unique_ptr<JobRunner>> make_runner(Registry& registry, const CheckRequest& request, const po::variables_map& values,
                                               const Arguments& arguments) {
  if (worker_count(values) != 0) {
    return std::unique_ptr<JobRunner>(std::make_unique<Supervisor>(supervisor_options(values, "check", arguments)));
  }
  Result<WorkerRun> run = check_worker(registry, request);
  if (!run) return run.failure();
  return std::unique_ptr<JobRunner>(std::make_unique<InProcess>(std::move(*run)));
}

Result<CheckRequest> make_request(const po::variables_map& values, const PipelineConfig& config, const Arguments& arguments) {
  CheckRequest request;
  request.dump = values["dump"].as<std::string>();
  request.dump_options = {get_optional<int>(values, "step"), get_optional<int>(values, "rank")};
  request.config = config;
  request.summaries = values.count("api") != 0;
  if (const std::optional<std::string> text = get_optional<std::string>(values, "shard")) {
    Result<Shard> shard = parse_shard(*text);
    if (!shard) return shard.failure();
    request.shard = *shard;
  }
  if (values.count("save-failures") != 0) {
    const std::string out = get_optional<std::string>(values, values.count("resume") != 0 ? "resume" : "out").value_or("");
    if (out.empty()) return input_failure("save failures: there is no folder for them; add --out DIR");
    Result<std::uint64_t> limit = parse_size(values["save-failures"].as<std::string>());
    if (!limit) return limit.failure();
    request.saver.emplace(std::filesystem::path(out) / "failures", *limit);
  }
  // What changes no row of the API that is to be repeated is left out.
  request.command = shell_line("assay check", arguments,
                               {"--out", "--resume", "--api", "--filter", "--only-from", "--format", "--baseline", "--jobs", "-j",
                                "--shard", "--max-time", "--save-failures", "--devices", std::string("--") + kWorkerOption});
  return request;
}

/// The report once more, with what changed against an earlier run.
Status add_baseline(const po::variables_map& values, const PipelineConfig& config, const std::filesystem::path& out) {
  RebuildRequest request;
  request.folder = request.out = out;
  request.baseline = values["baseline"].as<std::string>();
  request.formats = {"html"};
  if (std::find(config.formats.begin(), config.formats.end(), "md") != config.formats.end()) request.formats.push_back("md");
  Result<std::vector<std::filesystem::path>> written = rebuild(request);
  return written ? Status(Done{}) : Status(written.failure());
}

}  // namespace

int check_command(const Arguments& arguments) {
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, check_options(), arguments, {"dump"});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const po::variables_map& values = **parsed;

  Result<ConfigFlags> flags = config_flags(values);
  if (!flags) return fail(flags.failure());
  Result<PipelineConfig> config = PipelineConfig::load("check", get_optional<std::string>(values, "config").value_or(""), *flags);
  if (!config) return fail(config.failure());
  if (values.count("print-config") != 0) {
    std::cout << config->json << "\n";
    return kExitPassed;
  }
  if (values.count("dump") == 0) return fail(input_failure("check: no dump given; usage: " + kHelp.usage));
  if (values.count("out") != 0 && values.count("resume") != 0) {
    return fail(input_failure("use --out and --resume together: --resume DIR alone continues the run in DIR"));
  }
  Result<CheckRequest> request = make_request(values, *config, arguments);
  if (!request) return fail(request.failure());
  Result<std::optional<std::uint64_t>> memory = memory_limit(values);
  if (!memory) return fail(memory.failure());
  request->memory_limit = memory->value_or(0);

  if (values.count("baseline") != 0 && values.count("out") + values.count("resume") == 0) {
    return fail(input_failure("use --baseline: its report needs a folder; add --out DIR"));
  }
  std::vector<std::filesystem::path> plugin_path;
  for (const std::string& folder : get_list<std::string>(values, "plugin-path")) plugin_path.emplace_back(folder);
  if (values.count(kWorkerOption) != 0) enter_worker();
  Registry registry = Registry::discover(default_search_path(plugin_path));
  if (values.count(kWorkerOption) != 0) return serve(check_worker(registry, *request), *memory);

  Result<std::unique_ptr<JobRunner>> runner = make_runner(registry, *request, values, arguments);
  if (!runner) return fail(runner.failure());
  Result<std::unique_ptr<CheckJob>> job = CheckJob::start(std::move(*runner));
  if (!job) return fail(job.failure());
  // A shard without calls is one that the others need for their merge.
  if ((*job)->info().api_count == 0 && !request->shard) {
    std::cerr << "assay: nothing to check: no API of the dump matches the selection\n";
    return kExitNothingSelected;
  }

  const bool resume = values.count("resume") != 0;
  const std::filesystem::path out = get_optional<std::string>(values, resume ? "resume" : "out").value_or("");
  if (Status s = make_out_folder(out); !s) return fail(s.failure());
  Result<RunJournal> journal = open_run_journal(out, resume, (*job)->info(), local_timestamp());
  if (!journal) return fail(journal.failure());
  if (journal->complete) {
    std::cerr << "assay: nothing to do: '" << out.string() << "' holds this run, complete\n";
    return exit_code(*journal->complete);
  }
  Result<RunSummary> summary =
      (*job)->run(journal->journal, make_sinks(values, *config, out, journal->timestamp), stop_on_interrupt());
  if (!summary) return fail(summary.failure());
  if (values.count("baseline") != 0) {
    if (Status s = add_baseline(values, *config, out); !s) return fail(s.failure());
  }
  if (!summary->complete) {
    if (!out.empty()) std::cerr << "assay: stopped early; the same command with --resume " << out.string() << " goes on\n";
    return kExitInterrupted;
  }
  if (Status s = journal->journal.remove(); !s) return fail(s.failure());
  return exit_code(summary->counts);
}

}  // namespace assay
