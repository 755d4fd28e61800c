#include "measurement.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>

#include "config/json.hpp"
#include "report/output_file.hpp"

namespace assay::bench {

namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

void write_series(Writer& json, const char* name, const Series& series) {
  json.Key(name);
  json.StartObject();
  json.Key("ms");
  json.StartArray();
  for (const double ms : series.milliseconds) json.Double(ms);
  json.EndArray();
  json.Key("tensor_peak");
  json.Uint64(series.tensor_peak);
  json.Key("process_peak");
  json.Uint64(series.process_peak);
  json.Key("operators");
  json.Uint64(series.operators);
  json.EndObject();
}

/// Reads members that must be there with their type; a problem is remembered.
struct Reader {
  const rapidjson::Value& object;
  bool& sound;

  const rapidjson::Value* member(const char* key) const {
    const auto found = object.IsObject() ? object.FindMember(key) : object.MemberEnd();
    if (object.IsObject() && found != object.MemberEnd()) return &found->value;
    sound = false;
    return nullptr;
  }
  std::string text(const char* key) const {
    const rapidjson::Value* value = member(key);
    if (value != nullptr && value->IsString()) return value->GetString();
    sound = false;
    return {};
  }
  std::uint64_t number(const char* key) const {
    const rapidjson::Value* value = member(key);
    if (value != nullptr && value->IsUint64()) return value->GetUint64();
    sound = false;
    return 0;
  }
  Series series(const char* key) const {
    Series out;
    const rapidjson::Value* value = member(key);
    if (value == nullptr || !value->IsObject()) return sound = false, out;
    const Reader inner{*value, sound};
    out.tensor_peak = inner.number("tensor_peak");
    out.process_peak = inner.number("process_peak");
    out.operators = inner.number("operators");
    const rapidjson::Value* list = inner.member("ms");
    if (list == nullptr || !list->IsArray()) return sound = false, out;
    for (const rapidjson::Value& ms : list->GetArray()) {
      sound = sound && ms.IsNumber();
      if (ms.IsNumber()) out.milliseconds.push_back(ms.GetDouble());
    }
    return out;
  }
};

}  // namespace

double median_of(std::vector<double> values) { return quantile(std::move(values), 0.5); }

Ratio ratio_to_plain(const Series& series, const Series& plain) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(series.milliseconds.size(), plain.milliseconds.size()); ++i) {
    if (plain.milliseconds[i] > 0) ratios.push_back(series.milliseconds[i] / plain.milliseconds[i]);
  }
  return {quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75)};
}

Status write_measurement(const std::filesystem::path& path, const Measurement& m) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  const auto text = [&](const char* key, const std::string& value) {
    json.Key(key);
    json.String(value);
  };
  const auto number = [&](const char* key, std::uint64_t value) {
    json.Key(key);
    json.Uint64(value);
  };
  json.StartObject();
  text("failure", m.failure);
  text("model", m.model);
  text("dtype", m.dtype);
  number("scale", static_cast<std::uint64_t>(m.scale));
  number("batch", static_cast<std::uint64_t>(m.batch));
  number("sequence", static_cast<std::uint64_t>(m.sequence));
  number("threads", static_cast<std::uint64_t>(m.threads));
  number("findings", m.findings);
  write_series(json, "plain", m.plain);
  write_series(json, "watched", m.watched);
  write_series(json, "twice", m.twice);
  write_series(json, "wide", m.wide);
  json.EndObject();
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.failure();
  if (Status s = file->write({buffer.GetString(), buffer.GetSize()}); !s) return s;
  return file->close();
}

Result<Measurement> read_measurement(const std::filesystem::path& path) {
  const Result<rapidjson::Document> document = load_json(path);
  if (!document) return document.failure();
  bool sound = true;
  const Reader reader{*document, sound};
  Measurement m;
  m.failure = reader.text("failure");
  m.model = reader.text("model");
  m.dtype = reader.text("dtype");
  m.scale = static_cast<std::int64_t>(reader.number("scale"));
  m.batch = static_cast<std::int64_t>(reader.number("batch"));
  m.sequence = static_cast<std::int64_t>(reader.number("sequence"));
  m.threads = static_cast<int>(reader.number("threads"));
  m.findings = reader.number("findings");
  m.plain = reader.series("plain");
  m.watched = reader.series("watched");
  m.twice = reader.series("twice");
  m.wide = reader.series("wide");
  if (!sound) return input_failure("read " + path.string() + ": no measurement of a row");
  return m;
}

}  // namespace assay::bench
