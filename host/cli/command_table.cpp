#include "cli/command_table.hpp"

#include "base/text.hpp"
#include "cli/exit_codes.hpp"

namespace assay {

const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands = {
      {"check", "replay a recorded run on a reference framework and judge every output", check_command},
      {"compare", "compare two result tables, two runs or two dumps", compare_command},
      {"merge", "join the results of a sharded check", merge_command},
      {"perturb", "repeat recorded calls on changed inputs and rank the operators by instability", perturb_command},
      {"watch", "run a training job and check its operators while it runs", watch_command},
      {"report", "write a run's report again, in any format, or show it while it goes on", report_command},
      {"plugins", "list, show and validate plugins", plugins_command},
      {"explain", "say what a reason code means and what to do", explain_command},
      {"completion", "print the completion of a shell", completion_command},
      {"man", "print a manual page, or write all of them", man_command},
  };
  return kCommands;
}

const std::vector<ExitMeaning>& exit_meanings() {
  static const std::vector<ExitMeaning> kMeanings = {
      {kExitPassed, "what was asked for was done, and nothing is wrong"},
      {kExitDifferences, "differences were found"},
      {kExitUsage, "wrong options, configuration or input file"},
      {kExitPluginFailure, "a plugin or worker failed, or a recording is damaged"},
      {kExitNothingSelected, "nothing to do: no API matches the selection"},
      {kExitInternal, "a defect of assay"},
      {kExitInterrupted, "interrupted; what was finished is written"},
  };
  return kMeanings;
}

std::vector<DescribedCommand> describe_commands() {
  std::vector<DescribedCommand> out;
  const auto describe = [&](std::string name, std::string about, int (*run)(const Arguments&), const Arguments& arguments) {
    DescribedCommand described{std::move(name), std::move(about), {}};
    const SpecCapture capture(described.spec);
    run(arguments);
    out.push_back(std::move(described));
  };
  for (const Command& command : commands()) {
    describe(command.name, command.about, command.run, {"--help"});
    if (command.run == plugins_command) {
      describe("plugins validate", "check plugins against the rules that the host relies on", plugins_command,
               {"validate", "--help"});
    }
  }
  return out;
}

std::string value_word(const po::option_description& option) {
  const auto semantic = option.semantic();
  if (semantic->max_tokens() == 0) return "";
  // "FILE" or "N (=120)".
  const std::string name = semantic->name();
  return name.substr(0, name.find(' '));
}

bool repeats(const po::option_description& option) {
  return dynamic_cast<const po::typed_value<std::vector<std::string>>*>(option.semantic().get()) != nullptr;
}

std::string short_letter(const po::option_description& option) {
  // "-q [ --quiet ]" or "--out".
  const std::string name = option.format_name();
  return name.size() > 2 && name[0] == '-' && name[1] != '-' ? name.substr(1, 1) : "";
}

}  // namespace assay
