#include "perturb/perturb_json.hpp"

#include <stdexcept>

#include "config/json_fields.hpp"
#include "pipeline/element_json.hpp"

namespace assay {

namespace {

using Json = rapidjson::Value;

/// Findings and verdicts travel as their names.
template <class Enum>
Enum named(const Json& object, const char* key, Enum last, std::string_view (*name_of)(Enum)) {
  const std::string name = text_of(member(object, key), key);
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name_of(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  }
  throw std::runtime_error("unknown " + std::string(key) + " '" + name + "'");
}

void write_count(LineWriter& writer, const char* key, std::uint64_t value) {
  writer.Key(key);
  writer.Uint64(value);
}

void write_optional(LineWriter& writer, const char* key, const std::optional<double>& value) {
  if (value) write_number(writer, key, *value);
}

std::optional<double> read_optional(const Json& object, const char* key) {
  const Json* value = optional_member(object, key);
  return value == nullptr ? std::nullopt : std::optional<double>(number_of(*value, key));
}

void write_row(LineWriter& writer, const PerturbRow& row) {
  writer.StartObject();
  write_text(writer, "name", row.name);
  write_text(writer, "api", row.api);
  write_text(writer, "direction", row.direction);
  write_text(writer, "perturbation", row.perturbation);
  write_text(writer, "input", row.input);
  write_text(writer, "dtype", row.dtype);
  write_text(writer, "finding", std::string(finding_name(row.finding)));
  writer.Key("verdict");
  writer.String(std::string(verdict_name(row.verdict)));
  write_text(writer, "reason", row.reason);
  write_text(writer, "message", row.message);
  write_count(writer, "seeds", row.seeds);
  write_count(writer, "changed", row.changed);
  write_count(writer, "elements", row.elements);
  write_number(writer, "input_change", row.input_change);
  write_number(writer, "output_change", row.output_change);
  write_text(writer, "output", row.output);
  if (row.amplification) {
    writer.Key("amplification");
    writer.StartObject();
    write_number(writer, "mean", row.amplification->mean);
    write_number(writer, "deviation", row.amplification->deviation);
    write_number(writer, "largest", row.amplification->largest);
    writer.EndObject();
  }
  write_optional(writer, "bits_lost", row.bits_lost);
  write_text(writer, "expected", row.expected);
  write_optional(writer, "limit", row.limit);
  if (row.worst) {
    writer.Key("worst");
    write_element(writer, *row.worst);
  }
  write_number(writer, "plain_ms", row.plain_ms);
  write_number(writer, "perturbed_ms", row.perturbed_ms);
  write_number(writer, "overhead_ms", row.overhead_ms);
  if (row.damaged) {
    writer.Key("damaged");
    writer.Bool(true);
  }
  writer.EndObject();
}

PerturbRow read_row(const Json& object) {
  PerturbRow row;
  row.name = read_text(object, "name");
  row.api = read_text(object, "api");
  row.direction = read_text(object, "direction");
  row.perturbation = read_text(object, "perturbation");
  row.input = read_text(object, "input");
  row.dtype = read_text(object, "dtype");
  row.finding = named(object, "finding", Finding::kNotRun, finding_name);
  row.verdict = named(object, "verdict", Verdict::kError, verdict_name);
  row.reason = read_text(object, "reason");
  row.message = read_text(object, "message");
  row.seeds = static_cast<unsigned>(count_of(member(object, "seeds"), "seeds"));
  row.changed = count_of(member(object, "changed"), "changed");
  row.elements = count_of(member(object, "elements"), "elements");
  row.input_change = number_of(member(object, "input_change"), "input_change");
  row.output_change = number_of(member(object, "output_change"), "output_change");
  row.output = read_text(object, "output");
  if (const Json* json = optional_member(object, "amplification")) {
    const Json& spread = object_of(*json, "amplification");
    row.amplification = Spread{number_of(member(spread, "mean"), "mean"), number_of(member(spread, "deviation"), "deviation"),
                               number_of(member(spread, "largest"), "largest")};
  }
  row.bits_lost = read_optional(object, "bits_lost");
  row.expected = read_text(object, "expected");
  row.limit = read_optional(object, "limit");
  if (const Json* worst = optional_member(object, "worst")) row.worst = read_element(*worst, "worst");
  row.plain_ms = number_of(member(object, "plain_ms"), "plain_ms");
  row.perturbed_ms = number_of(member(object, "perturbed_ms"), "perturbed_ms");
  row.overhead_ms = number_of(member(object, "overhead_ms"), "overhead_ms");
  row.damaged = optional_member(object, "damaged") != nullptr;
  return row;
}

void write_peer_row(LineWriter& writer, const PeerRow& row) {
  writer.StartObject();
  write_text(writer, "perturbation", row.perturbation);
  write_text(writer, "stage", row.stage);
  write_text(writer, "api_name", row.api_name);
  if (row.difference.index) write_count(writer, "index", *row.difference.index);
  write_text(writer, "cell", row.difference.cell);
  write_text(writer, "dtype", row.difference.dtype);
  write_text(writer, "shape", row.difference.shape);
  writer.EndObject();
}

PeerRow read_peer_row(const Json& object) {
  PeerRow row;
  row.perturbation = read_text(object, "perturbation");
  row.stage = read_text(object, "stage");
  row.api_name = read_text(object, "api_name");
  if (const Json* index = optional_member(object, "index")) row.difference.index = count_of(*index, "index");
  row.difference.cell = read_text(object, "cell");
  row.difference.dtype = read_text(object, "dtype");
  row.difference.shape = read_text(object, "shape");
  return row;
}

template <class Read>
auto read_json(const rapidjson::Value& json, const char* what, const Read& read) -> Result<decltype(read(json))> {
  try {
    return read(json);
  } catch (const std::runtime_error& error) {
    return input_failure("read " + std::string(what) + ": " + error.what());
  }
}

template <class Read>
auto parse_line(std::string_view text, const char* what, const Read& read) -> Result<decltype(read(std::declval<const Json&>()))> {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
  if (document.HasParseError()) {
    return input_failure("read " + std::string(what) + ": not JSON at byte " + std::to_string(document.GetErrorOffset()));
  }
  return read_json(document, what, read);
}

template <class Write>
std::string line_of(const Write& write) {
  rapidjson::StringBuffer buffer;
  LineWriter writer(buffer);
  write(writer);
  return buffer.GetString();
}

}  // namespace

std::string report_to_json(const PerturbReport& report) {
  return line_of([&](LineWriter& writer) {
    writer.StartObject();
    write_text(writer, "stem", report.stem);
    writer.Key("rows");
    writer.StartArray();
    for (const PerturbRow& row : report.rows) write_row(writer, row);
    writer.EndArray();
    writer.Key("peer_rows");
    writer.StartArray();
    for (const PeerRow& row : report.peer_rows) write_peer_row(writer, row);
    writer.EndArray();
    writer.EndObject();
  });
}

Result<PerturbReport> report_from_json(std::string_view text) {
  return parse_line(text, "a report", [](const Json& json) {
    const Json& object = object_of(json, "report");
    PerturbReport report;
    report.stem = read_text(object, "stem");
    for (const Json& row : array_of(member(object, "rows"), "rows").GetArray()) {
      report.rows.push_back(read_row(object_of(row, "rows")));
    }
    for (const Json& row : array_of(member(object, "peer_rows"), "peer_rows").GetArray()) {
      report.peer_rows.push_back(read_peer_row(object_of(row, "peer_rows")));
    }
    return report;
  });
}

std::string info_to_json(const PerturbInfo& info) {
  return line_of([&](LineWriter& writer) {
    const auto texts = [&](const char* key, const std::vector<std::string>& values) {
      writer.Key(key);
      writer.StartArray();
      for (const std::string& value : values) writer.String(value);
      writer.EndArray();
    };
    writer.StartObject();
    write_text(writer, "command", info.command);
    write_text(writer, "dump_path", info.dump_path);
    write_text(writer, "dump_fingerprint", info.dump_fingerprint);
    write_text(writer, "task", info.header.task);
    write_text(writer, "level", info.header.level);
    write_text(writer, "framework", info.header.framework == Framework::kPyTorch ? "pytorch" : "mindspore");
    write_count(writer, "call_count", info.call_count);
    texts("engine", {info.engine.source, info.engine.framework, info.engine.version, info.engine.precision, info.engine.details});
    texts("perturbations", info.perturbations);
    write_count(writer, "seeds", info.seeds);
    write_text(writer, "config", info.config_json);
    texts("apis", info.apis);
    write_text(writer, "rank", info.rank);
    write_text(writer, "step", info.step);
    writer.EndObject();
  });
}

Result<PerturbInfo> info_from_json(const rapidjson::Value& json) {
  return read_json(json, "a run", [](const Json& value) {
    const Json& object = object_of(value, "run");
    const auto texts = [&](const char* key) {
      std::vector<std::string> out;
      for (const Json& each : array_of(member(object, key), key).GetArray()) out.push_back(text_of(each, key));
      return out;
    };
    PerturbInfo info;
    info.command = read_text(object, "command");
    info.dump_path = read_text(object, "dump_path");
    info.dump_fingerprint = read_text(object, "dump_fingerprint");
    info.header.task = read_text(object, "task");
    info.header.level = read_text(object, "level");
    info.header.framework = read_text(object, "framework") == "pytorch" ? Framework::kPyTorch : Framework::kMindSpore;
    info.call_count = count_of(member(object, "call_count"), "call_count");
    const std::vector<std::string> engine = texts("engine");
    if (engine.size() != 5) throw std::runtime_error("field 'engine' holds " + std::to_string(engine.size()) + " texts, not 5");
    info.engine = {engine[0], engine[1], engine[2], engine[3], engine[4]};
    info.perturbations = texts("perturbations");
    info.seeds = static_cast<unsigned>(count_of(member(object, "seeds"), "seeds"));
    info.config_json = read_text(object, "config");
    info.apis = texts("apis");
    info.rank = read_text(object, "rank");
    info.step = read_text(object, "step");
    return info;
  });
}

std::string answers_to_json(const std::vector<PreheatAnswer>& answers) {
  return line_of([&](LineWriter& writer) {
    writer.StartArray();
    for (const PreheatAnswer& answer : answers) {
      writer.StartObject();
      write_number(writer, "ratio", answer.sample.ratio);
      writer.Key("consistent");
      writer.Bool(answer.sample.consistent);
      write_text(writer, "dtype", std::string(dtype_name(answer.dtype)));
      writer.EndObject();
    }
    writer.EndArray();
  });
}

Result<std::vector<PreheatAnswer>> answers_from_json(std::string_view text) {
  return parse_line(text, "answers", [](const Json& json) {
    std::vector<PreheatAnswer> answers;
    for (const Json& item : array_of(json, "answers").GetArray()) {
      const Json& object = object_of(item, "answers");
      const std::optional<assay_dtype> dtype = dtype_from_name(read_text(object, "dtype"));
      if (!dtype) throw std::runtime_error("field 'dtype' is no dtype");
      answers.push_back({{number_of(member(object, "ratio"), "ratio"), member(object, "consistent").IsTrue()}, *dtype});
    }
    return answers;
  });
}

std::string thresholds_to_json(const Preheat::Thresholds& thresholds) {
  return line_of([&](LineWriter& writer) {
    writer.StartObject();
    for (const auto& [dtype, threshold] : thresholds) write_number(writer, dtype.c_str(), threshold);
    writer.EndObject();
  });
}

Result<Preheat::Thresholds> thresholds_from_json(std::string_view text) {
  return parse_line(text, "thresholds", [](const Json& json) {
    Preheat::Thresholds thresholds;
    for (const auto& [dtype, threshold] : object_of(json, "thresholds").GetObject()) {
      thresholds[dtype.GetString()] = number_of(threshold, "threshold");
    }
    return thresholds;
  });
}

}  // namespace assay
