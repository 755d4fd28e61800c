// junit.xml: a test suite that CI servers read; a test case for each direction of each API.
#include <cstdio>

#include "base/text.hpp"
#include "report/output_file.hpp"
#include "report/sink.hpp"

namespace assay {

namespace {

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : escape_control(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string attribute(const char* name, std::string_view value) { return " " + std::string(name) + "=\"" + xml(value) + "\""; }

std::string seconds(double value, int decimals) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Jenkins' xUnit plugin takes any text as the time of a case; versions of its schema refuse more than three decimals of a suite's.
constexpr int kCaseDecimals = 6;
constexpr int kSuiteDecimals = 3;

class JunitSink final : public ResultSink {
 public:
  explicit JunitSink(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Status begin(const RunInfo& info) override {
    info_ = info;
    return Done{};
  }

  Status add(const ApiResult& result) override {
    add_case(result, result.forward, "forward");
    add_case(result, result.backward, "backward");
    return Done{};
  }

  Status finish(const RunSummary& summary) override {
    // Without the time of the whole run: the cases' times add up to what a CI server shows.
    const std::string counts = attribute("tests", std::to_string(tests_)) + attribute("failures", std::to_string(failures_)) +
                               attribute("errors", std::to_string(errors_)) + attribute("time", seconds(seconds_, kSuiteDecimals));
    Result<OutputFile> file = OutputFile::create(folder_ / "junit.xml");
    if (!file) return file.failure();
    const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\"" + counts + ">\n<testsuite" +
                             attribute("name", "assay " + info_.dump_path) + counts +
                             attribute("skipped", std::to_string(skipped_)) + ">\n" + properties(summary);
    for (const std::string_view text :
         {std::string_view(head), std::string_view(cases_), std::string_view("</testsuite>\n</testsuites>\n")}) {
      if (Status s = file->write(text); !s) return s;
    }
    return file->close();
  }

 private:
  [[nodiscard]] std::string properties(const RunSummary& summary) const {
    std::string text = "<properties>\n";
    for (const auto& [name, value] : {std::pair("command", info_.command), std::pair("target", side(info_.target)),
                                      std::pair("reference", side(info_.reference)), std::pair("standard", info_.standard),
                                      std::pair("complete", std::string(summary.complete ? "true" : "false"))}) {
      text += "<property" + attribute("name", name) + attribute("value", value) + "/>\n";
    }
    return text + "</properties>\n";
  }

  static std::string side(const SideInfo& side) {
    return side.source == "recorded" ? side.source : side.source + " " + side.framework + " " + side.version + " " + side.precision;
  }

  void add_case(const ApiResult& result, const DirectionResult& direction, const char* name) {
    if (direction.verdict == Verdict::kNone) return;
    ++tests_;
    const double time = (direction.target_ms + direction.reference_ms) / 1000;
    seconds_ += time;
    cases_ += "<testcase" + attribute("classname", result.api) + attribute("name", result.stem + "." + name) +
              attribute("time", seconds(time, kCaseDecimals)) + ">\n";
    if (direction.verdict == Verdict::kError) {
      ++failures_;
      cases_ += outcome("failure", direction) + rows(direction) +
                "reproduce: " + xml(info_.command + " --api " + shell_word(result.stem)) + "\n</failure>\n";
    } else if (direction.damaged) {
      ++errors_;
      cases_ += outcome("error", direction) + "</error>\n";
    } else if (direction.verdict == Verdict::kSkip) {
      ++skipped_;
      cases_ += "<skipped" + attribute("message", direction.message + " [" + direction.reason + "]") + "/>\n";
    } else if (direction.verdict == Verdict::kWarning) {
      cases_ += "<system-out>" + rows(direction) + "</system-out>\n";
    }
    cases_ += "</testcase>\n";
  }

  static std::string outcome(const char* element, const DirectionResult& direction) {
    std::string reason = direction.reason;
    for (const OutputRow& row : direction.outputs) {
      if (reason.empty() && row.verdict == direction.verdict) reason = row.reason;
    }
    return "<" + std::string(element) + attribute("type", reason) + attribute("message", direction.message) + ">";
  }

  static std::string rows(const DirectionResult& direction) {
    std::string text = "\n";
    for (const OutputRow& row : direction.outputs) {
      if (row.verdict < Verdict::kWarning) continue;
      text += xml(row.name + ": " + std::string(verdict_name(row.verdict)) + ", " + row.message + " [" + row.reason + "]") + "\n";
    }
    return text;
  }

  std::filesystem::path folder_;
  RunInfo info_;
  std::string cases_;
  std::size_t tests_ = 0, failures_ = 0, errors_ = 0, skipped_ = 0;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<ResultSink> make_junit_sink(const std::filesystem::path& folder) { return std::make_unique<JunitSink>(folder); }

}  // namespace assay
