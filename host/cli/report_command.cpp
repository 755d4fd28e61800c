#include <iostream>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "report/stored_run.hpp"

namespace assay {

int report_command(const Arguments& arguments) {
  static const CommandHelp kHelp = {"assay report DIR",
                                    "Writes report.html of a run folder again, from its run.json and results.jsonl.",
                                    "  assay report results\n"};
  Result<std::optional<po::variables_map>> parsed = parse_options(kHelp, po::options_description("options"), arguments, {"folder"});
  if (!parsed) return fail(parsed.failure());
  if (!*parsed) return kExitPassed;
  if ((*parsed)->count("folder") == 0) return fail(input_failure("report: no folder given; usage: " + kHelp.usage));
  const std::filesystem::path folder = (**parsed)["folder"].as<std::string>();
  Result<StoredRun> run = load_run(folder);
  if (!run) return fail(run.failure());
  const std::unique_ptr<ResultSink> sink = make_html_sink(folder);
  if (Status s = sink->begin(run->info); !s) return fail(s.failure());
  Status walked = for_each_result(folder, [&](const ApiResult& result) {
    run->summary.counts.add(result);
    return sink->add(result);
  });
  if (!walked) return fail(walked.failure());
  if (Status s = sink->finish(run->summary); !s) return fail(s.failure());
  std::cout << "report: " << (folder / "report.html").string() << "\n";
  return kExitPassed;
}

}  // namespace assay
