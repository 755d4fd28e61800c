// The validator's report as text and as JSON.
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include "base/text.hpp"
#include "validator/validator.hpp"

namespace assay {

namespace {

const char* status_name(CheckStatus status) {
  switch (status) {
    case CheckStatus::kPassed: return "passed";
    case CheckStatus::kFailed: return "failed";
    case CheckStatus::kCrashed: return "crashed";
    case CheckStatus::kSkipped: return "skipped";
    case CheckStatus::kWarning: return "warning";
  }
  return "";
}

}  // namespace

std::string validation_text(const ValidationReport& report, bool only_failed) {
  std::string text;
  std::string subject;
  for (const CheckResult& result : report.results) {
    if (only_failed && result.status != CheckStatus::kFailed && result.status != CheckStatus::kCrashed) continue;
    const std::string heading = result.component.empty() ? result.plugin : result.plugin + ": " + result.component;
    if (heading != subject) text += (subject.empty() ? "" : "\n") + heading + "\n";
    subject = heading;
    std::string status = status_name(result.status);
    status.resize(8, ' ');
    text += "  " + status + result.check + ": " + result.sentence + "\n";
    if (!result.message.empty()) text += "          " + escape_control(result.message) + " (" + result.rule + ")\n";
  }
  text += text.empty() ? "" : "\n";
  for (const CheckStatus status :
       {CheckStatus::kPassed, CheckStatus::kFailed, CheckStatus::kCrashed, CheckStatus::kSkipped, CheckStatus::kWarning}) {
    text += (status == CheckStatus::kPassed ? "" : ", ") + std::to_string(report.count(status)) + " " + status_name(status);
  }
  return text + "\n";
}

std::string validation_json(const ValidationReport& report) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  const auto member = [&](const char* key, const std::string& value) {
    writer.Key(key);
    writer.String(value);
  };
  writer.StartObject();
  writer.Key("conforms");
  writer.Bool(report.conforms());
  writer.Key("checks");
  writer.StartArray();
  for (const CheckResult& result : report.results) {
    writer.StartObject();
    member("plugin", result.plugin);
    member("component", result.component);
    member("check", result.check);
    member("rule", result.rule);
    member("sentence", result.sentence);
    member("status", status_name(result.status));
    member("message", result.message);
    writer.Key("seconds");
    writer.Double(result.seconds);
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace assay
