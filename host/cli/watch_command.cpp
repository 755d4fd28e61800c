#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "base/locations.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "watch/watch_config.hpp"
#include "watch/watch_flags.hpp"

namespace assay {

namespace {

const CommandHelp kHelp = {"assay watch [options] -- CMD...",
                           "Runs a program that trains with PyTorch and checks its operators while it runs, without changing its "
                           "results. The watch starts "
                           "with the first optimizer that the program makes; each step() of it is a step.",
                           "  assay watch --setup --python .venv/bin/python\n"
                           "  assay watch --out watch-out -- python train.py\n"
                           "  assay watch --budget 5% --stage forward -- torchrun --nproc-per-node 2 train.py\n"
                           "  assay watch --config msprobe.json -- python train.py\n"};

po::options_description watch_options() {
  using Texts = std::vector<std::string>;
  po::options_description options("options");
  auto add = options.add_options();
  add("config", po::value<std::string>()->value_name("FILE"),
      "configuration, merged over the shipped one; or msprobe's config.json");
  add("out", po::value<std::string>()->value_name("DIR")->default_value("assay-watch"), "folder for the results");
  add("budget", po::value<std::string>()->value_name("SHARE"), "of a step's time, such as 5%; none: check everything (10%)");
  add("stage", po::value<std::string>()->value_name("S"), "forward, backward or both");
  add("handler", po::value<std::string>()->value_name("H"), "check, fix or preheat");
  add("perturbation", po::value<Texts>()->value_name("NAME"), "perturb with these only (add-noise, ...; repeat for several)");
  add("inputs", po::value<std::string>()->value_name("WHICH"), "first, rotate, each or all");
  add("api", po::value<Texts>()->value_name("NAME"), "only these (globs; Functional.linear, Functional.linear.3, aten::mm)");
  add("skip", po::value<Texts>()->value_name("NAME"), "leave these out (globs)");
  add("module", po::value<Texts>()->value_name("NAME"), "only inside these modules (globs; layers.0.*)");
  add("rows", po::value<std::string>()->value_name("WHICH"), "findings or all");
  add("format", po::value<Texts>()->value_name("F"), "files to write: csv, jsonl, msprobe (repeat for several)");
  add("from", po::value<std::string>()->value_name("WHEN")->default_value("optimizer"),
      "when the watch starts: optimizer (the first is made) or import (of torch)");
  add("preload", "CMD is a C++ program on the LibTorch that assay is built for; the whole run is one step unless it counts them");
  add("setup", "build the watch for the PyTorch of an interpreter, and stop");
  add("python", po::value<std::string>()->value_name("EXE")->default_value("python3"), "that interpreter");
  add("print-config", "print the merged configuration and stop");
  return options;
}

std::string python_folder(const char* inner) { return (home_folder() / "lib" / "assay" / "python" / inner).string(); }

void put_before(const char* variable, const std::string& value) {
  const char* old = std::getenv(variable);
  ::setenv(variable, old != nullptr && *old != 0 ? (value + ":" + old).c_str() : value.c_str(), 1);
}

/// Becomes the program. Returns only if that is not possible.
int become(const Arguments& command) {
  std::vector<char*> argv;
  for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv.front(), argv.data());
  return fail(input_failure("run '" + command.front() + "': " + std::strerror(errno)));
}

WatchFlags flags_of(const po::variables_map& values) {
  WatchFlags flags;
  flags.budget = get_optional<std::string>(values, "budget");
  flags.stage = get_optional<std::string>(values, "stage");
  flags.handler = get_optional<std::string>(values, "handler");
  flags.inputs = get_optional<std::string>(values, "inputs");
  flags.rows = get_optional<std::string>(values, "rows");
  flags.perturbations = get_list<std::string>(values, "perturbation");
  flags.only = get_list<std::string>(values, "api");
  flags.skip = get_list<std::string>(values, "skip");
  flags.modules = get_list<std::string>(values, "module");
  flags.formats = get_list<std::string>(values, "format");
  return flags;
}

/// Whether a program is a Python interpreter, whose PyTorch can be looked at before it runs.
bool is_python(const std::string& program) { return std::filesystem::path(program).filename().string().rfind("python", 0) == 0; }

/// Asks an interpreter for its watch library; what is missing it says itself.
bool has_watch_library(const std::string& python) {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::execlp(python.c_str(), python.c_str(), "-m", "assay.watch.build", "--find", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int watch_command(const Arguments& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  const Arguments command(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, watch_options(), {arguments.begin(), dashes}, {});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const po::variables_map& values = **parsed;
  ::setenv("ASSAY_HOME", home_folder().c_str(), 1);
  if (values.count("setup") != 0) {
    put_before("PYTHONPATH", python_folder(""));
    return become({values["python"].as<std::string>(), "-m", "assay.watch.build"});
  }

  Result<std::string> text = watch_document(get_optional<std::string>(values, "config").value_or(""), flags_of(values));
  if (!text) return fail(text.failure());
  Result<WatchConfig> config = WatchConfig::load(*text, get_optional<std::string>(values, "config").value_or("command line"));
  if (!config) return fail(config.failure());
  if (values.count("print-config") != 0) {
    std::cout << config->json << "\n";
    return kExitPassed;
  }
  const std::string from = values["from"].as<std::string>();
  if (from != "optimizer" && from != "import") {
    return fail(input_failure("use option '--from': expected optimizer or import, got '" + from + "'"));
  }
  if (command.empty()) return fail(input_failure("watch: no program given; usage: " + kHelp.usage));

  std::error_code error;
  const std::filesystem::path out = std::filesystem::absolute(values["out"].as<std::string>(), error);
  ::setenv("ASSAY_WATCH_CONFIG", text->c_str(), 1);
  ::setenv("ASSAY_WATCH_OUT", out.c_str(), 1);
  if (values.count("preload") != 0) {
    put_before("LD_PRELOAD", (home_folder() / "lib" / "assay" / "watch" / "libassay_watch.so").string());
    ::setenv("ASSAY_WATCH_PRELOADED", "1", 1);
    return become(command);
  }
  ::setenv("ASSAY_WATCH_FROM", from.c_str(), 1);
  put_before("PYTHONPATH", python_folder(""));
  if (is_python(command.front()) && !has_watch_library(command.front())) return kExitPluginFailure;
  put_before("PYTHONPATH", python_folder("inject"));
  return become(command);
}

}  // namespace assay
