// assay: options in, exit code out; the work is in the host library.
#include <csignal>
#include <iostream>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/command_table.hpp"
#include "cli/exit_codes.hpp"
#include "pipeline/isolated_adapter.hpp"
#include "worker/adapter_server.hpp"

namespace {

void print_help(std::ostream& out) {
  out << "assay " ASSAY_VERSION ": " << assay::kAbout << "\n\nusage: assay COMMAND [options]\n\ncommands:\n";
  for (const assay::Command& command : assay::commands())
    out << "  " << command.name << std::string(12 - std::string(command.name).size(), ' ') << command.about << "\n";
  out << "\n`assay COMMAND --help` tells more. Log: ASSAY_LOG=info,loader=debug.\n\nexit codes:\n";
  for (const assay::ExitMeaning& meaning : assay::exit_meanings()) {
    const std::string code = std::to_string(meaning.code);
    out << "  " << code << std::string(5 - code.size(), ' ') << meaning.text << "\n";
  }
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
  if (name == assay::kAdapterServerCommand) return assay::serve_adapter();
  std::vector<std::string> known;
  for (const assay::Command& command : assay::commands()) {
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
