#include "cli/completion.hpp"

#include <map>

#include "base/text.hpp"
#include "cli/command_table.hpp"

namespace assay {

namespace {

/// Words that an option or argument is completed with, by the name that help shows for it and the option.
std::string words_for(const std::string& command, const std::string& option) {
  static const std::map<std::string, std::string> kWords = {
      {"target", "recorded torch mint"},
      {"reference", "torch mint"},
      {"engine", "torch mint"},
      {"precision", "as-recorded float32 float64"},
      {"stage", "forward backward both"},
      {"handler", "check fix preheat"},
      {"compat", "msprobe"},
      {"from", "optimizer import"},
      {"rows", "findings all"},
      {"made-inputs", "assay msprobe"},
      {"perturbation", "add-noise bit-noise change-value improve-precision no-change to-cpu"},
  };
  if (option == "inputs") {
    return command == "watch" ? "first rotate each all" : command == "perturb" ? "each first all" : "assay msprobe";
  }
  if (command == "watch" && option == "format") return "csv jsonl msprobe";
  if (option == "standard") {
    return command == "compare" ? "msprobe-2026-04 msprobe-2026-08"
                                : "assay msprobe-mint msprobe-torch-2026-04 msprobe-torch-2026-08";
  }
  if (option == "format") {
    return command == "report" ? "html junit md csv jsonl msprobe" : command == "perturb" ? "csv msprobe" : "csv junit md msprobe";
  }
  const auto found = kWords.find(option);
  return found == kWords.end() ? "" : found->second;
}

/// Words for the bare arguments of commands that take no files.
std::string argument_words(const std::string& command) {
  if (command == "plugins") return "list show validate";
  if (command == "completion") return "bash zsh";
  if (command != "man") return "";
  std::vector<std::string> names;
  for (const Command& each : commands()) names.emplace_back(each.name);
  return join(names, " ");
}

std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

/// Text inside the brackets and between the colons of a zsh specification.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string bash_value(const std::string& command, const po::option_description& option) {
  const std::string words = words_for(command, option.long_name());
  if (!words.empty()) return "COMPREPLY=($(compgen -W " + in_quotes(words) + " -- \"$cur\"))";
  const std::string word = value_word(option);
  if (word == "DIR") return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))";
  if (word == "FILE") return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))";
  return "COMPREPLY=()";
}

std::string bash_command(const DescribedCommand& command) {
  std::string names;
  std::string values;
  for (const auto& option : command.spec.options.options()) {
    const std::string letter = short_letter(*option);
    names += (names.empty() ? "--" : " --") + option->long_name() + (letter.empty() ? "" : " -" + letter);
    if (value_word(*option).empty()) continue;
    values += "        --" + option->long_name() + (letter.empty() ? "" : "|-" + letter) + ") " +
              bash_value(command.name, *option) + "; return ;;\n";
  }
  std::string text = "    " + in_quotes(command.name) + ")\n";
  if (!values.empty()) text += "      case $prev in\n" + values + "      esac\n";
  text += "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W " + in_quotes(names) + " -- \"$cur\")); return; fi\n";
  const std::string words = argument_words(command.name);
  if (!words.empty()) {
    text += "      COMPREPLY=($(compgen -W " + in_quotes(words) + " -- \"$cur\"))\n";
  } else if (command.name == "explain") {
    text += "      COMPREPLY=($(compgen -W \"$(assay explain 2>/dev/null | cut -d' ' -f1)\" -- \"$cur\"))\n";
  } else {
    text += "      compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))\n";
  }
  return text + "      ;;\n";
}

std::string zsh_action(const std::string& words, const std::string& word) {
  if (!words.empty()) return "(" + words + ")";
  if (word == "DIR") return "_files -/";
  if (word == "FILE") return "_files";
  return " ";
}

std::string zsh_command(const DescribedCommand& command) {
  std::string text = "    " + in_quotes(command.name) + ")\n      _arguments -s";
  for (const auto& option : command.spec.options.options()) {
    const std::string word = value_word(*option);
    std::vector<std::string> names = {"--" + option->long_name()};
    if (const std::string letter = short_letter(*option); !letter.empty()) names.push_back("-" + letter);
    for (const std::string& name : names) {
      std::string spec = (repeats(*option) ? "*" : "") + name + "[" + zsh_text(option->description()) + "]";
      if (!word.empty()) spec += ":" + word + ":" + zsh_action(words_for(command.name, option->long_name()), word);
      text += " \\\n        " + in_quotes(spec);
    }
  }
  std::string rest = "_files";
  if (const std::string words = argument_words(command.name); !words.empty()) rest = "(" + words + ")";
  if (command.name == "explain") rest = "{compadd -- ${(f)\"$(assay explain 2>/dev/null | cut -d\" \" -f1)\"}}";
  return text + " \\\n        " +
         in_quotes("*:" + (command.spec.positional.empty() ? "argument" : command.spec.positional.front()) + ":" + rest) +
         "\n      ;;\n";
}

}  // namespace

std::string bash_completion() {
  std::string names;
  std::string cases;
  for (const DescribedCommand& command : describe_commands()) {
    if (command.name.find(' ') == std::string::npos) names += command.name + " ";
    cases += bash_command(command);
  }
  return "# Completion of assay for bash, made by `assay completion bash`.\n"
         "_assay() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W " +
         in_quotes(names + "--help --version") +
         " -- \"$cur\")); return; fi\n"
         "  if [[ $command == plugins && ${COMP_WORDS[2]} == validate ]] && ((COMP_CWORD > 2)); then command='plugins validate'; "
         "fi\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "complete -F _assay assay\n";
}

std::string zsh_completion() {
  std::string names;
  std::string cases;
  for (const DescribedCommand& command : describe_commands()) {
    if (command.name.find(' ') == std::string::npos)
      names += "      " + in_quotes(command.name + ":" + zsh_text(command.about)) + "\n";
    cases += zsh_command(command);
  }
  return "#compdef assay\n"
         "# Completion of assay for zsh, made by `assay completion zsh`.\n"
         "_assay() {\n"
         "  if (( CURRENT == 2 )); then\n"
         "    local -a commands=(\n" +
         names +
         "    )\n"
         "    _describe -t commands 'command of assay' commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words; (( CURRENT-- ))\n"
         "  if [[ $command == plugins && $words[2] == validate ]] && (( CURRENT > 2 )); then\n"
         "    command='plugins validate'; shift words; (( CURRENT-- ))\n"
         "  fi\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "compdef _assay assay\n";
}

}  // namespace assay
