// Completion of the command line in bash and zsh, from the same specifications as --help.
#pragma once

#include <string>

namespace assay {

std::string bash_completion();
std::string zsh_completion();

}  // namespace assay
