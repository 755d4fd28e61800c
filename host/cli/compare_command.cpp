#include <iostream>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "compare/comparison.hpp"
#include "compare/dump_comparison.hpp"
#include "compare/precision_files.hpp"
#include "compare/side.hpp"
#include "config/pipeline_config.hpp"

namespace assay {

namespace {

constexpr const char* kTableStandard = "msprobe-2026-08";
constexpr const char* kDumpStandard = "assay";
constexpr std::size_t kMaxOriginsShown = 10;

const CommandHelp kHelp = {
    "assay compare TESTED BASELINE [options]",
    "Compares two result tables, two results folders of assay or two dumps: what got worse, better, appeared, vanished.",
    "  assay compare npu/accuracy_checking_details_*.csv gpu/accuracy_checking_details_*.csv --format msprobe --out results\n"
    "  assay compare results-new results-old\n"
    "  assay compare npu/step0/rank0/dump.json gpu/step0/rank0/dump.json\n"};

po::options_description compare_options() {
  po::options_description options("options");
  auto add = options.add_options();
  add("config", po::value<std::string>()->value_name("FILE"), "pipeline configuration, merged over the shipped one");
  add("out", po::value<std::string>()->value_name("DIR"), "folder for the results");
  add("standard", po::value<std::string>()->value_name("NAME"),
      "tables: msprobe-2026-04, msprobe-2026-08 or a file; dumps: as in assay check");
  add("factor", po::value<double>()->value_name("X"), "an error counts as grown or shrunk from this factor on (2)");
  add("api", po::value<std::vector<std::string>>()->value_name("NAME"), "compare only these (globs); dumps: show both sides");
  add("skip", po::value<std::vector<std::string>>()->value_name("NAME"), "leave these out (globs)");
  add("format", po::value<std::vector<std::string>>()->value_name("F"),
      "further files: msprobe (the two files of api_precision_compare; tables only), junit and md (dumps only)");
  add("step", po::value<int>()->value_name("N"), "dumps: which step*/ below both");
  add("rank", po::value<int>()->value_name("N"), "dumps: which rank*/ below both");
  add("threads", po::value<unsigned>()->value_name("N"), "dumps: threads of the comparisons");
  add("plugin-path", po::value<std::vector<std::string>>()->value_name("DIR"), "look for plugins here first");
  add("print-config", "print the merged configuration and stop");
  add("quiet,q", "say nothing unless something is worse");
  add("no-color", "no colours");
  return options;
}

ConfigFlags config_flags(const po::variables_map& values) {
  ConfigFlags flags;
  flags.standard = get_optional<std::string>(values, "standard");
  flags.threads = get_optional<unsigned>(values, "threads");
  flags.api = get_list<std::string>(values, "api");
  flags.skip = get_list<std::string>(values, "skip");
  flags.formats = get_list<std::string>(values, "format");
  return flags;
}

bool wants(const PipelineConfig& config, const std::string& format) {
  return std::find(config.formats.begin(), config.formats.end(), format) != config.formats.end();
}

Status write_files(const Comparison& comparison, const PipelineConfig& config, const std::string& command,
                   const std::filesystem::path& out) {
  if (Status s = write_comparison(out, comparison); !s) return s;
  if (Status s = write_comparison_page(out, comparison, command); !s) return s;
  if (!wants(config, "msprobe")) return Done{};
  return write_precision_files(out, local_timestamp(), comparison.warning_word, comparison.precision_rows,
                               comparison.precision_results);
}

int conclude(const Comparison& comparison, const po::variables_map& values, const PipelineConfig& config,
             const std::string& command, const std::filesystem::path& out) {
  if (wants(config, "msprobe") && (comparison.standard.empty() || out.empty())) {
    return fail(input_failure(out.empty()
                                  ? "write format msprobe: no folder given; add --out DIR"
                                  : "write format msprobe: only details of MindStudio Probe's PyTorch checker have it, these "
                                    "are " +
                                        comparison.what));
  }
  for (const char* format : {"junit", "md"}) {
    if (wants(config, format)) {
      return fail(input_failure("write format " + std::string(format) + ": only comparisons of dumps have it, these are " +
                                comparison.what));
    }
  }
  if (!out.empty()) {
    if (Status s = write_files(comparison, config, command, out); !s) return fail(s.failure());
  }
  print_comparison(comparison, {values.count("quiet") != 0, use_color(values.count("no-color") != 0), out.string()});
  const auto counts = comparison.counts();
  const auto count = [&](ChangeKind kind) { return counts[static_cast<std::size_t>(kind)]; };
  if (count(ChangeKind::kWorse) != 0) return kExitDifferences;
  if (comparison.common() == 0) {
    std::cerr << "assay: nothing to compare: no API is on both sides\n";
    return kExitNothingSelected;
  }
  if (count(ChangeKind::kSame) + count(ChangeKind::kBetter) == 0) {
    std::cerr << "assay: nothing was judged: no API has numbers on both sides\n";
    return kExitNothingSelected;
  }
  return kExitPassed;
}

int compare_tables_or_runs(const Side& tested, const Side& baseline, const po::variables_map& values, const PipelineConfig& config,
                           const std::string& command, const std::filesystem::path& out) {
  CompareOptions options;
  options.standard = config.standard == "auto" ? kTableStandard : config.standard;
  options.factor = get_optional<double>(values, "factor");
  if (options.factor && !(*options.factor > 1)) return fail(input_failure("use --factor: expected a number above 1"));
  options.selects = [&](const std::string& stem, const std::string& api) { return config.selects(stem, api); };
  Result<Comparison> comparison = tested.kind == SideKind::kTable ? compare_tables(tested.path, baseline.path, options)
                                                                  : compare_runs(tested.path, baseline.path, options);
  if (!comparison) return fail(comparison.failure());
  return conclude(*comparison, values, config, command, out);
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
  if (wants(config, "junit")) sinks.push_back(make_junit_sink(out));
  if (wants(config, "md")) sinks.push_back(make_markdown_sink(out));
  return sinks;
}

void show_origins(const std::vector<std::string>& origins) {
  if (origins.empty()) return;
  std::cout << "outputs differ though the inputs agree, so look here first:\n";
  for (std::size_t i = 0; i < origins.size() && i < kMaxOriginsShown; ++i) std::cout << "  " << escape_control(origins[i]) << "\n";
  if (origins.size() > kMaxOriginsShown) std::cout << "  and " << origins.size() - kMaxOriginsShown << " more\n";
}

int compare_dumps(const Side& tested, const Side& baseline, const po::variables_map& values, const std::string& command,
                  PipelineConfig config, const std::filesystem::path& out) {
  if (wants(config, "msprobe")) {
    return fail(input_failure("write format msprobe: only details of MindStudio Probe's PyTorch checker have it, these are dumps"));
  }
  if (config.standard == "auto") config.standard = kDumpStandard;
  DumpComparisonRequest request;
  request.tested = tested.path;
  request.baseline = baseline.path;
  request.dump_options = {get_optional<int>(values, "step"), get_optional<int>(values, "rank")};
  request.config = config;
  request.summaries = values.count("api") != 0;
  request.command = command;
  std::vector<std::filesystem::path> plugin_path;
  for (const std::string& folder : get_list<std::string>(values, "plugin-path")) plugin_path.emplace_back(folder);
  Registry registry = Registry::discover(default_search_path(plugin_path));
  Result<DumpComparison> comparison = DumpComparison::prepare(registry, request);
  if (!comparison) return fail(comparison.failure());
  if (comparison->common() == 0) {
    std::cerr << "assay: nothing to compare: no API of the selection is in both dumps\n";
    return kExitNothingSelected;
  }
  Result<RunSummary> summary = comparison->run(make_sinks(values, config, out), stop_on_interrupt());
  if (!summary) return fail(summary.failure());
  if (values.count("quiet") == 0) show_origins(comparison->origins());
  if (!summary->complete) return kExitInterrupted;
  if (summary->counts.error != 0) return kExitDifferences;
  return summary->counts.damaged != 0 ? kExitPluginFailure : kExitPassed;
}

}  // namespace

int compare_command(const Arguments& arguments) {
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, compare_options(), arguments, {"tested", "baseline"});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const po::variables_map& values = **parsed;
  Result<PipelineConfig> config =
      PipelineConfig::load("compare", get_optional<std::string>(values, "config").value_or(""), config_flags(values));
  if (!config) return fail(config.failure());
  if (values.count("print-config") != 0) {
    std::cout << config->json << "\n";
    return kExitPassed;
  }
  if (values.count("baseline") == 0) return fail(input_failure("compare: two sides are needed; usage: " + kHelp.usage));

  Result<Side> tested = find_side(values["tested"].as<std::string>());
  if (!tested) return fail(tested.failure());
  Result<Side> baseline = find_side(values["baseline"].as<std::string>());
  if (!baseline) return fail(baseline.failure());
  if (Status s = check_same_kind(*tested, *baseline); !s) return fail(s.failure());

  const std::string command = shell_line("assay compare", arguments, {"--out", "--api", "--format"});
  const std::filesystem::path out = get_optional<std::string>(values, "out").value_or("");
  if (Status s = make_out_folder(out); !s) return fail(s.failure());
  return tested->kind == SideKind::kDump ? compare_dumps(*tested, *baseline, values, command, *config, out)
                                         : compare_tables_or_runs(*tested, *baseline, values, *config, command, out);
}

}  // namespace assay
