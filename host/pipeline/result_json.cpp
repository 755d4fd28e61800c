#include "pipeline/result_json.hpp"

#include <stdexcept>

#include "config/json_fields.hpp"
#include "pipeline/element_json.hpp"

namespace assay {

namespace {

using Writer = LineWriter;
using Json = rapidjson::Value;

void write_summary(Writer& writer, const char* key, const ValueSummary& summary) {
  writer.Key(key);
  writer.StartObject();
  write_text(writer, "dtype", summary.dtype);
  if (summary.is_tensor) write_integers(writer, "shape", summary.shape);
  write_text(writer, "text", summary.text);
  if (summary.finite_count != 0) {
    write_number(writer, "min", summary.min);
    write_number(writer, "max", summary.max);
    write_number(writer, "mean", summary.mean);
    write_number(writer, "norm", summary.norm);
    writer.Key("finite_count");
    writer.Int64(summary.finite_count);
  }
  writer.EndObject();
}

void write_row(Writer& writer, const OutputRow& row) {
  writer.StartObject();
  write_text(writer, "name", row.name);
  writer.Key("verdict");
  writer.String(std::string(verdict_name(row.verdict)));
  write_text(writer, "reason", row.reason);
  write_text(writer, "message", row.message);
  write_text(writer, "judged_as", row.judged_as);
  if (row.decision) {
    writer.Key("decision");
    writer.StartObject();
    write_text(writer, "metric", row.decision->metric);
    write_number(writer, "value", row.decision->value);
    write_number(writer, "limit", row.decision->limit);
    writer.EndObject();
  }
  write_summary(writer, "actual", row.actual);
  write_summary(writer, "expected", row.expected);
  writer.Key("metrics");
  writer.StartArray();
  for (const std::optional<double>& metric : row.metrics) {
    if (metric) {
      write_number(writer, *metric);
    } else {
      writer.Null();
    }
  }
  writer.EndArray();
  if (!row.ulp_histogram.empty()) {
    writer.Key("ulp_histogram");
    writer.StartArray();
    for (const auto& [bin, count] : row.ulp_histogram) {
      writer.StartArray();
      writer.Uint(bin);
      writer.Double(count);
      writer.EndArray();
    }
    writer.EndArray();
  }
  if (row.worst) {
    writer.Key("worst");
    write_element(writer, *row.worst);
  }
  if (!row.next_worst.empty()) {
    writer.Key("next_worst");
    writer.StartArray();
    for (const WorstElement& element : row.next_worst) write_element(writer, element);
    writer.EndArray();
  }
  writer.EndObject();
}

void write_direction(Writer& writer, const char* key, const DirectionResult& direction) {
  if (direction.verdict == Verdict::kNone) return;
  writer.Key(key);
  writer.StartObject();
  writer.Key("verdict");
  writer.String(std::string(verdict_name(direction.verdict)));
  write_text(writer, "reason", direction.reason);
  write_text(writer, "message", direction.message);
  if (direction.damaged) {
    writer.Key("damaged");
    writer.Bool(true);
  }
  writer.Key("outputs");
  writer.StartArray();
  for (const OutputRow& row : direction.outputs) write_row(writer, row);
  writer.EndArray();
  if (!direction.notes.empty()) {
    writer.Key("notes");
    writer.StartArray();
    for (const std::string& note : direction.notes) writer.String(note);
    writer.EndArray();
  }
  write_number(writer, "target_ms", direction.target_ms);
  write_number(writer, "reference_ms", direction.reference_ms);
  for (const auto& [name, bytes] :
       {std::pair("target_bytes", direction.target_bytes), std::pair("reference_bytes", direction.reference_bytes)}) {
    if (bytes == 0) continue;
    writer.Key(name);
    writer.Uint64(bytes);
  }
  writer.EndObject();
}

Verdict read_verdict(const Json& object) {
  const std::string name = text_of(member(object, "verdict"), "verdict");
  for (const Verdict verdict : {Verdict::kNone, Verdict::kSkip, Verdict::kPass, Verdict::kWarning, Verdict::kError}) {
    if (verdict_name(verdict) == name) return verdict;
  }
  throw std::runtime_error("unknown verdict '" + name + "'");
}

ValueSummary read_summary(const Json& object) {
  ValueSummary out;
  out.dtype = read_text(object, "dtype");
  out.text = read_text(object, "text");
  if (const Json* shape = optional_member(object, "shape")) {
    out.is_tensor = true;
    out.shape = read_integers(*shape, "shape");
  }
  if (const Json* count = optional_member(object, "finite_count")) {
    out.finite_count = static_cast<std::int64_t>(number_of(*count, "finite_count"));
    out.min = number_of(member(object, "min"), "min");
    out.max = number_of(member(object, "max"), "max");
    out.mean = number_of(member(object, "mean"), "mean");
    out.norm = number_of(member(object, "norm"), "norm");
  }
  return out;
}

OutputRow read_row(const Json& object) {
  OutputRow row;
  row.name = read_text(object, "name");
  row.verdict = read_verdict(object);
  row.reason = read_text(object, "reason");
  row.message = read_text(object, "message");
  row.judged_as = read_text(object, "judged_as");
  if (const Json* decision = optional_member(object, "decision")) {
    const Json& fields = object_of(*decision, "decision");
    row.decision = Decision{read_text(fields, "metric"), number_of(member(fields, "value"), "value"),
                            number_of(member(fields, "limit"), "limit")};
  }
  row.actual = read_summary(object_of(member(object, "actual"), "actual"));
  row.expected = read_summary(object_of(member(object, "expected"), "expected"));
  for (const Json& metric : array_of(member(object, "metrics"), "metrics").GetArray()) {
    row.metrics.push_back(metric.IsNull() ? std::nullopt : std::optional<double>(number_of(metric, "metrics")));
  }
  if (const Json* histogram = optional_member(object, "ulp_histogram")) {
    for (const Json& bin : array_of(*histogram, "ulp_histogram").GetArray()) {
      if (!bin.IsArray() || bin.Size() != 2 || !bin[0].IsUint() || bin[0].GetUint() > 64) {
        throw std::runtime_error("field 'ulp_histogram' holds something that is not a bin and its count");
      }
      row.ulp_histogram.emplace_back(bin[0].GetUint(), number_of(bin[1], "ulp_histogram"));
    }
  }
  if (const Json* worst = optional_member(object, "worst")) row.worst = read_element(*worst, "worst");
  if (const Json* next = optional_member(object, "next_worst")) {
    for (const Json& element : array_of(*next, "next_worst").GetArray())
      row.next_worst.push_back(read_element(element, "next_worst"));
  }
  return row;
}

DirectionResult read_direction(const Json& object, const char* key) {
  DirectionResult out;
  const Json* value = optional_member(object, key);
  if (value == nullptr) return out;
  const Json& fields = object_of(*value, key);
  out.verdict = read_verdict(fields);
  out.reason = read_text(fields, "reason");
  out.message = read_text(fields, "message");
  out.damaged = optional_member(fields, "damaged") != nullptr;
  for (const Json& row : array_of(member(fields, "outputs"), "outputs").GetArray())
    out.outputs.push_back(read_row(object_of(row, "outputs")));
  if (const Json* notes = optional_member(fields, "notes")) {
    for (const Json& note : array_of(*notes, "notes").GetArray()) out.notes.push_back(text_of(note, "notes"));
  }
  out.target_ms = number_of(member(fields, "target_ms"), "target_ms");
  out.reference_ms = number_of(member(fields, "reference_ms"), "reference_ms");
  for (const auto& [name, bytes] :
       {std::pair("target_bytes", &out.target_bytes), std::pair("reference_bytes", &out.reference_bytes)}) {
    const Json* count = optional_member(fields, name);
    if (count == nullptr) continue;
    if (!count->IsUint64()) throw std::runtime_error(std::string("field '") + name + "' is not a whole number");
    *bytes = count->GetUint64();
  }
  return out;
}

}  // namespace

std::string result_to_json(const ApiResult& result) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  writer.Key("position");
  writer.Uint64(result.position);
  write_text(writer, "stem", result.stem);
  write_text(writer, "api", result.api);
  write_direction(writer, "forward", result.forward);
  write_direction(writer, "backward", result.backward);
  writer.EndObject();
  return buffer.GetString();
}

Result<ApiResult> result_from_json(std::string_view line) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(line.data(), line.size());
  if (document.HasParseError())
    return input_failure("read a result: not JSON at byte " + std::to_string(document.GetErrorOffset()));
  try {
    const Json& object = object_of(document, "result");
    ApiResult result;
    result.position = count_of(member(object, "position"), "position");
    result.stem = read_text(object, "stem");
    result.api = read_text(object, "api");
    result.forward = read_direction(object, "forward");
    result.backward = read_direction(object, "backward");
    return result;
  } catch (const std::runtime_error& error) {
    return input_failure("read a result: " + std::string(error.what()));
  }
}

}  // namespace assay
