#include "rebuild/rebuild.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/text.hpp"
#include "config/json.hpp"
#include "perturb/perturb_sink.hpp"
#include "perturb/ranking.hpp"
#include "rebuild/baseline.hpp"
#include "rebuild/stored_perturb.hpp"
#include "report/sink.hpp"
#include "report/stored_run.hpp"
#include "watch/watch_page.hpp"

namespace assay {

namespace {

using Paths = std::vector<std::filesystem::path>;

bool wants(const std::vector<std::string>& formats, const char* format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

Status check_formats(const RebuildRequest& request, const std::vector<std::string>& known, const char* kind) {
  for (const std::string& format : request.formats) {
    if (std::find(known.begin(), known.end(), format) == known.end()) {
      return input_failure("write format '" + format + "': " + kind + " has " + join(known, ", "));
    }
  }
  std::error_code error;
  if (wants(request.formats, "jsonl") && std::filesystem::equivalent(request.folder, request.out, error)) {
    return input_failure("write format 'jsonl' into '" + request.out.string() +
                         "': it is what the report is built from; choose another folder with --out");
  }
  return Done{};
}

Result<Paths> rebuild_check(const RebuildRequest& request) {
  static const std::vector<std::string> kFormats = {"html", "junit", "md", "csv", "jsonl", "msprobe"};
  if (Status s = check_formats(request, kFormats, "a check"); !s) return s.failure();
  Result<StoredRun> run = load_run(request.folder);
  if (!run) return run.failure();
  std::string more_html;
  std::string more_markdown;
  if (!request.baseline.empty()) {
    const Result<Comparison> comparison = compare_runs(request.folder, request.baseline, {});
    if (!comparison) return comparison.failure();
    more_html = baseline_html(*comparison);
    more_markdown = baseline_markdown(*comparison);
  }

  std::vector<std::unique_ptr<ResultSink>> sinks;
  Paths written;
  const auto write = [&](const char* format, const std::vector<const char*>& files,
                         const std::function<std::unique_ptr<ResultSink>()>& make) {
    if (!wants(request.formats, format)) return;
    sinks.push_back(make());
    for (const char* file : files) written.push_back(request.out / file);
  };
  write("html", {"report.html"}, [&] { return make_html_sink(request.out, more_html); });
  write("junit", {"junit.xml"}, [&] { return make_junit_sink(request.out); });
  write("md", {"summary.md"}, [&] { return make_markdown_sink(request.out, more_markdown); });
  write("csv", {"details.csv", "result.csv", "times.csv"}, [&] { return make_table_sink(request.out); });
  write("jsonl", {"results.jsonl"}, [&] { return make_jsonl_sink(request.out); });
  write("msprobe", {}, [&] { return make_msprobe_sink(request.out, request.timestamp); });
  for (const auto& sink : sinks) {
    if (Status s = sink->begin(run->info); !s) return s.failure();
  }
  Status walked = for_each_result(request.folder, [&](const ApiResult& result) -> Status {
    run->summary.counts.add(result);
    for (const auto& sink : sinks) {
      if (Status s = sink->add(result); !s) return s;
    }
    return Done{};
  });
  if (!walked) return walked.failure();
  for (const auto& sink : sinks) {
    if (Status s = sink->finish(run->summary); !s) return s.failure();
  }
  return written;
}

Result<Paths> rebuild_perturb(const RebuildRequest& request) {
  static const std::vector<std::string> kFormats = {"html", "jsonl"};
  if (Status s = check_formats(request, kFormats, "a run of `assay perturb`"); !s) return s.failure();
  if (!request.baseline.empty()) return input_failure("use --baseline: runs of `assay perturb` have no diff");
  std::vector<std::unique_ptr<PerturbSink>> sinks;
  Paths written;
  if (wants(request.formats, "html")) {
    sinks.push_back(make_perturb_html_sink(request.out));
    written.push_back(request.out / "report.html");
  }
  if (wants(request.formats, "jsonl")) {
    sinks.push_back(make_perturb_jsonl_sink(request.out));
    written.push_back(request.out / "perturb.jsonl");
  }
  Result<StoredPerturb> run = StoredPerturb::open(request.folder);
  if (!run) return run.failure();
  for (const auto& sink : sinks) {
    if (Status s = sink->begin(run->info()); !s) return s.failure();
  }
  Ranking ranking;
  Status walked = run->for_each([&](const PerturbReport& report) -> Status {
    ranking.add(report);
    for (const auto& sink : sinks) {
      if (Status s = sink->add(report); !s) return s;
    }
    return Done{};
  });
  if (!walked) return walked.failure();
  PerturbSummary summary;
  ranking.fill(summary);
  summary.seconds = run->seconds();
  summary.complete = run->complete();
  for (const auto& sink : sinks) {
    if (Status s = sink->finish(summary, {}); !s) return s.failure();
  }
  return written;
}

Result<Paths> rebuild_watch(const RebuildRequest& request) {
  if (Status s = check_formats(request, {"html"}, "a watch"); !s) return s.failure();
  if (!request.baseline.empty()) return input_failure("use --baseline: watches have no diff");
  if (Status s = write_watch_page(request.folder, request.out); !s) return s.failure();
  return Paths{request.out / "report.html"};
}

}  // namespace

Result<RunKind> run_kind(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder / "run.json", error) && holds_watch(folder)) return RunKind::kWatch;
  const Result<rapidjson::Document> json = load_json(folder / "run.json");
  if (!json) return json.failure();
  if (json->IsObject() && json->HasMember("engine")) return RunKind::kPerturb;
  if (json->IsObject() && json->HasMember("target")) return RunKind::kCheck;
  return input_failure("read '" + (folder / "run.json").string() + "': not the record of a run of assay");
}

Result<Paths> rebuild(const RebuildRequest& asked) {
  RebuildRequest request = asked;
  if (request.out.empty()) request.out = request.folder;
  if (request.formats.empty()) request.formats = {"html"};
  const Result<RunKind> kind = run_kind(request.folder);
  if (!kind) return kind.failure();
  if (*kind == RunKind::kWatch) return rebuild_watch(request);
  return *kind == RunKind::kPerturb ? rebuild_perturb(request) : rebuild_check(request);
}

}  // namespace assay
