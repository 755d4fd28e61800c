#include <fstream>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "validator/validator.hpp"

namespace assay {

namespace {

const CommandHelp kHelp = {
    "assay plugins validate PLUGIN... [options]",
    "Checks plugins against the rules of docs/plugin-rules.md, each check in a process of its own. PLUGIN is "
    "a plugin's folder, its manifest or its library.",
    "  assay plugins validate build/lib/assay/plugins/my-noise\n"
    "  assay plugins validate my-noise --include layout --in-process\n"
    "  assay plugins validate my-adapter --config '{\"python\": \"/usr/bin/python3\"}'\n"};

po::options_description validate_options() {
  po::options_description options("options");
  auto add = options.add_options();
  add("include", po::value<std::string>()->value_name("RE"), "only the checks whose id matches");
  add("exclude", po::value<std::string>()->value_name("RE"), "not the checks whose id matches");
  add("config", po::value<std::string>()->value_name("JSON"), "configuration of the components");
  add("json", po::value<std::string>()->value_name("FILE"), "write the results as JSON, too");
  add("only-failed", "show only what failed or crashed");
  add("in-process", "run the checks here, for a debugger: a crash ends the run");
  add("timeout", po::value<unsigned>()->value_name("S")->default_value(120), "seconds for each check");
  add("jobs,j", po::value<unsigned>()->value_name("N")->default_value(1), "checks at the same time");
  return options;
}

}  // namespace

int validate_command(const Arguments& arguments) {
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, validate_options(), arguments, {"plugin"}, true);
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const po::variables_map& values = **parsed;
  ValidatorOptions options;
  for (const std::string& plugin : get_list<std::string>(values, "plugin")) options.plugins.emplace_back(plugin);
  options.include = get_optional<std::string>(values, "include").value_or("");
  options.exclude = get_optional<std::string>(values, "exclude").value_or("");
  options.config_json = get_optional<std::string>(values, "config").value_or("{}");
  options.in_process = values.count("in-process") != 0;
  options.jobs = values["jobs"].as<unsigned>();
  options.timeout = std::chrono::seconds(values["timeout"].as<unsigned>());
  const Result<ValidationReport> report = validate_plugins(options);
  if (!report) return fail(report.failure());
  std::cout << validation_text(*report, values.count("only-failed") != 0);
  if (const auto file = get_optional<std::string>(values, "json")) {
    std::ofstream out(*file);
    out << validation_json(*report);
    if (!out.flush()) return fail(input_failure("write '" + *file + "'"));
  }
  return report->conforms() ? kExitPassed : kExitPluginFailure;
}

}  // namespace assay
