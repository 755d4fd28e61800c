// The commands that the executable has, for itself, its completions and its manual pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options.hpp"

namespace assay {

inline constexpr const char* kAbout = "finds the operator that computes wrong numbers";

struct Command {
  const char* name;
  const char* about;
  int (*run)(const Arguments&);
};

const std::vector<Command>& commands();

struct ExitMeaning {
  int code;
  const char* text;
};

const std::vector<ExitMeaning>& exit_meanings();

/// A command as users see it: "check", "plugins validate".
struct DescribedCommand {
  std::string name;
  std::string about;
  CommandSpec spec;
};

/// Every command with a text of its own, those below others included.
std::vector<DescribedCommand> describe_commands();

/// The word that help shows for an option's value: "DIR"; empty: it takes none.
std::string value_word(const po::option_description& option);
/// Whether the option may be given several times.
bool repeats(const po::option_description& option);
/// "q" of an option that is also written -q; empty: none.
std::string short_letter(const po::option_description& option);

}  // namespace assay
