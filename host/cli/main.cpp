// assay: options in, exit code out; the work is in the host library.
#include <csignal>
#include <iostream>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"

namespace {

struct Command {
  const char* name;
  const char* about;
  int (*run)(const assay::Arguments&);
};

constexpr Command kCommands[] = {
    {"check", "replay a recorded run on a reference framework and judge every output", assay::check_command},
    {"compare", "compare two result tables, two runs or two dumps", assay::compare_command},
    {"merge", "join the results of a sharded check", assay::merge_command},
    {"perturb", "repeat recorded calls on changed inputs and rank the operators by instability", assay::perturb_command},
    {"watch", "run a training job and check its operators while it runs", assay::watch_command},
    {"report", "write a run's report again", assay::report_command},
    {"plugins", "list and show the plugins that are found", assay::plugins_command},
    {"explain", "say what a reason code means and what to do", assay::explain_command},
};

void print_help(std::ostream& out) {
  out << "assay " ASSAY_VERSION ": finds the operator that computes wrong numbers\n\nusage: assay COMMAND [options]\n\ncommands:\n";
  for (const Command& command : kCommands)
    out << "  " << command.name << std::string(10 - std::string(command.name).size(), ' ') << command.about << "\n";
  out << "\n`assay COMMAND --help` tells more. Exit codes: 0 passed, 1 differences found, 2 usage or configuration, 3 plugin "
         "failure or\n"
         "damaged data, 4 nothing selected, 70 internal. Log: ASSAY_LOG=info,loader=debug.\n";
}

int run(const assay::Arguments& arguments) {
  if (arguments.empty()) {
    print_help(std::cerr);
    return assay::kExitUsage;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(std::cout);
    return assay::kExitPassed;
  }
  if (name == "--version") {
    std::cout << "assay " ASSAY_VERSION "\n";
    return assay::kExitPassed;
  }
  std::vector<std::string> known;
  for (const Command& command : kCommands) {
    if (name == command.name) return command.run({arguments.begin() + 1, arguments.end()});
    known.emplace_back(command.name);
  }
  const std::vector<std::string> similar = assay::similar_names(name, known);
  std::cerr << "assay: cannot run command '" << assay::escape_control(name) << "': unknown; "
            << (similar.empty() ? "see `assay --help`" : "did you mean '" + similar.front() + "'?") << "\n";
  return assay::kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  // A file that may not grow is then a failed write with a message.
  std::signal(SIGXFSZ, SIG_IGN);
  assay::set_up_logging("warn");
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "assay: internal error: " << assay::escape_control(error.what()) << "\n";
    return assay::kExitInternal;
  }
}
