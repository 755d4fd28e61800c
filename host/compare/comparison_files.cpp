// compare.csv: a row for each direction. compare.json: the same with every metric that moved, the sides, their notes and settings.
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cmath>

#include "base/text.hpp"
#include "compare/comparison.hpp"
#include "report/csv.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void text(Writer& writer, const char* key, std::string_view value) {
  writer.Key(key);
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void number(Writer& writer, const char* key, double value) {
  writer.Key(key);
  if (std::isfinite(value)) {
    writer.Double(value);
  } else {
    writer.String(format_number(value));
  }
}

void write_side(Writer& writer, const char* key, const ComparedSide& side) {
  writer.Key(key);
  writer.StartObject();
  text(writer, "path", side.path);
  writer.Key("apis");
  writer.Uint64(side.apis);
  writer.Key("notes");
  writer.StartArray();
  for (const std::string& note : side.notes) writer.String(note);
  writer.EndArray();
  writer.Key("note_count");
  writer.Uint64(side.note_count);
  writer.EndObject();
}

void write_change(Writer& writer, const Change& change) {
  writer.StartObject();
  text(writer, "api_name", change.stem);
  text(writer, "direction", change.backward ? "backward" : "forward");
  text(writer, "change", change_name(change.kind));
  text(writer, "tested", verdict_name(change.tested));
  text(writer, "baseline", verdict_name(change.baseline));
  text(writer, "message", change.message);
  writer.Key("metrics");
  writer.StartArray();
  for (const MetricChange& metric : change.metrics) {
    writer.StartObject();
    text(writer, "output", metric.output);
    text(writer, "metric", metric.metric);
    number(writer, "tested", metric.tested);
    number(writer, "baseline", metric.baseline);
    number(writer, "ratio", metric.ratio);
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
}

std::string json_of(const Comparison& comparison) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  text(writer, "compared", comparison.what);
  text(writer, "standard", comparison.standard);
  write_side(writer, "tested", comparison.tested);
  write_side(writer, "baseline", comparison.baseline);
  writer.Key("settings");
  writer.StartArray();
  for (const SettingDifference& difference : comparison.settings) {
    writer.StartObject();
    text(writer, "setting", difference.setting);
    text(writer, "tested", difference.tested);
    text(writer, "baseline", difference.baseline);
    writer.EndObject();
  }
  writer.EndArray();
  writer.Key("counts");
  writer.StartObject();
  const auto counts = comparison.counts();
  for (std::size_t kind = 0; kind < kChangeKindCount; ++kind) {
    writer.Key(change_name(static_cast<ChangeKind>(kind)));
    writer.Uint64(counts[kind]);
  }
  writer.EndObject();
  writer.Key("changes");
  writer.StartArray();
  for (const Change& change : comparison.changes) write_change(writer, change);
  writer.EndArray();
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

std::string csv_row(const Change& change) {
  std::vector<std::string> cells = {csv_cell(change.stem),
                                    change.backward ? "backward" : "forward",
                                    change_name(change.kind),
                                    std::string(verdict_name(change.tested)),
                                    std::string(verdict_name(change.baseline)),
                                    "",
                                    "",
                                    "",
                                    "",
                                    "",
                                    csv_cell(change.message)};
  if (!change.metrics.empty()) {
    // The largest growth; where nothing grew, the largest shrinking.
    const MetricChange& metric = change.metrics.front().ratio > 1 ? change.metrics.front() : change.metrics.back();
    cells[5] = csv_cell(metric.output);
    cells[6] = csv_cell(metric.metric);
    cells[7] = format_number(metric.tested);
    cells[8] = format_number(metric.baseline);
    cells[9] = format_number(metric.ratio);
  }
  return csv_line(cells, "\n");
}

}  // namespace

Status write_comparison(const std::filesystem::path& folder, const Comparison& comparison) {
  std::string table = csv_line({"api_name", "direction", "change", "tested", "baseline", "output", "metric", "tested_value",
                                "baseline_value", "ratio", "message"},
                               "\n");
  for (const Change& change : comparison.changes) table += csv_row(change);
  if (Status s = write_output(folder / "compare.csv", table); !s) return s;
  return write_output(folder / "compare.json", json_of(comparison));
}

}  // namespace assay
