// The terminal of `assay perturb`: findings as they happen, the ranking, the cost, a closing line.
#include <cstdio>

#include "base/text.hpp"
#include "perturb/outputs.hpp"
#include "perturb/perturb_sink.hpp"
#include "report/status_line.hpp"

namespace assay {

namespace {

constexpr std::size_t kMaxFindingsShown = 10;
constexpr std::size_t kMaxRanked = 10;

class PerturbTerminalSink final : public PerturbSink {
 public:
  explicit PerturbTerminalSink(TerminalOptions options) : options_(std::move(options)) {}

  Status begin(const PerturbInfo& info) override {
    info_ = info;
    status_.emplace(stderr, "calls", info.call_count, options_.progress && !options_.quiet);
    if (options_.quiet) return Done{};
    std::printf("perturbing %zu calls of %s\n", info.call_count, escape_control(info.dump_path).c_str());
    std::printf("  engine         %s, %s %s, %s\n", info.engine.source.c_str(), info.engine.framework.c_str(),
                info.engine.version.c_str(), info.engine.precision.c_str());
    std::printf("  perturbations  %s; %u seed%s\n", escape_control(join(info.perturbations, ", ")).c_str(), info.seeds,
                info.seeds == 1 ? "" : "s");
    return Done{};
  }

  Status add(const PerturbReport& report) override {
    ++done_;
    for (const PerturbRow& row : report.rows) {
      if (row.amplification && row.amplification->mean > worst_) {
        worst_ = row.amplification->mean;
        worst_name_ = row.name;
      }
      if (row.verdict != Verdict::kError && row.verdict != Verdict::kWarning) continue;
      if (options_.quiet || ++shown_ > kMaxFindingsShown) continue;
      status_->clear();
      const bool error = row.verdict == Verdict::kError;
      std::printf("%s %s, %s of input %s: %s [%s]\n", paint(error ? "error  " : "warning", error ? "31" : "33").c_str(),
                  escape_control(row.name).c_str(), escape_control(row.perturbation).c_str(), escape_control(row.input).c_str(),
                  escape_control(row.message).c_str(), row.reason.c_str());
    }
    status_->update(
        done_, std::to_string(shown_) + " findings" + (worst_ > 0 ? ", worst " + format_short(worst_) + "x " + worst_name_ : ""));
    return Done{};
  }

  Status finish(const PerturbSummary& summary, const std::vector<Preheat::Learned>& learned) override {
    status_->clear();
    const PerturbCounts& counts = summary.counts;
    if (options_.quiet && counts.unstable == 0) return Done{};
    if (shown_ > kMaxFindingsShown) std::printf("... and %zu more, see perturb.csv\n", shown_ - kMaxFindingsShown);
    show_ranking(summary);
    if (!learned.empty()) std::printf("thresholds learned for %zu operators and dtypes\n", learned.size());
    std::vector<std::string> costs;
    for (const StageCost& cost : summary.costs) costs.push_back(cost.perturbation + " " + format_short(cost.ratio) + "x");
    if (!costs.empty()) {
      std::printf("cost of a check, in runs of each operator: %s\n", escape_control(join(costs, ", ")).c_str());
    }
    std::printf(
        "%s%zu calls, %zu rows in %.1f s (each operator once: %.2f s): %zu stable, %s, %zu left the domain, "
        "%zu not deterministic, %zu unperturbed, %zu not run%s\n",
        summary.complete ? "" : "interrupted after ", counts.calls, counts.rows, summary.seconds, summary.plain_seconds,
        counts.stable, paint(std::to_string(counts.unstable) + " unstable", counts.unstable == 0 ? "" : "31").c_str(),
        counts.left_domain, counts.non_deterministic, counts.unperturbed, counts.not_run,
        counts.damaged == 0 ? "" : (" (" + std::to_string(counts.damaged) + " for damaged data or failed plugins)").c_str());
    if (!options_.out_folder.empty()) std::printf("results in %s\n", options_.out_folder.c_str());
    std::fflush(stdout);
    return Done{};
  }

 private:
  [[nodiscard]] std::string paint(const std::string& text, const char* code) const {
    return options_.color && code[0] != '\0' ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }

  static void show_ranking(const PerturbSummary& summary) {
    if (summary.ranking.empty()) return;
    std::printf("most unstable operators (relative change of the output / relative change of the input):\n");
    for (std::size_t i = 0; i < std::min(kMaxRanked, summary.ranking.size()); ++i) {
      const RankedOperator& entry = summary.ranking[i];
      std::printf("  %2zu. %-32s %-8s %-9s %9s  %4s bits lost  %s\n", i + 1, escape_control(entry.api).c_str(),
                  entry.direction.c_str(), entry.dtype.c_str(), format_short(entry.amplification).c_str(),
                  format_short(entry.bits_lost).c_str(), escape_control(entry.call + ", input " + entry.input).c_str());
    }
  }

  TerminalOptions options_;
  PerturbInfo info_;
  std::optional<StatusLine> status_;
  double worst_ = 0;  // amplification
  std::string worst_name_;
  std::size_t done_ = 0;
  std::size_t shown_ = 0;
};

}  // namespace

std::unique_ptr<PerturbSink> make_perturb_terminal_sink(const TerminalOptions& options) {
  return std::make_unique<PerturbTerminalSink>(options);
}

}  // namespace assay
