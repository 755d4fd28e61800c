#include "rebuild/live_run.hpp"

#include <optional>

#include "config/json.hpp"
#include "perturb/perturb_json.hpp"
#include "perturb/perturb_page.hpp"
#include "pipeline/result_json.hpp"
#include "rebuild/growing_file.hpp"
#include "rebuild/rebuild.hpp"
#include "rebuild/stored_perturb.hpp"
#include "report/html/check_page.hpp"
#include "report/stored_run.hpp"

namespace assay {

namespace {

/// A page as one text: a server sends it whole.
Result<std::string> collect(const std::function<Status(const Output&)>& render) {
  std::string text;
  Status rendered = render([&](std::string_view piece) -> Status {
    text += piece;
    return Done{};
  });
  if (!rendered) return rendered.failure();
  return text;
}

class LiveCheck final : public LiveRun {
 public:
  explicit LiveCheck(const std::filesystem::path& folder) : folder_(folder), lines_(folder / "results.jsonl") {}

  Status refresh() override {
    Result<StoredRun> run = load_run(folder_);
    if (!run) return run.failure();
    summary_.complete = run->summary.complete;
    summary_.seconds = run->summary.seconds;
    const auto restart = [&] {
      page_.emplace(run->info);
      summary_.counts = {};
    };
    return lines_.read(restart, [&](std::string_view line) -> Status {
      Result<ApiResult> result = result_from_json(line);
      if (!result) return result.failure();
      summary_.counts.add(*result);
      return page_->add(*result);
    });
  }
  [[nodiscard]] std::size_t row_count() const override { return page_ ? page_->row_count() : 0; }
  [[nodiscard]] bool complete() const override { return summary_.complete; }
  [[nodiscard]] Result<std::string> page() const override {
    if (!page_) return input_failure("show the run: it has no results yet");
    return collect([&](const Output& out) { return page_->render(summary_, "", true, out); });
  }

 private:
  std::filesystem::path folder_;
  GrowingFile lines_;
  std::optional<html::CheckPage> page_;
  RunSummary summary_;
};

class LivePerturb final : public LiveRun {
 public:
  explicit LivePerturb(const std::filesystem::path& folder) : folder_(folder), lines_(folder / "perturb.jsonl") {}

  Status refresh() override {
    Result<StoredPerturb> run = StoredPerturb::open(folder_);
    if (!run) return run.failure();
    seconds_ = run->seconds();
    complete_ = run->complete();
    bool is_first = false;
    const auto restart = [&] {
      page_.emplace(run->info());
      is_first = true;
    };
    return lines_.read(restart, [&](std::string_view line) -> Status {
      // The first line is about the run.
      if (std::exchange(is_first, false)) return Done{};
      Result<PerturbReport> report = report_from_json(line);
      if (!report) return report.failure();
      return page_->add(*report);
    });
  }
  [[nodiscard]] std::size_t row_count() const override { return page_ ? page_->row_count() : 0; }
  [[nodiscard]] bool complete() const override { return complete_; }
  [[nodiscard]] Result<std::string> page() const override {
    if (!page_) return input_failure("show the run: it has no results yet");
    return collect([&](const Output& out) { return page_->render(seconds_, complete_, true, out); });
  }

 private:
  std::filesystem::path folder_;
  GrowingFile lines_;
  std::optional<PerturbPage> page_;
  double seconds_ = 0;
  bool complete_ = false;
};

}  // namespace

Result<std::unique_ptr<LiveRun>> LiveRun::open(const std::filesystem::path& folder) {
  const Result<RunKind> kind = run_kind(folder);
  if (!kind) return kind.failure();
  if (*kind == RunKind::kWatch)
    return input_failure("serve '" + folder.string() + "': a watch is shown by `assay report` without --serve");
  if (*kind == RunKind::kPerturb) return std::unique_ptr<LiveRun>(std::make_unique<LivePerturb>(folder));
  return std::unique_ptr<LiveRun>(std::make_unique<LiveCheck>(folder));
}

}  // namespace assay
