#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "rebuild/rebuild.hpp"
#include "rebuild/server.hpp"

namespace assay {

namespace {

po::options_description report_options() {
  po::options_description options("options");
  auto add = options.add_options();
  add("format", po::value<std::vector<std::string>>()->value_name("F"),
      "what to write: html, junit, md, csv, jsonl, msprobe (repeat for several)");
  add("out", po::value<std::string>()->value_name("DIR"), "folder to write into (DIR)");
  add("baseline", po::value<std::string>()->value_name("DIR"), "results of an earlier run: show what changed");
  add("open", "show the page in a browser");
  add("serve", "show the run on 127.0.0.1 while it goes on, until Ctrl-C");
  add("port", po::value<std::uint16_t>()->value_name("N")->default_value(0), "of --serve; 0: any free one");
  return options;
}

const CommandHelp kHelp = {"assay report DIR [options]",
                           "Writes the report of a run again, or other files of it, from what its folder holds.",
                           "  assay report results\n"
                           "  assay report results --baseline results-of-last-week --open\n"
                           "  assay report results --format junit --format md --out ci\n"
                           "  assay report results --serve\n"};

/// Leaves the opening to the desktop; without one, the user has the path or address on the screen.
Status open_in_browser(const std::string& what) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("xdg-open", "xdg-open", what.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return input_failure("open '" + what + "' in a browser: xdg-open is missing or failed; open it by hand");
  }
  return Done{};
}

int serve(const std::string& folder, const po::variables_map& values) {
  Result<std::unique_ptr<LiveRun>> run = LiveRun::open(folder);
  if (!run) return fail(run.failure());
  int exit = kExitPassed;
  const auto ready = [&](const std::string& url) {
    std::cout << "serving " << escape_control(folder) << " at " << url << " until Ctrl-C" << std::endl;
    if (values.count("open") == 0) return;
    if (Status s = open_in_browser(url); !s) exit = fail(s.failure());
  };
  if (Status s = serve_run(**run, values["port"].as<std::uint16_t>(), ready, stop_on_interrupt()); !s) return fail(s.failure());
  return exit;
}

}  // namespace

int report_command(const Arguments& arguments) {
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, report_options(), arguments, {"folder"});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  const po::variables_map& values = **parsed;
  if (values.count("folder") == 0) return fail(input_failure("report: no folder given; usage: " + kHelp.usage));
  const std::string folder = values["folder"].as<std::string>();
  if (values.count("serve") != 0) {
    for (const char* other : {"format", "out", "baseline"}) {
      if (values.count(other) != 0) return fail(input_failure("use --serve with --" + std::string(other) + ": one or the other"));
    }
    return serve(folder, values);
  }

  RebuildRequest request;
  request.folder = folder;
  request.out = get_optional<std::string>(values, "out").value_or(folder);
  request.baseline = get_optional<std::string>(values, "baseline").value_or("");
  request.formats = get_list<std::string>(values, "format");
  request.timestamp = local_timestamp();
  if (Status s = make_out_folder(request.out); !s) return fail(s.failure());
  Result<std::vector<std::filesystem::path>> written = rebuild(request);
  if (!written) return fail(written.failure());
  for (const std::filesystem::path& file : *written) std::cout << "wrote " << escape_control(file.string()) << "\n";
  if (values.count("open") == 0) return kExitPassed;
  const auto page = std::find_if(written->begin(), written->end(), [](const auto& file) { return file.extension() == ".html"; });
  if (page == written->end()) return fail(input_failure("use --open: only the page can be opened; add --format html"));
  Status opened = open_in_browser(std::filesystem::absolute(*page).string());
  return opened ? kExitPassed : fail(opened.failure());
}

}  // namespace assay
