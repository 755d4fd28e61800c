#include "compare/dump_comparison.hpp"

#include <chrono>

#include "base/text.hpp"
#include "compare/reasons.hpp"
#include "pipeline/output_row.hpp"
#include "pipeline/reasons.hpp"
#include "pipeline/recorded_values.hpp"

namespace assay {

namespace {

constexpr const char* kInputsAgree = "inputs agree";
constexpr std::size_t kInputsShown = 3;

DirectionResult skipped(const char* reason, std::string message, bool damaged = false) {
  DirectionResult result;
  result.verdict = Verdict::kSkip;
  result.reason = reason;
  result.message = escape_control(message);
  result.damaged = damaged;
  return result;
}

DirectionResult unreadable(const char* side, const Failure& failure) {
  const bool damaged = failure.kind == FailureKind::kInput;
  return skipped(damaged ? reason::kFileDamaged : reason::kNothingRecorded, std::string(side) + ": " + failure.message, damaged);
}

std::vector<const Value*> pointers(const std::vector<Value>& values) {
  std::vector<const Value*> out;
  for (const Value& value : values) out.push_back(&value);
  return out;
}

/// A call's arguments, as far as they can be read.
struct Arguments {
  std::vector<Value> args;
  std::vector<NamedValue> kwargs;
  bool complete = false;

  /// Positional values, then those by keyword, for judging them like outputs.
  [[nodiscard]] std::vector<Value> all() const {
    std::vector<Value> out = args;
    for (const auto& [name, value] : kwargs) out.push_back(value);
    return out;
  }
};

Arguments read_arguments(const Dump& dump, const RecordedDirection& recorded) {
  Arguments out;
  if (recorded.error || !recorded.has_inputs) return out;
  Result<std::vector<Value>> args = recorded_values(dump, recorded.inputs);
  if (!args) return out;
  out.args = std::move(*args);
  for (const auto& [name, element] : recorded.kwargs) {
    Result<std::vector<Value>> value = recorded_values(dump, {element});
    if (!value) return out;
    out.kwargs.emplace_back(name, std::move(value->front()));
  }
  out.complete = true;
  return out;
}

/// One direction of one call, on both sides.
class RecordedComparison {
 public:
  RecordedComparison(const Dump& tested, const Dump& baseline, const Judge& judge, std::uint32_t threads, bool summaries)
      : tested_(tested), baseline_(baseline), judge_(judge), threads_(threads), summaries_(summaries) {}

  DirectionResult run(const RecordedCall& call, const char* direction, const RecordedDirection& tested,
                      const RecordedDirection& baseline) const {
    if (tested.error) return skipped(reason::kEntryFaulty, "tested dump: " + *tested.error, true);
    if (baseline.error) return skipped(reason::kEntryFaulty, "baseline: " + *baseline.error, true);
    Result<std::vector<Value>> actual = recorded_values(tested_, tested.outputs);
    if (!actual) return unreadable("tested dump", actual.failure());
    Result<std::vector<Value>> expected = recorded_values(baseline_, baseline.outputs);
    if (!expected) return unreadable("baseline", expected.failure());
    for (const auto& [name, values] : {std::pair("the tested dump", &*actual), std::pair("the baseline", &*expected)}) {
      if (!anything_recorded(*values)) return skipped(reason::kNothingRecorded, std::string("no outputs were recorded in ") + name);
    }
    const Arguments inputs = read_arguments(tested_, tested);
    DirectionResult result;
    judge_outputs(call, direction, inputs, *actual, *expected, result);
    result.notes.push_back(inputs_note(direction, inputs, read_arguments(baseline_, baseline)));
    return result;
  }

 private:
  void judge_outputs(const RecordedCall& call, const char* direction, const Arguments& inputs, const std::vector<Value>& actual,
                     const std::vector<Value>& expected, DirectionResult& result) const {
    const bool backward = std::string_view(direction) == "backward";
    const Arguments forward = backward && call.forward ? read_arguments(tested_, *call.forward) : Arguments{};
    const Arguments& arguments = backward ? forward : inputs;
    Judgement judgement;
    judgement.api = call.api;
    judgement.direction = direction;
    judgement.args = arguments.complete ? &arguments.args : nullptr;
    judgement.kwargs = arguments.complete ? &arguments.kwargs : nullptr;
    judgement.grad_outputs = backward && inputs.complete ? &inputs.args : nullptr;
    judgement.actual = pointers(actual);
    judgement.expected = pointers(expected);
    judgement.max_threads = threads_;
    for (const JudgedOutput& judged : judge_.judge(judgement)) {
      if (judged.verdict.verdict == Verdict::kNone) continue;
      result.outputs.push_back(output_row(call.stem + "." + direction + ".output." + judged.path, judged, summaries_));
    }
    conclude_from_outputs(result);
  }

  /// Whether the operator was given the same on both sides: if not, it may only have inherited a difference.
  std::string inputs_note(const char* direction, const Arguments& tested, const Arguments& baseline) const {
    if (!tested.complete || !baseline.complete) return "inputs not compared: they were not recorded, or not as data, on both sides";
    const std::vector<Value> actual = tested.all();
    const std::vector<Value> expected = baseline.all();
    Judgement judgement;
    // No API has this name, so the standard's general rules apply.
    judgement.api = "inputs";
    judgement.direction = direction;
    judgement.actual = pointers(actual);
    judgement.expected = pointers(expected);
    judgement.max_threads = threads_;
    std::vector<std::string> differing;
    for (const JudgedOutput& judged : judge_.judge(judgement)) {
      if (judged.verdict.verdict <= Verdict::kPass) continue;
      differing.push_back("input." + judged.path + ": " + judged.verdict.message);
    }
    if (differing.empty()) return kInputsAgree;
    const std::size_t count = differing.size();
    if (count > kInputsShown) {
      differing.resize(kInputsShown);
      differing.push_back(std::to_string(count - kInputsShown) + " more");
    }
    return "inputs differ already: " + escape_control(join(differing, "; "));
  }

  const Dump& tested_;
  const Dump& baseline_;
  const Judge& judge_;
  std::uint32_t threads_;
  bool summaries_;
};

bool has_tensors(const DumpHeader& header) { return header.task != "statistics" && header.task != "structure"; }

SideInfo side_info(const Dump& dump) {
  SideInfo info;
  info.source = "recorded";
  info.details = dump.json_path().string() + " (crc32 " + dump.fingerprint() + ")";
  return info;
}

/// Selected calls: those of `tested` in its order, then those that only `baseline` has.
std::vector<std::string> select(const Dump& tested, const Dump& baseline, const PipelineConfig& config) {
  std::vector<std::string> stems;
  for (const Dump* dump : {&tested, &baseline}) {
    for (std::size_t i = 0; i < dump->size(); ++i) {
      std::string stem = dump->stem(i);
      if (!config.selects(stem, stem.substr(0, stem.rfind('.')))) continue;
      if (dump == &tested || tested.find(stem) == tested.size()) stems.push_back(std::move(stem));
    }
  }
  return stems;
}

}  // namespace

DumpComparison::DumpComparison(Dump tested, Dump baseline, JudgeSetup setup)
    : tested_(std::move(tested)), baseline_(std::move(baseline)), setup_(std::move(setup)) {}

Result<DumpComparison> DumpComparison::prepare(Registry& registry, const DumpComparisonRequest& request) {
  Result<Dump> tested = Dump::open(request.tested, request.dump_options);
  if (!tested) return tested.failure();
  Result<Dump> baseline = Dump::open(request.baseline, request.dump_options);
  if (!baseline) return baseline.failure();
  for (const Dump* dump : {&*tested, &*baseline}) {
    if (has_tensors(dump->header())) continue;
    return input_failure("compare dump '" + dump->json_path().string() + "': it was recorded with task '" + dump->header().task +
                         "' and holds no tensor data; record with task 'tensor', or replay it with `assay check`");
  }
  const PipelineConfig& config = request.config;
  Result<JudgeSetup> setup = JudgeSetup::load(registry, config.standard, config.overrides_json, config.comparisons);
  if (!setup) return setup.failure();
  DumpComparison out(std::move(*tested), std::move(*baseline), std::move(*setup));
  out.threads_ = config.threads;
  out.summaries_ = request.summaries;
  out.stems_ = select(out.tested_, out.baseline_, config);
  for (const std::string& stem : out.stems_) {
    if (out.tested_.find(stem) != out.tested_.size() && out.baseline_.find(stem) != out.baseline_.size()) ++out.common_;
  }
  RunInfo& info = out.info_;
  info.command = request.command;
  info.dump_path = out.tested_.json_path().string();
  info.dump_fingerprint = out.tested_.fingerprint();
  info.header = out.tested_.header();
  info.api_count = out.stems_.size();
  info.target = side_info(out.tested_);
  info.reference = side_info(out.baseline_);
  info.standard = out.setup_.standard;
  info.metric_names = out.setup_.judge.metric_names();
  info.config_json = config.json;
  for (const auto& [side, dump] : {std::pair("tested", &out.tested_), std::pair("baseline", &out.baseline_)}) {
    for (SkippedKey key : dump->skipped_keys()) {
      key.reason = std::string(side) + ": " + key.reason;
      info.skipped_keys.push_back(std::move(key));
    }
  }
  return out;
}

ApiResult DumpComparison::compare(const std::string& stem) const {
  const std::size_t here = tested_.find(stem);
  const std::size_t there = baseline_.find(stem);
  const std::optional<RecordedCall> tested =
      here == tested_.size() ? std::nullopt : std::optional<RecordedCall>(tested_.read(here));
  const std::optional<RecordedCall> baseline =
      there == baseline_.size() ? std::nullopt : std::optional<RecordedCall>(baseline_.read(there));
  ApiResult result;
  result.stem = stem;
  result.api = tested ? tested->api : baseline->api;
  const RecordedComparison comparison(tested_, baseline_, setup_.judge, threads_, summaries_);
  for (const bool backward : {false, true}) {
    const auto side = [&](const std::optional<RecordedCall>& call) -> const RecordedDirection* {
      if (!call) return nullptr;
      const std::optional<RecordedDirection>& direction = backward ? call->backward : call->forward;
      return direction ? &*direction : nullptr;
    };
    const RecordedDirection* actual = side(tested);
    const RecordedDirection* expected = side(baseline);
    DirectionResult& out = backward ? result.backward : result.forward;
    if (actual != nullptr && expected != nullptr) {
      out = comparison.run(*tested, backward ? "backward" : "forward", *actual, *expected);
    } else if (actual != nullptr) {
      out = skipped(reason::kOnlyTested, "appeared: only the tested dump has it");
    } else if (expected != nullptr) {
      out = skipped(reason::kOnlyBaseline, "vanished: only the baseline has it");
    }
  }
  return result;
}

Result<RunSummary> DumpComparison::run(const std::vector<std::unique_ptr<ResultSink>>& sinks, const std::atomic<bool>& stop) {
  const auto start = std::chrono::steady_clock::now();
  origins_.clear();
  for (const auto& sink : sinks) {
    if (Status s = sink->begin(info_); !s) return s.failure();
  }
  RunSummary summary;
  summary.complete = true;
  for (std::size_t i = 0; i < stems_.size(); ++i) {
    if (stop.load()) {
      summary.complete = false;
      break;
    }
    ApiResult result = compare(stems_[i]);
    result.position = i;
    summary.counts.add(result);
    for (const auto& [name, direction] : {std::pair(".forward", &result.forward), std::pair(".backward", &result.backward)}) {
      const bool agree = !direction->notes.empty() && direction->notes.back() == kInputsAgree;
      if (direction->verdict == Verdict::kError && agree) origins_.push_back(result.stem + name);
    }
    for (const auto& sink : sinks) {
      if (Status s = sink->add(result); !s) return s.failure();
    }
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const auto& sink : sinks) {
    if (Status s = sink->finish(summary); !s) return s.failure();
  }
  return summary;
}

}  // namespace assay
