#include "cli/new_plugin_command.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>

#include "base/files.hpp"
#include "base/locations.hpp"
#include "base/text.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"

namespace assay {

namespace {

namespace fs = std::filesystem;

const CommandHelp kHelp = {"assay plugins new KIND NAME [options]",
                           "Writes the project of a plugin that builds and keeps the rules at once. KIND is adapter, comparison, "
                           "operator or perturbation; NAME is its id (com.example.my-noise) or the last part of one.",
                           "  assay plugins new perturbation my-noise\n"
                           "  assay plugins new adapter org.example.tiny --out ~/plugins\n"};

po::options_description new_options() {
  po::options_description options("options");
  options.add_options()("out", po::value<std::string>()->value_name("DIR")->default_value("."),
                        "folder that the project goes into");
  return options;
}

/// What the template's names become: "com.example.example-comparison", "example-comparison", "example_comparison".
struct Renaming {
  std::string id;
  std::string name;
  std::string kind;

  [[nodiscard]] std::string apply(std::string text) const {
    std::string source_name = name;
    std::replace(source_name.begin(), source_name.end(), '-', '_');
    replace(text, "com.example.example-" + kind, id);
    replace(text, "example-" + kind, name);
    replace(text, "example_" + kind, source_name);
    return text;
  }

 private:
  static void replace(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
};

bool is_name(const std::string& name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' && name.back() != '-' &&
         std::all_of(name.begin(), name.end(), plain);
}

Result<Renaming> renaming(const std::string& kind, const std::string& given) {
  if (given.size() > 100) return input_failure("write a plugin: a name of " + std::to_string(given.size()) + " bytes is too long");
  for (const std::string_view part : split(given, '.')) {
    if (!is_name(std::string(part))) {
      return input_failure("write plugin '" + escape_control(given) +
                           "': expected small letters, digits and '-' (my-noise), or an id of such parts (com.example.my-noise)");
    }
  }
  const std::size_t dot = given.rfind('.');
  if (dot == std::string::npos) return Renaming{"com.example." + given, given, kind};
  return Renaming{given, given.substr(dot + 1), kind};
}

/// errors  kInput: no such kind; the folder is there already; not writable
Result<fs::path> write_project(const Renaming& names, const fs::path& out) {
  const fs::path templates = share_folder() / "templates" / names.kind;
  std::error_code error;
  if (names.kind.find('/') != std::string::npos || !fs::is_directory(templates, error)) {
    return input_failure("write a plugin of kind '" + escape_control(names.kind) +
                         "': expected adapter, comparison, operator or perturbation");
  }
  const fs::path folder = out / names.name;
  if (fs::exists(folder, error))
    return input_failure("write plugin into '" + folder.string() + "': it exists; choose another name");
  fs::create_directories(folder, error);
  if (error) return input_failure("write plugin into '" + folder.string() + "': " + error.message());
  for (const auto& entry : fs::directory_iterator(templates)) {
    const Result<std::string> text = read_text(entry.path());
    if (!text) return text.failure();
    std::ofstream file(folder / names.apply(entry.path().filename().string()), std::ios::binary);
    file << names.apply(*text);
    if (!file.flush()) return input_failure("write plugin into '" + folder.string() + "': the disk is full or not writable");
  }
  return folder;
}

}  // namespace

int new_plugin_command(const Arguments& arguments) {
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, new_options(), arguments, {"kind", "name"});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const po::variables_map& values = **parsed;
  if (values.count("name") == 0) return fail(input_failure("write a plugin: expected a kind and a name; usage: " + kHelp.usage));
  const Result<Renaming> names = renaming(values["kind"].as<std::string>(), values["name"].as<std::string>());
  if (!names) return fail(names.failure());
  const Result<fs::path> folder = write_project(*names, values["out"].as<std::string>());
  if (!folder) return fail(folder.failure());
  std::cout << "wrote " << folder->string() << "; next:\n"
            << "  cmake -S " << folder->string() << " -B " << (*folder / "build").string()
            << " -DCMAKE_PREFIX_PATH=" << home_folder().string() << "\n"
            << "  cmake --build " << (*folder / "build").string() << "\n"
            << "  ctest --test-dir " << (*folder / "build").string() << "\n";
  return kExitPassed;
}

}  // namespace assay
