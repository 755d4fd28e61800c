// The terminal: a progress line while it runs, failures as they happen, a summary that fits a screen.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.hpp"
#include "report/sink.hpp"
#include "report/status_line.hpp"

namespace assay {

namespace {

constexpr std::size_t kMaxFailuresShown = 10;

std::string counted(std::size_t count, const char* word) { return std::to_string(count) + word + (count == 1 ? "" : "s"); }

class TerminalSink final : public ResultSink {
 public:
  explicit TerminalSink(TerminalOptions options) : options_(std::move(options)) {}

  Status begin(const RunInfo& info) override {
    info_ = info;
    status_.emplace(stderr, "APIs", info.api_count, options_.progress && !options_.quiet);
    const auto& names = info.metric_names;
    ulp_metric_ = static_cast<std::size_t>(std::find(names.begin(), names.end(), "max_ulp") - names.begin());
    if (options_.quiet) return Done{};
    std::printf("checking %zu APIs of %s\n", info.api_count, escape_control(info.dump_path).c_str());
    std::printf("  target     %s\n", side(info.target).c_str());
    std::printf("  reference  %s\n", side(info.reference).c_str());
    std::printf("  standard   %s\n", escape_control(info.standard).c_str());
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
      keep_worst(*direction);
      if (direction->verdict != Verdict::kError && direction->verdict != Verdict::kWarning) continue;
      if (direction->verdict == Verdict::kError) ++errors_;
      if (options_.quiet) continue;
      show_rows(result, *direction);
    }
    status_->update(done_, so_far());
    return Done{};
  }

  Status finish(const RunSummary& summary) override {
    status_->clear();
    if (options_.quiet && summary.counts.error == 0) return Done{};
    if (shown_ > kMaxFailuresShown) std::printf("... and %zu more, see details.csv\n", shown_ - kMaxFailuresShown);
    const VerdictCounts& counts = summary.counts;
    std::printf(
        "%s%zu APIs in %.1f s: %s, %s, %s, %zu skipped%s\n", summary.complete ? "" : "interrupted after ", counts.apis,
        summary.seconds, paint(std::to_string(counts.pass) + " passed", "32").c_str(),
        paint(counted(counts.warning, " warning"), counts.warning == 0 ? "" : "33").c_str(),
        paint(counted(counts.error, " error"), counts.error == 0 ? "" : "31").c_str(), counts.skip,
        counts.damaged == 0 ? "" : (" (" + std::to_string(counts.damaged) + " for damaged data or failed plugins)").c_str());
    if (!options_.out_folder.empty()) std::printf("report: %s/report.html\n", escape_control(options_.out_folder).c_str());
    std::fflush(stdout);
    return Done{};
  }

 private:
  static std::string side(const SideInfo& info) {
    if (info.source == "recorded")
      return "outputs recorded in " + (info.details.empty() ? "the dump" : escape_control(info.details));
    return escape_control(info.source + ", " + info.framework + " " + info.version + ", " + info.precision);
  }

  [[nodiscard]] std::string paint(const std::string& text, const char* code) const {
    return options_.color && code[0] != '\0' ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }

  void show_rows(const ApiResult& result, const DirectionResult& direction) {
    const bool error = direction.verdict == Verdict::kError;
    for (const OutputRow& row : direction.outputs) {
      if (row.verdict != direction.verdict || ++shown_ > kMaxFailuresShown) continue;
      status_->clear();
      std::printf("%s %s: %s [%s]\n", paint(error ? "error  " : "warning", error ? "31" : "33").c_str(),
                  escape_control(row.name).c_str(), escape_control(row.message).c_str(), escape_control(row.reason).c_str());
      std::printf("        reproduce: %s --api %s\n", escape_control(info_.command).c_str(),
                  escape_control(shell_word(result.stem)).c_str());
    }
    if (direction.outputs.empty() && ++shown_ <= kMaxFailuresShown) {
      status_->clear();
      std::printf("%s %s: %s [%s]\n", paint("error  ", "31").c_str(), escape_control(result.stem).c_str(),
                  escape_control(direction.message).c_str(), escape_control(direction.reason).c_str());
    }
  }

  /// "3 errors, worst 3.5e+05 ulp Mint.silu.0.forward.output.0".
  [[nodiscard]] std::string so_far() const {
    std::string text = counted(errors_, " error");
    if (worst_ulp_ > 0) text += ", worst " + short_text(worst_ulp_) + " ulp " + worst_name_;
    return text;
  }

  static std::string short_text(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
  }

  void keep_worst(const DirectionResult& direction) {
    for (const OutputRow& row : direction.outputs) {
      if (ulp_metric_ >= row.metrics.size() || !row.metrics[ulp_metric_]) continue;
      // Not a number counts as the largest.
      const double ulp = std::isnan(*row.metrics[ulp_metric_]) ? INFINITY : *row.metrics[ulp_metric_];
      if (ulp <= worst_ulp_) continue;
      worst_ulp_ = ulp;
      worst_name_ = row.name;
    }
  }

  TerminalOptions options_;
  RunInfo info_;
  std::optional<StatusLine> status_;
  std::size_t ulp_metric_ = 0;  // its place among the metrics
  double worst_ulp_ = 0;
  std::string worst_name_;
  std::size_t done_ = 0;
  std::size_t errors_ = 0;
  std::size_t shown_ = 0;
};

}  // namespace

std::unique_ptr<ResultSink> make_terminal_sink(const TerminalOptions& options) { return std::make_unique<TerminalSink>(options); }

}  // namespace assay
