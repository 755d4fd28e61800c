// Manual pages (roff), from the same specifications as --help.
#include <iostream>

#include "base/text.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

const CommandHelp kHelp = {"assay man [COMMAND...] [options]",
                           "Prints the manual page of assay or of one of its commands; with --out, writes all of them.",
                           "  assay man check | man -l -\n"
                           "  assay man plugins validate | man -l -\n"};

std::string roff(std::string_view text) {
  std::string out;
  bool starts_line = true;
  for (const char c : text) {
    // A dot or a quote mark that begins a line would be a request.
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    starts_line = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string page_name(const std::string& command) {
  std::string name = "assay" + (command.empty() ? "" : "-" + command);
  for (char& c : name) c = c == ' ' ? '-' : c;
  return name;
}

std::string title(const std::string& command, const std::string& about) {
  std::string capitals = page_name(command);
  for (char& c : capitals) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return ".TH " + roff(capitals) + " 1 \"\" \"assay " ASSAY_VERSION "\" \"assay\"\n.SH NAME\n" + roff(page_name(command)) +
         " \\- " + roff(about) + "\n";
}

std::string exit_status() {
  std::string text = ".SH \"EXIT STATUS\"\n";
  for (const ExitMeaning& meaning : exit_meanings())
    text += ".TP\n" + std::to_string(meaning.code) + "\n" + roff(meaning.text) + "\n";
  return text;
}

std::string command_page(const DescribedCommand& command) {
  std::string text = title(command.name, command.about) + ".SH SYNOPSIS\n" + roff(command.spec.help.usage) + "\n.SH DESCRIPTION\n" +
                     roff(command.spec.help.about) + "\n.SH OPTIONS\n";
  for (const auto& option : command.spec.options.options()) {
    const std::string letter = short_letter(*option);
    const std::string word = value_word(*option);
    text += ".TP\n" + (letter.empty() ? "" : "\\fB\\-" + letter + "\\fR, ") + "\\fB" + roff("--" + option->long_name()) + "\\fR" +
            (word.empty() ? "" : " \\fI" + roff(word) + "\\fR") + "\n" + roff(option->description()) + "\n";
  }
  return text + ".SH EXAMPLES\n.nf\n" + roff(command.spec.help.examples) + ".fi\n" + exit_status() + ".SH \"SEE ALSO\"\nassay(1)\n";
}

std::string main_page(const std::vector<DescribedCommand>& all) {
  std::string text = title("", kAbout) + ".SH SYNOPSIS\nassay \\fICOMMAND\\fR [options]\n.SH COMMANDS\n";
  for (const DescribedCommand& command : all) text += ".TP\n\\fB" + roff(command.name) + "\\fR\n" + roff(command.about) + "\n";
  text +=
      ".SH ENVIRONMENT\n"
      ".TP\nASSAY_LOG\nwhat is logged: \\fIinfo,loader=debug\\fR\n"
      ".TP\nASSAY_PLUGIN_PATH\nfolders with plugins, searched after \\fB\\-\\-plugin\\-path\\fR\n"
      ".TP\nNO_COLOR\nset to anything: no colours\n";
  std::vector<std::string> pages;
  for (const DescribedCommand& command : all) pages.push_back(roff(page_name(command.name)) + "(1)");
  return text + exit_status() + ".SH \"SEE ALSO\"\n" + join(pages, ",\n") + "\n";
}

}  // namespace

int man_command(const Arguments& arguments) {
  po::options_description options("options");
  options.add_options()("out", po::value<std::string>()->value_name("DIR"), "write every page into this folder");
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, std::move(options), arguments, {"command"}, true);
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const std::vector<DescribedCommand> all = describe_commands();
  if (const auto out = get_optional<std::string>(**parsed, "out")) {
    const std::filesystem::path folder = *out;
    if (Status s = make_out_folder(folder); !s) return fail(s.failure());
    if (Status s = write_output(folder / (page_name("") + ".1"), main_page(all)); !s) return fail(s.failure());
    for (const DescribedCommand& command : all) {
      if (Status s = write_output(folder / (page_name(command.name) + ".1"), command_page(command)); !s) return fail(s.failure());
    }
    return kExitPassed;
  }
  const std::string name = join(get_list<std::string>(**parsed, "command"), " ");
  if (name.empty()) {
    std::cout << main_page(all);
    return kExitPassed;
  }
  for (const DescribedCommand& command : all) {
    if (command.name != name) continue;
    std::cout << command_page(command);
    return kExitPassed;
  }
  return fail(input_failure("print the manual of '" + name + "': no such command; see `assay --help`"));
}

}  // namespace assay
