// What the files of a run need in memory while they are written.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "report/html/report_page.hpp"
#include "report/sink.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

ApiResult result_at(std::size_t position) {
  ApiResult result;
  result.position = position;
  result.api = "Functional.linear";
  result.stem = result.api + "." + std::to_string(position);
  result.forward.verdict = position % 1000 == 999 ? Verdict::kError : Verdict::kPass;
  OutputRow row;
  row.name = result.stem + ".forward.output.0";
  row.verdict = result.forward.verdict;
  row.message = "max_ulp " + std::to_string(position) + " of an output, with the words that a message has";
  row.actual.dtype = row.expected.dtype = "float32";
  row.actual.is_tensor = row.expected.is_tensor = true;
  row.actual.shape = row.expected.shape = {4, 1024};
  row.metrics.assign(3, static_cast<double>(position));
  row.ulp_histogram = {{0, 4000.0}, {3, 96.0}};
  result.forward.outputs.push_back(row);
  return result;
}

/// Peak MiB of a process that writes every file of a run of so many rows.
double peak_of(std::size_t rows, const fs::path& folder) {
  fs::create_directories(folder);
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<std::unique_ptr<ResultSink>> sinks;
    sinks.push_back(make_run_json_sink(folder));
    sinks.push_back(make_table_sink(folder));
    sinks.push_back(make_jsonl_sink(folder));
    sinks.push_back(make_html_sink(folder));
    sinks.push_back(make_msprobe_sink(folder, "20260101000000"));
    RunInfo info;
    info.metric_names = {"max_abs_error", "max_ulp", "cosine"};
    info.config_json = "{}";
    info.api_count = rows;
    RunSummary summary;
    summary.complete = true;
    for (const auto& sink : sinks) {
      if (!sink->begin(info)) ::_exit(2);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const ApiResult result = result_at(i);
      summary.counts.add(result);
      for (const auto& sink : sinks) {
        if (!sink->add(result)) ::_exit(3);
      }
    }
    for (const auto& sink : sinks) {
      if (!sink->finish(summary)) ::_exit(4);
    }
    ::_exit(0);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  EXPECT_EQ(status, 0);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// V05
TEST(ReportMemory, IsThatOfAFullPageForAnyNumberOfRows) {
  const fs::path folder = fs::temp_directory_path() / ("report_memory_test." + std::to_string(::getpid()));
  constexpr std::size_t kRows = 2 * html::ReportPage::kMaxRows;
  const double once = peak_of(kRows, folder / "once");
  const double twice = peak_of(2 * kRows, folder / "twice");
  std::printf("%zu rows: %.0f MiB, %zu rows: %.0f MiB\n", kRows, once, 2 * kRows, twice);
  EXPECT_LT(twice, once + 12);
  EXPECT_GT(fs::file_size(folder / "twice" / "details.csv"), fs::file_size(folder / "once" / "details.csv") * 19 / 10);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace assay
