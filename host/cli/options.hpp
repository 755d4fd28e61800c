// What the commands share about options: parsing with one clear message, help, and the environment of the terminal.
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

namespace po = boost::program_options;

/// A command's options and the text around them.
struct CommandHelp {
  std::string usage;     ///< "assay check DUMP [options]"
  std::string about;     ///< one sentence
  std::string examples;  ///< indented lines
};

/// What --help says about a command; completions and manual pages are made from the same.
struct CommandSpec {
  CommandHelp help;
  po::options_description options;      ///< without those for assay itself
  std::vector<std::string> positional;  ///< names of the bare arguments
};

/// While one of these lives, parse_options hands a command's specification over in place of printing the text of --help.
class SpecCapture {
 public:
  explicit SpecCapture(CommandSpec& spec);
  ~SpecCapture();
  SpecCapture(const SpecCapture&) = delete;
  SpecCapture& operator=(const SpecCapture&) = delete;
};

/// Names of options that assay gives to processes that it starts; --help leaves them out.
inline constexpr const char* kInternalOption = "worker";

/// Parses; `positional` names the options that take bare arguments, in order, the last one takes the rest if `many`.
/// The result is empty after --help, which has then been printed.
/// errors  kInput: unknown option (with the nearest name), missing value, too many arguments
Result<std::optional<po::variables_map>> parse_options(const CommandHelp& help, po::options_description options,
                                                       const std::vector<std::string>& arguments,
                                                       const std::vector<std::string>& positional, bool many = false);

/// Prints "assay: cannot <message>" to stderr and gives the exit code.
int fail(const Failure& failure);

/// Whether to colour standard output: a terminal, no NO_COLOR, no --no-color.
bool use_color(bool disabled);
/// Whether stderr is a terminal that shows a progress line.
bool use_progress();

/// The arguments as a shell line that repeats the call, without the options in `without` (and their values).
std::string shell_line(const std::string& command, const std::vector<std::string>& arguments,
                       const std::vector<std::string>& without);

/// The local time as YYYYmmddHHMMSS, for names of files.
std::string local_timestamp();

/// Creates the folder of --out and those above it; nothing where none is given.
/// errors  kInput: not possible
Status make_out_folder(const std::filesystem::path& folder);

template <class T>
std::optional<T> get_optional(const po::variables_map& values, const char* name) {
  return values.count(name) != 0 ? std::optional<T>(values[name].as<T>()) : std::nullopt;
}

template <class T>
std::vector<T> get_list(const po::variables_map& values, const char* name) {
  return values.count(name) != 0 ? values[name].as<std::vector<T>>() : std::vector<T>();
}

}  // namespace assay
