#include <iostream>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/new_plugin_command.hpp"
#include "cli/options.hpp"
#include "config/pipeline_config.hpp"
#include "loader/describe.hpp"

namespace assay {

namespace {

const CommandHelp kHelp = {"assay plugins list|show|validate|new [ID|PLUGIN...] [options]",
                           "Lists the plugins that are found, shows one of them, validates some or writes a new one (see assay "
                           "plugins validate --help and "
                           "assay plugins new --help).",
                           "  assay plugins list\n"
                           "  assay plugins show assay.torch\n"
                           "  assay plugins list --json\n"};

po::options_description plugins_options() {
  po::options_description options("options");
  auto add = options.add_options();
  add("plugin-path", po::value<std::vector<std::string>>()->value_name("DIR"), "look for plugins here first");
  add("json", "machine-readable output");
  return options;
}

}  // namespace

int plugins_command(const Arguments& arguments) {
  if (!arguments.empty() && arguments.front() == "new") return new_plugin_command({arguments.begin() + 1, arguments.end()});
  if (!arguments.empty() && arguments.front() == "validate") return validate_command({arguments.begin() + 1, arguments.end()});
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, plugins_options(), arguments, {"action", "id"});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const po::variables_map& values = **parsed;
  const std::string action = get_optional<std::string>(values, "action").value_or("list");
  const bool json = values.count("json") != 0;
  std::vector<std::filesystem::path> plugin_path;
  for (const std::string& folder : get_list<std::string>(values, "plugin-path")) plugin_path.emplace_back(folder);
  Registry registry = Registry::discover(default_search_path(plugin_path));
  if (action == "list") {
    std::cout << (json ? describe_plugins_json(registry) : describe_plugins(registry));
    return kExitPassed;
  }
  if (action != "show") return fail(input_failure("run 'assay plugins " + action + "': expected list, show, validate or new"));
  if (values.count("id") == 0) return fail(input_failure("show a plugin: no id given; usage: " + kHelp.usage));
  const std::string id = component_id(values["id"].as<std::string>());
  Result<std::string> text = json ? describe_plugin_json(registry, id) : describe_plugin(registry, id);
  if (!text) return fail(text.failure());
  std::cout << *text;
  return kExitPassed;
}

}  // namespace assay
