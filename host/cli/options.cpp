#include "cli/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <sstream>

#include "base/text.hpp"
#include "cli/exit_codes.hpp"

namespace assay {

namespace {

CommandSpec* g_capture = nullptr;

po::options_description shown_options(const po::options_description& options) {
  po::options_description shown("options");
  for (const auto& option : options.options()) {
    if (option->long_name() != kInternalOption) shown.add(option);
  }
  return shown;
}

std::string help_text(const CommandHelp& help, const po::options_description& options) {
  std::ostringstream out;
  out << help.about << "\n\nusage: " << help.usage << "\n\n" << options;
  if (!help.examples.empty()) out << "\nexamples:\n" << help.examples;
  return out.str();
}

std::string nearest_option(const std::string& name, const po::options_description& options) {
  std::vector<std::string> known;
  for (const auto& option : options.options()) known.push_back("--" + option->long_name());
  const std::vector<std::string> similar = similar_names(name, known);
  return similar.empty() ? "see --help" : "did you mean " + similar.front() + "?";
}

}  // namespace

SpecCapture::SpecCapture(CommandSpec& spec) { g_capture = &spec; }
SpecCapture::~SpecCapture() { g_capture = nullptr; }

Result<std::optional<po::variables_map>> parse_options(const CommandHelp& help, po::options_description options,
                                                       const std::vector<std::string>& arguments,
                                                       const std::vector<std::string>& positional, bool many) {
  options.add_options()("help,h", "show this text");
  po::options_description all;
  all.add(options);
  po::positional_options_description places;
  for (std::size_t i = 0; i < positional.size(); ++i) {
    const bool rest = many && i + 1 == positional.size();
    places.add(positional[i].c_str(), rest ? -1 : 1);
    if (rest) {
      all.add_options()(positional[i].c_str(), po::value<std::vector<std::string>>());
    } else {
      all.add_options()(positional[i].c_str(), po::value<std::string>());
    }
  }
  po::variables_map values;
  try {
    // Guessing would make `--o` mean --out today and something else tomorrow.
    const auto style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(all).positional(places).style(style).run(), values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    return input_failure("use option '" + error.get_option_name() + "': unknown; " +
                         nearest_option(error.get_option_name(), options));
  } catch (const po::too_many_positional_options_error&) {
    return input_failure("use the arguments: too many; usage: " + help.usage);
  } catch (const po::error& error) {
    return input_failure("use the options: " + std::string(error.what()) + "; see --help");
  }
  if (values.count("help") != 0) {
    const po::options_description shown = shown_options(options);
    if (g_capture != nullptr) {
      g_capture->help = help;
      g_capture->options.add(shown);
      g_capture->positional = positional;
    } else {
      std::cout << help_text(help, shown);
    }
    return std::optional<po::variables_map>();
  }
  return std::optional<po::variables_map>(std::move(values));
}

int fail(const Failure& failure) {
  std::istringstream lines(failure.message);
  std::string line;
  while (std::getline(lines, line)) std::cerr << "assay: cannot " << escape_control(line) << "\n";
  return exit_code(failure);
}

bool use_color(bool disabled) {
  const char* no_color = std::getenv("NO_COLOR");
  return !disabled && (no_color == nullptr || no_color[0] == '\0') && ::isatty(STDOUT_FILENO) != 0;
}

bool use_progress() { return ::isatty(STDERR_FILENO) != 0; }

std::string local_timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local);
  return text;
}

Status make_out_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return input_failure("create folder '" + folder.string() + "': " + error.message());
  return Done{};
}

std::string shell_line(const std::string& command, const std::vector<std::string>& arguments,
                       const std::vector<std::string>& without) {
  std::string line = command;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    if (std::find(without.begin(), without.end(), name) != without.end()) {
      if (name == arguments[i]) ++i;
      continue;
    }
    line += " " + shell_word(arguments[i]);
  }
  return line;
}

}  // namespace assay
