// The terminal: a progress line while it runs, failures as they happen, a summary that fits a screen.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/text.hpp"
#include "report/sink.hpp"

namespace assay {

namespace {

constexpr std::size_t kMaxFailuresShown = 10;
constexpr auto kProgressInterval = std::chrono::milliseconds(100);

class TerminalSink final : public ResultSink {
 public:
  explicit TerminalSink(TerminalOptions options) : options_(std::move(options)) {}

  Status begin(const RunInfo& info) override {
    info_ = info;
    start_ = std::chrono::steady_clock::now();
    if (options_.quiet) return Done{};
    std::printf("checking %zu APIs of %s\n", info.api_count, escape_control(info.dump_path).c_str());
    std::printf("  target     %s\n", side(info.target).c_str());
    std::printf("  reference  %s\n", side(info.reference).c_str());
    std::printf("  standard   %s\n", info.standard.c_str());
    for (const SkippedKey& key : info.skipped_keys) {
      std::printf("  left out   %s: %s\n", escape_control(key.key).c_str(), escape_control(key.reason).c_str());
      if (&key - info.skipped_keys.data() == 4 && info.skipped_keys.size() > 5) {
        std::printf("  left out   %zu more keys, see run.json\n", info.skipped_keys.size() - 5);
        break;
      }
    }
    return Done{};
  }

  Status add(const ApiResult& result) override {
    ++done_;
    for (const DirectionResult* direction : {&result.forward, &result.backward}) {
      if (direction->verdict != Verdict::kError && direction->verdict != Verdict::kWarning) continue;
      if (direction->verdict == Verdict::kError) ++errors_;
      if (options_.quiet) continue;
      show_rows(result, *direction);
    }
    if (options_.progress && !options_.quiet) show_progress();
    return Done{};
  }

  Status finish(const RunSummary& summary) override {
    clear_progress();
    if (options_.quiet && summary.counts.error == 0) return Done{};
    if (shown_ > kMaxFailuresShown) std::printf("... and %zu more, see details.csv\n", shown_ - kMaxFailuresShown);
    const VerdictCounts& counts = summary.counts;
    std::printf(
        "%s%zu APIs in %.1f s: %s, %s, %s, %zu skipped%s\n", summary.complete ? "" : "interrupted after ", counts.apis,
        summary.seconds, paint(std::to_string(counts.pass) + " passed", "32").c_str(),
        paint(std::to_string(counts.warning) + " warnings", counts.warning == 0 ? "" : "33").c_str(),
        paint(std::to_string(counts.error) + " errors", counts.error == 0 ? "" : "31").c_str(), counts.skip,
        counts.damaged == 0 ? "" : (" (" + std::to_string(counts.damaged) + " for damaged data or failed plugins)").c_str());
    if (!options_.out_folder.empty()) std::printf("report: %s/report.html\n", options_.out_folder.c_str());
    std::fflush(stdout);
    return Done{};
  }

 private:
  static std::string side(const SideInfo& info) {
    if (info.source == "recorded")
      return "outputs recorded in " + (info.details.empty() ? "the dump" : escape_control(info.details));
    return info.source + ", " + info.framework + " " + info.version + ", " + info.precision;
  }

  [[nodiscard]] std::string paint(const std::string& text, const char* code) const {
    return options_.color && code[0] != '\0' ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }

  void show_rows(const ApiResult& result, const DirectionResult& direction) {
    const bool error = direction.verdict == Verdict::kError;
    for (const OutputRow& row : direction.outputs) {
      if (row.verdict != direction.verdict || ++shown_ > kMaxFailuresShown) continue;
      clear_progress();
      std::printf("%s %s: %s [%s]\n", paint(error ? "error  " : "warning", error ? "31" : "33").c_str(),
                  escape_control(row.name).c_str(), row.message.c_str(), row.reason.c_str());
      std::printf("        reproduce: %s --api '%s'\n", info_.command.c_str(), escape_control(result.stem).c_str());
    }
    if (direction.outputs.empty() && ++shown_ <= kMaxFailuresShown) {
      clear_progress();
      std::printf("%s %s: %s [%s]\n", paint("error  ", "31").c_str(), escape_control(result.stem).c_str(),
                  direction.message.c_str(), direction.reason.c_str());
    }
  }

  void show_progress() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_progress_ < kProgressInterval) return;
    last_progress_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
    const double left = rate > 0 ? static_cast<double>(info_.api_count - done_) / rate : 0;
    std::fprintf(stderr, "\r\x1b[K%zu/%zu APIs, %.0f/s, %.0f s left, %zu errors", done_, info_.api_count, rate, left, errors_);
    std::fflush(stderr);
    progress_shown_ = true;
  }

  void clear_progress() {
    if (!progress_shown_) return;
    std::fflush(stdout);
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    progress_shown_ = false;
  }

  TerminalOptions options_;
  RunInfo info_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_progress_;
  std::size_t done_ = 0;
  std::size_t errors_ = 0;
  std::size_t shown_ = 0;
  bool progress_shown_ = false;
};

}  // namespace

std::unique_ptr<ResultSink> make_terminal_sink(const TerminalOptions& options) { return std::make_unique<TerminalSink>(options); }

}  // namespace assay
