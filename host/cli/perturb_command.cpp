#include <cstdlib>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/worker_options.hpp"
#include "perturb/perturb_job.hpp"
#include "worker/in_process.hpp"
#include "worker/limits.hpp"

namespace assay {

namespace {

po::options_description perturb_options() {
  using Texts = std::vector<std::string>;
  po::options_description options("options");
  auto add = options.add_options();
  add("config", po::value<std::string>()->value_name("FILE"), "configuration, merged over the shipped one");
  add("out", po::value<std::string>()->value_name("DIR"), "folder for the results");
  add("engine", po::value<std::string>()->value_name("NAME"), "the adapter that runs the operators (torch)");
  add("precision", po::value<std::string>()->value_name("P"), "of the engine: as-recorded, float32 or float64");
  add("perturbation", po::value<Texts>()->value_name("NAME"), "perturb with these only (add-noise, ...; repeat for several)");
  add("inputs", po::value<std::string>()->value_name("WHICH"), "perturb each input in turn, the first, or all at once");
  add("stage", po::value<std::string>()->value_name("S"), "forward, backward or both");
  add("seeds", po::value<unsigned>()->value_name("N"), "runs for each perturbation: mean and spread");
  add("handler", po::value<std::string>()->value_name("H"), "check, fix or preheat");
  add("compat", po::value<std::string>()->value_name("TOOL"), "msprobe: perturb and compare as it does");
  add("stability", po::value<std::string>()->value_name("NAME"), "table of expected amplifications, or a file");
  add("made-inputs", po::value<std::string>()->value_name("RULE"), "inputs made from statistics: assay or msprobe");
  add("api", po::value<Texts>()->value_name("NAME"), "only these (globs; Functional.linear or Functional.linear.3)");
  add("skip", po::value<Texts>()->value_name("NAME"), "leave these out (globs)");
  add("format", po::value<Texts>()->value_name("F"), "files to write: csv, msprobe (repeat for several)");
  add("step", po::value<int>()->value_name("N"), "which step*/ below DUMP");
  add("rank", po::value<int>()->value_name("N"), "which rank*/ below DUMP");
  add("seed", po::value<std::uint64_t>()->value_name("N"), "seed of perturbations, made inputs and random operators");
  add("threads", po::value<unsigned>()->value_name("N"), "threads of the perturbations");
  add("plugin-path", po::value<Texts>()->value_name("DIR"), "look for plugins here first");
  add("print-config", "print the merged configuration and stop");
  add("quiet,q", "say nothing unless an operator is unstable");
  add("no-color", "no colours");
  add_worker_options(options);
  return options;
}

const CommandHelp kHelp = {"assay perturb DUMP [options]",
                           "Repeats recorded calls on slightly changed inputs and ranks the operators by how much they amplify it.",
                           "  assay perturb step0/rank0/dump.json --out results\n"
                           "  assay perturb run/ --step 0 --rank 0 --perturbation add-noise --seeds 8\n"
                           "  assay perturb dump.json --compat msprobe --format msprobe --out results\n"};

PerturbFlags perturb_flags(const po::variables_map& values) {
  PerturbFlags flags;
  flags.engine = get_optional<std::string>(values, "engine");
  flags.precision = get_optional<std::string>(values, "precision");
  flags.perturbations = get_list<std::string>(values, "perturbation");
  flags.inputs = get_optional<std::string>(values, "inputs");
  flags.stage = get_optional<std::string>(values, "stage");
  flags.handler = get_optional<std::string>(values, "handler");
  flags.compat = get_optional<std::string>(values, "compat");
  flags.stability = get_optional<std::string>(values, "stability");
  flags.made_inputs = get_optional<std::string>(values, "made-inputs");
  flags.seeds = get_optional<unsigned>(values, "seeds");
  flags.seed = get_optional<std::uint64_t>(values, "seed");
  flags.threads = get_optional<unsigned>(values, "threads");
  flags.api = get_list<std::string>(values, "api");
  flags.skip = get_list<std::string>(values, "skip");
  flags.formats = get_list<std::string>(values, "format");
  return flags;
}

std::vector<std::unique_ptr<PerturbSink>> make_perturb_sinks(const po::variables_map& values, const PerturbConfig& config,
                                                             const std::filesystem::path& out) {
  std::vector<std::unique_ptr<PerturbSink>> sinks;
  sinks.push_back(make_perturb_terminal_sink(
      {values.count("quiet") != 0, use_color(values.count("no-color") != 0), use_progress(), out.string()}));
  if (out.empty()) return sinks;
  sinks.push_back(make_perturb_run_json_sink(out));
  sinks.push_back(make_perturb_table_sink(out));
  sinks.push_back(make_perturb_jsonl_sink(out));
  sinks.push_back(make_perturb_html_sink(out));
  for (const std::string& format : config.formats) {
    if (format == "msprobe") sinks.push_back(make_free_benchmark_sink(out));
  }
  return sinks;
}

/// Kernels round differently for other numbers of threads, and amplifications show it: with one, every number of workers gives the
/// same rows.
constexpr unsigned kEngineThreads = 1;

Result<std::unique_ptr<JobRunner>> make_runner(Registry& registry, const PerturbRequest& request, const po::variables_map& values,
                                               const Arguments& arguments) {
  if (worker_count(values) != 0) {
    SupervisorOptions options = supervisor_options(values, "perturb", arguments);
    options.threads = kEngineThreads;
    return std::unique_ptr<JobRunner>(std::make_unique<Supervisor>(std::move(options)));
  }
  // Read by the engine's libraries when they are loaded.
  ::setenv("OMP_NUM_THREADS", std::to_string(kEngineThreads).c_str(), 1);
  Result<WorkerRun> run = perturb_worker(registry, request);
  if (!run) return run.failure();
  return std::unique_ptr<JobRunner>(std::make_unique<InProcess>(std::move(*run)));
}

}  // namespace

int perturb_command(const Arguments& arguments) {
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, perturb_options(), arguments, {"dump"});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const po::variables_map& values = **parsed;
  Result<PerturbConfig> config =
      PerturbConfig::load(get_optional<std::string>(values, "config").value_or(""), perturb_flags(values));
  if (!config) return fail(config.failure());
  if (values.count("print-config") != 0) {
    std::cout << config->json << "\n";
    return kExitPassed;
  }
  if (values.count("dump") == 0) return fail(input_failure("perturb: no dump given; usage: " + kHelp.usage));

  PerturbRequest request;
  request.dump = values["dump"].as<std::string>();
  request.dump_options = {get_optional<int>(values, "step"), get_optional<int>(values, "rank")};
  request.config = *config;
  request.command =
      shell_line("assay perturb", arguments,
                 {"--out", "--api", "--format", "--jobs", "-j", "--max-time", "--devices", std::string("--") + kWorkerOption});
  Result<std::optional<std::uint64_t>> memory = memory_limit(values);
  if (!memory) return fail(memory.failure());
  if (values.count(kWorkerOption) != 0) enter_worker();
  std::vector<std::filesystem::path> plugin_path;
  for (const std::string& folder : get_list<std::string>(values, "plugin-path")) plugin_path.emplace_back(folder);
  Registry registry = Registry::discover(default_search_path(plugin_path));
  if (values.count(kWorkerOption) != 0) return serve(perturb_worker(registry, request), *memory);
  Result<std::unique_ptr<JobRunner>> runner = make_runner(registry, request, values, arguments);
  if (!runner) return fail(runner.failure());
  Result<std::unique_ptr<PerturbJob>> job = PerturbJob::start(std::move(*runner), *config);
  if (!job) return fail(job.failure());
  if ((*job)->info().call_count == 0) {
    std::cerr << "assay: nothing to perturb: no API of the dump matches the selection\n";
    return kExitNothingSelected;
  }
  const std::filesystem::path out = get_optional<std::string>(values, "out").value_or("");
  if (Status s = make_out_folder(out); !s) return fail(s.failure());
  Result<PerturbSummary> summary = (*job)->run(make_perturb_sinks(values, *config, out), stop_on_interrupt());
  if (!summary) return fail(summary.failure());
  if (!summary->complete) return kExitInterrupted;
  if (summary->counts.unstable != 0) return kExitDifferences;
  return summary->counts.damaged != 0 ? kExitPluginFailure : kExitPassed;
}

}  // namespace assay
