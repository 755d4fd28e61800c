// report.html: one self-contained page, complete without scripts, easier to search with them.
#include "report/html/check_page.hpp"
#include "report/output_file.hpp"
#include "report/sink.hpp"

namespace assay {

namespace {

class HtmlSink final : public ResultSink {
 public:
  HtmlSink(std::filesystem::path folder, std::string more) : folder_(std::move(folder)), more_(std::move(more)) {}

  Status begin(const RunInfo& info) override {
    page_.emplace(info);
    return Done{};
  }
  Status add(const ApiResult& result) override { return page_->add(result); }
  Status finish(const RunSummary& summary) override {
    return write_output(folder_ / "report.html", [&](const Output& out) { return page_->render(summary, more_, false, out); });
  }

 private:
  std::filesystem::path folder_;
  std::string more_;
  std::optional<html::CheckPage> page_;
};

}  // namespace

std::unique_ptr<ResultSink> make_html_sink(const std::filesystem::path& folder, std::string more) {
  return std::make_unique<HtmlSink>(folder, std::move(more));
}

}  // namespace assay
