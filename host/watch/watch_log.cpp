#include "watch/watch_log.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>

#include "base/text.hpp"
#include "report/csv.hpp"

namespace assay {

namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr const char* kColumns[] = {"rank",         "step",          "stage",   "name",    "operator",  "perturbation",  "input",
                                    "dtype",        "shape",         "finding", "verdict", "reason",    "amplification", "limit",
                                    "input_change", "output_change", "output",  "node",    "call_site", "cost_us",       "message"};

const char* stage_of(const WatchRow& row) {
  if (row.backward) return "backward";
  return row.recompute ? "recompute" : "forward";
}

std::string short_number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", value);
  return buffer;
}

std::string verdict_text(Verdict verdict) { return std::string(verdict_name(verdict)); }

/// A number, or text for what JSON has no numbers for.
void write_number(Writer& json, double value) {
  if (std::isfinite(value)) {
    json.Double(value);
  } else {
    json.String(format_number(value));
  }
}

}  // namespace

std::string WatchRow::name() const {
  if (api == nullptr || api->empty()) return "";
  return *api + "." + std::to_string(call) + (backward ? ".backward" : ".forward");
}

Result<std::unique_ptr<WatchLog>> WatchLog::create(const std::filesystem::path& out, std::int64_t rank, const WatchConfig& config) {
  std::unique_ptr<WatchLog> log(new WatchLog(out / ("rank" + std::to_string(rank)), rank, config));
  if (Status s = log->open(out); !s) return s.failure();
  return log;
}

Status WatchLog::open(const std::filesystem::path& out) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return input_failure("create folder '" + folder_.string() + "': " + error.message());
  peer_root_ = config_.dump_path.empty() ? out : std::filesystem::path(config_.dump_path);
  Result<OutputFile> rows = OutputFile::create(folder_ / "rows.csv");
  if (!rows) return rows.failure();
  rows_ = std::move(*rows);
  Result<OutputFile> steps = OutputFile::create(folder_ / "steps.csv");
  if (!steps) return steps.failure();
  steps_ = std::move(*steps);
  if (config_.jsonl) {
    Result<OutputFile> lines = OutputFile::create(folder_ / "rows.jsonl");
    if (!lines) return lines.failure();
    lines_ = std::move(*lines);
  }
  if (Status s = rows_.write(csv_line({std::begin(kColumns), std::end(kColumns)}, "\n")); !s) return s;
  if (Status s = rows_.flush(); !s) return s;
  if (Status s = steps_.write("rank,step,operators,checked,findings,step_ms,check_ms\n"); !s) return s;
  return steps_.flush();
}

void WatchLog::add(std::int64_t step, const WatchRow& row) {
  const bool passed = row.verdict == Verdict::kPass;
  if (!passed) {
    const double excess = row.amplification && row.limit > 0 ? *row.amplification / row.limit : 1e9;
    if (excess > worst_excess_) {
      worst_excess_ = excess;
      worst_ = (row.name().empty() ? *row.op : row.name()) + " (step " + std::to_string(step) + ")";
    }
  }
  for (const PeerDifference& difference : row.peer) {
    pending_peer_ += csv_line({std::to_string(rank_), csv_cell(*row.perturbation), row.backward ? "backward" : "forward",
                               std::to_string(step), csv_cell(row.name()), difference.cell, difference.dtype,
                               csv_cell(difference.shape), difference.index ? std::to_string(*difference.index) : ""},
                              "\r\n");
  }
  if (passed && !config_.all_rows) return;
  const std::string amplification = row.amplification ? short_number(*row.amplification) : "";
  pending_rows_ += csv_line({std::to_string(rank_),
                             std::to_string(step),
                             stage_of(row),
                             csv_cell(row.name()),
                             csv_cell(*row.op),
                             csv_cell(*row.perturbation),
                             row.input,
                             row.dtype,
                             csv_cell(format_shape(row.shape)),
                             std::string(finding_name(row.finding)),
                             verdict_text(row.verdict),
                             row.reason,
                             amplification,
                             row.limit > 0 ? short_number(row.limit) : "",
                             short_number(row.input_change),
                             short_number(row.output_change),
                             std::to_string(row.output),
                             csv_cell(row.node),
                             csv_cell(row.call_site),
                             short_number(row.cost_us),
                             csv_cell(row.message)},
                            "\n");
  if (!lines_) return;
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  const auto text = [&](const char* key, const std::string& value) {
    json.Key(key);
    json.String(value);
  };
  json.StartObject();
  json.Key("rank");
  json.Int64(rank_);
  json.Key("step");
  json.Int64(step);
  text("stage", stage_of(row));
  text("name", row.name());
  text("operator", *row.op);
  text("perturbation", *row.perturbation);
  text("input", row.input);
  text("dtype", row.dtype);
  json.Key("shape");
  json.StartArray();
  for (const std::int64_t size : row.shape) json.Int64(size);
  json.EndArray();
  text("finding", std::string(finding_name(row.finding)));
  text("verdict", verdict_text(row.verdict));
  text("reason", row.reason);
  if (row.amplification) {
    json.Key("amplification");
    write_number(json, *row.amplification);
    json.Key("limit");
    write_number(json, row.limit);
  }
  json.Key("input_change");
  write_number(json, row.input_change);
  json.Key("output_change");
  write_number(json, row.output_change);
  json.Key("output");
  json.Uint64(row.output);
  text("node", row.node);
  text("call_site", row.call_site);
  json.Key("cost_us");
  write_number(json, row.cost_us);
  text("message", row.message);
  json.EndObject();
  pending_lines_.append(buffer.GetString(), buffer.GetSize()).push_back('\n');
}

Status WatchLog::write_peer_file(std::int64_t step) {
  const std::filesystem::path folder = peer_root_ / ("step" + std::to_string(step)) / ("rank" + std::to_string(rank_));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return input_failure("create folder '" + folder.string() + "': " + error.message());
  return write_output(folder / "free_benchmark.csv",
                      "rank,pert_mode,stage,step,api_name,max_rel,dtype,shape,output_index\r\n" + pending_peer_);
}

Status WatchLog::end_step(const StepNumbers& numbers) {
  if (config_.msprobe_file && !pending_peer_.empty()) {
    if (Status s = write_peer_file(numbers.step); !s) return s;
  }
  pending_peer_.clear();
  if (Status s = rows_.write(pending_rows_); !s) return s;
  pending_rows_.clear();
  if (Status s = rows_.flush(); !s) return s;
  if (lines_) {
    if (Status s = lines_->write(pending_lines_); !s) return s;
    pending_lines_.clear();
    if (Status s = lines_->flush(); !s) return s;
  }
  // The step's line comes last: where it is, the step's rows are complete.
  const std::string line = csv_line(
      {std::to_string(rank_), std::to_string(numbers.step), std::to_string(numbers.operators), std::to_string(numbers.checked),
       std::to_string(numbers.findings), short_number(numbers.step_ms), short_number(numbers.check_ms)},
      "\n");
  if (Status s = steps_.write(line); !s) return s;
  return steps_.flush();
}

Status WatchLog::write_summary(const WatchSummary& summary) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  const auto count = [&](const char* key, std::uint64_t value) {
    json.Key(key);
    json.Uint64(value);
  };
  json.StartObject();
  json.Key("complete");
  json.Bool(summary.complete);
  json.Key("framework");
  json.String(summary.framework);
  json.Key("rank");
  json.Int64(summary.rank);
  count("steps", summary.steps);
  count("operators", summary.operators);
  count("checked", summary.checked);
  count("findings", summary.findings);
  count("kinds", summary.kinds);
  count("kinds_checked", summary.kinds_checked);
  if (summary.covered_after) count("everything_checked_after_steps", *summary.covered_after);
  json.Key("cost_share");
  write_number(json, summary.cost_share);
  json.Key("worst");
  json.String(worst_);
  json.Key("skipped");
  json.StartObject();
  for (const auto& [what, calls] : summary.skipped) count(what.c_str(), calls);
  json.EndObject();
  json.Key("notes");
  json.StartArray();
  for (const std::string& note : summary.notes) json.String(note);
  json.EndArray();
  json.Key("learned");
  json.StartArray();
  for (const Preheat::Learned& learned : summary.learned) {
    json.StartObject();
    json.Key("api");
    json.String(learned.api);
    json.Key("dtype");
    json.String(learned.dtype);
    json.Key("threshold");
    write_number(json, learned.threshold);
    json.Key("settled");
    json.Bool(learned.settled);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return write_output(folder_ / "summary.json", std::string(buffer.GetString(), buffer.GetSize()) + "\n");
}

}  // namespace assay
