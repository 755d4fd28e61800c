#include <iostream>

#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"

namespace assay {

namespace {

const CommandHelp kHelp = {"assay completion bash|zsh", "Prints the completion of a shell; an installed assay brings both.",
                           "  source <(assay completion bash)\n"
                           "  assay completion zsh > ~/.zfunc/_assay\n"};

}  // namespace

int completion_command(const Arguments& arguments) {
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, po::options_description("options"), arguments, {"shell"});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const std::string shell = get_optional<std::string>(**parsed, "shell").value_or("");
  if (shell != "bash" && shell != "zsh") {
    return fail(input_failure("complete in shell '" + shell + "': expected bash or zsh"));
  }
  std::cout << (shell == "bash" ? bash_completion() : zsh_completion());
  return kExitPassed;
}

}  // namespace assay
