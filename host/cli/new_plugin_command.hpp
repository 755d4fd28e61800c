// `assay plugins new`: writes the project of a plugin from the templates that the SDK installs.
#pragma once

#include "cli/commands.hpp"

namespace assay {

int new_plugin_command(const Arguments& arguments);

}  // namespace assay
