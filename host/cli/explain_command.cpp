#include <iostream>

#include "base/locations.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "judge/judge.hpp"

namespace assay {

int explain_command(const Arguments& arguments) {
  static const CommandHelp kHelp = {"assay explain [CODE]",
                                    "Says what a reason code means and what to do next; without a code, lists all.",
                                    "  assay explain ASSAY-RUN-004\n"};
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, po::options_description("options"), arguments, {"code"});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  Result<Reasons> reasons = Reasons::load(share_folder() / "standards" / "reasons.json");
  if (!reasons) return fail(reasons.failure());
  if ((*parsed)->count("code") == 0) {
    for (const Reason& reason : reasons->all()) std::cout << reason.code << "  " << reason.title << "\n";
    return kExitPassed;
  }
  const std::string code = (**parsed)["code"].as<std::string>();
  const Reason* reason = reasons->find(code);
  if (reason == nullptr) {
    std::vector<std::string> known;
    for (const Reason& each : reasons->all()) known.push_back(each.code);
    const std::vector<std::string> similar = similar_names(code, known);
    return fail(input_failure("explain '" + code + "': no such code" +
                              (similar.empty() ? "" : "; similar: " + join(similar, ", ")) + "; `assay explain` lists all"));
  }
  std::cout << reason->code << ": " << reason->title << "\n\n" << reason->meaning << "\n\nWhat to do: " << reason->action << "\n";
  return kExitPassed;
}

}  // namespace assay
