#include <iostream>

#include "base/locations.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/worker_options.hpp"
#include "worker/check_job.hpp"

namespace assay {

namespace {

po::options_description check_options() {
  po::options_description options("options");
  auto add = options.add_options();
  add("config", po::value<std::string>()->value_name("FILE"), "pipeline configuration, merged over the shipped one");
  add("out", po::value<std::string>()->value_name("DIR"), "folder for the results");
  add("target", po::value<std::string>()->value_name("NAME"), "what is tested: recorded, torch, mint, or a component id");
  add("reference", po::value<std::string>()->value_name("NAME"), "the adapter that is trusted (torch)");
  add("precision", po::value<std::string>()->value_name("P"), "of the reference: as-recorded, float32 or float64");
  add("standard", po::value<std::string>()->value_name("NAME"), "rules of judgement: assay, msprobe-mint, ..., or a file");
  add("inputs", po::value<std::string>()->value_name("RULE"), "inputs made from statistics: assay or msprobe");
  add("api", po::value<std::vector<std::string>>()->value_name("NAME"),
      "check only these (globs; Functional.linear or Functional.linear.3) and show both sides");
  add("skip", po::value<std::vector<std::string>>()->value_name("NAME"), "leave these out (globs)");
  add("format", po::value<std::vector<std::string>>()->value_name("F"), "files to write: csv, msprobe (repeat for several)");
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

ConfigFlags config_flags(const po::variables_map& values) {
  ConfigFlags flags;
  flags.target = get_optional<std::string>(values, "target");
  flags.reference = get_optional<std::string>(values, "reference");
  flags.precision = get_optional<std::string>(values, "precision");
  flags.standard = get_optional<std::string>(values, "standard");
  flags.inputs = get_optional<std::string>(values, "inputs");
  flags.seed = get_optional<std::uint64_t>(values, "seed");
  flags.threads = get_optional<unsigned>(values, "threads");
  flags.api = get_list<std::string>(values, "api");
  flags.skip = get_list<std::string>(values, "skip");
  flags.formats = get_list<std::string>(values, "format");
  return flags;
}

std::vector<std::unique_ptr<ResultSink>> make_sinks(const po::variables_map& values, const PipelineConfig& config,
                                                    const std::filesystem::path& out) {
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
    if (format == "msprobe") sinks.push_back(make_msprobe_sink(out, local_timestamp()));
  }
  return sinks;
}

/// A run that is ready to go, in this process or in workers.
struct Runner {
  RunInfo info;
  std::function<Result<RunSummary>(const std::vector<std::unique_ptr<ResultSink>>&)> run;
};

Result<Runner> in_process(Registry& registry, const CheckRequest& request) {
  Result<Check> prepared = Check::prepare(registry, request);
  if (!prepared) return prepared.failure();
  auto check = std::make_shared<Check>(std::move(*prepared));
  return Runner{check->info(), [check](const auto& sinks) { return check->run(sinks, stop_on_interrupt()); }};
}

Result<Runner> in_workers(const po::variables_map& values, const Arguments& arguments) {
  Result<std::shared_ptr<CheckJob>> started = CheckJob::start(supervisor_options(values, "check", arguments));
  if (!started) return started.failure();
  const std::shared_ptr<CheckJob> job = *started;
  return Runner{job->info(), [job](const auto& sinks) { return job->run(sinks, stop_on_interrupt()); }};
}

}  // namespace

int check_command(const Arguments& arguments) {
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, check_options(), arguments, {"dump"});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const po::variables_map& values = **parsed;

  Result<PipelineConfig> config =
      PipelineConfig::load("check", get_optional<std::string>(values, "config").value_or(""), config_flags(values));
  if (!config) return fail(config.failure());
  if (values.count("print-config") != 0) {
    std::cout << config->json << "\n";
    return kExitPassed;
  }
  if (values.count("dump") == 0) return fail(input_failure("check: no dump given; usage: " + kHelp.usage));

  CheckRequest request;
  request.dump = values["dump"].as<std::string>();
  request.dump_options = {get_optional<int>(values, "step"), get_optional<int>(values, "rank")};
  request.config = *config;
  request.summaries = values.count("api") != 0;
  request.command =
      shell_line("assay check", arguments, {"--out", "--api", "--format", "--jobs", "-j", std::string("--") + kWorkerOption});
  std::vector<std::filesystem::path> plugin_path;
  for (const std::string& folder : get_list<std::string>(values, "plugin-path")) plugin_path.emplace_back(folder);
  Registry registry = Registry::discover(default_search_path(plugin_path));
  if (values.count(kWorkerOption) != 0) return serve(check_worker(registry, request));

  Result<Runner> runner = worker_count(values) == 0 ? in_process(registry, request) : in_workers(values, arguments);
  if (!runner) return fail(runner.failure());
  if (runner->info.api_count == 0) {
    std::cerr << "assay: nothing to check: no API of the dump matches the selection\n";
    return kExitNothingSelected;
  }

  const std::filesystem::path out = get_optional<std::string>(values, "out").value_or("");
  if (Status s = make_out_folder(out); !s) return fail(s.failure());
  Result<RunSummary> summary = runner->run(make_sinks(values, *config, out));
  if (!summary) return fail(summary.failure());
  if (!summary->complete) return kExitInterrupted;
  if (summary->counts.error != 0) return kExitDifferences;
  return summary->counts.damaged != 0 ? kExitPluginFailure : kExitPassed;
}

}  // namespace assay
