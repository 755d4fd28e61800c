#include "report/run_record.hpp"

namespace assay {

RunRecord::RunRecord(const std::string& command) {
  writer_.SetIndent(' ', 2);
  writer_.StartObject();
  text("assay", ASSAY_VERSION);
  text("command", command);
}

void RunRecord::dump(const std::string& path, const std::string& fingerprint, const DumpHeader& header, const char* counted,
                     std::size_t count) {
  open("dump");
  text("path", path);
  text("crc32", fingerprint);
  text("task", header.task);
  text("level", header.level);
  text("framework", header.framework == Framework::kPyTorch ? "pytorch" : "mindspore");
  writer_.Key(counted);
  writer_.Uint64(count);
  close();
}

void RunRecord::side(const char* key, const SideInfo& info) {
  open(key);
  text("source", info.source);
  if (info.source != "recorded") {
    text("framework", info.framework);
    text("version", info.version);
    text("precision", info.precision);
  }
  if (!info.details.empty()) text("details", info.details);
  close();
}

void RunRecord::config(const std::string& json) {
  writer_.Key("config");
  writer_.RawValue(json.c_str(), json.size(), rapidjson::kObjectType);
}

void RunRecord::text(const char* key, const std::string& value) {
  writer_.Key(key);
  writer_.String(value);
}

void RunRecord::texts(const char* key, const std::vector<std::string>& values) {
  writer_.Key(key);
  writer_.StartArray();
  for (const std::string& value : values) writer_.String(value);
  writer_.EndArray();
}

void RunRecord::number(const char* key, double value) {
  writer_.Key(key);
  writer_.Double(value);
}

void RunRecord::flag(const char* key, bool value) {
  writer_.Key(key);
  writer_.Bool(value);
}

void RunRecord::counts(const std::vector<std::pair<const char*, std::size_t>>& counts) {
  open("counts");
  for (const auto& [key, count] : counts) {
    writer_.Key(key);
    writer_.Uint64(count);
  }
  close();
}

void RunRecord::open(const char* key) {
  writer_.Key(key);
  writer_.StartObject();
}

std::string RunRecord::finish() {
  writer_.EndObject();
  return {buffer_.GetString(), buffer_.GetSize()};
}

}  // namespace assay
