// One API under the lens: both sides' summary of every output, the numbers that were judged and the worst element.
#include <cstdio>

#include "base/text.hpp"
#include "report/sink.hpp"

namespace assay {

namespace {

class InspectionSink final : public ResultSink {
 public:
  explicit InspectionSink(bool color) : color_(color) {}

  Status begin(const RunInfo& info) override {
    metric_names_ = info.metric_names;
    return Done{};
  }

  Status add(const ApiResult& result) override {
    for (const auto& [name, direction] : {std::pair("forward", &result.forward), std::pair("backward", &result.backward)}) {
      if (direction->verdict == Verdict::kNone) continue;
      std::printf("%s.%s: %s\n", escape_control(result.stem).c_str(), name, verdict_text(direction->verdict).c_str());
      if (direction->outputs.empty())
        std::printf("  %s [%s]\n", escape_control(direction->message).c_str(), direction->reason.c_str());
      for (const std::string& note : direction->notes) std::printf("  note: %s\n", escape_control(note).c_str());
      for (const OutputRow& row : direction->outputs) show(row);
    }
    return Done{};
  }

  Status finish(const RunSummary&) override {
    std::fflush(stdout);
    return Done{};
  }

 private:
  [[nodiscard]] std::string verdict_text(Verdict verdict) const {
    const std::string name(verdict_name(verdict));
    if (!color_) return name;
    const char* code = verdict == Verdict::kError     ? "31"
                       : verdict == Verdict::kWarning ? "33"
                       : verdict == Verdict::kPass    ? "32"
                                                      : "0";
    return "\x1b[" + std::string(code) + "m" + name + "\x1b[0m";
  }

  static void show_side(const char* name, const ValueSummary& side) {
    if (side.dtype.empty()) {
      std::printf("    %-9s missing\n", name);
    } else if (!side.is_tensor) {
      std::printf("    %-9s %s %s\n", name, side.dtype.c_str(), escape_control(side.text).c_str());
    } else {
      std::printf("    %-9s %s %s  min %s  max %s  mean %s  norm %s\n", name, side.dtype.c_str(), format_shape(side.shape).c_str(),
                  format_number(side.min).c_str(), format_number(side.max).c_str(), format_number(side.mean).c_str(),
                  format_number(side.norm).c_str());
    }
  }

  void show(const OutputRow& row) const {
    std::printf("  %s: %s%s%s\n", escape_control(row.name).c_str(), verdict_text(row.verdict).c_str(),
                row.message.empty() ? "" : ", ", escape_control(row.message).c_str());
    show_side("actual", row.actual);
    show_side("expected", row.expected);
    std::string line;
    for (std::size_t i = 0; i < row.metrics.size() && i < metric_names_.size(); ++i) {
      // The peer's numbers repeat ours; they are in details.csv.
      if (!row.metrics[i] || metric_names_[i].starts_with("msprobe_")) continue;
      line += (line.empty() ? "" : "  ") + metric_names_[i] + " " + format_number(*row.metrics[i]);
    }
    if (!line.empty()) std::printf("    %s\n", line.c_str());
    if (row.worst) {
      std::vector<std::string> index;
      for (const std::int64_t i : row.worst->index) index.push_back(std::to_string(i));
      std::printf("    worst at [%s]: actual %s, expected %s%s\n", join(index, ", ").c_str(),
                  escape_control(row.worst->actual).c_str(), escape_control(row.worst->expected).c_str(),
                  row.worst->ulp ? (", " + format_number(*row.worst->ulp) + " ulp apart").c_str() : "");
    }
  }

  bool color_;
  std::vector<std::string> metric_names_;
};

}  // namespace

std::unique_ptr<ResultSink> make_inspection_sink(bool color) { return std::make_unique<InspectionSink>(color); }

}  // namespace assay
