#include "pipeline/evaluator.hpp"

#include <algorithm>
#include <new>

#include "base/text.hpp"
#include "pipeline/call_inputs.hpp"
#include "pipeline/changed_inputs.hpp"
#include "pipeline/gradients.hpp"
#include "pipeline/nudge.hpp"
#include "pipeline/output_row.hpp"
#include "pipeline/reasons.hpp"
#include "pipeline/recorded_values.hpp"
#include "pipeline/value_difference.hpp"

namespace assay {

namespace {

/// Two moves differ enough to show how the result reacts.
constexpr std::uint64_t kNudgedRuns = 2;

DirectionResult skipped(const char* reason, std::string message, bool damaged = false) {
  DirectionResult result;
  result.verdict = Verdict::kSkip;
  result.reason = reason;
  result.message = escape_control(message);
  result.damaged = damaged;
  return result;
}

DirectionResult not_built(const Failure& failure) {
  const bool damaged = failure.kind == FailureKind::kInput;
  return skipped(damaged ? reason::kFileDamaged : reason::kNotReplayable, failure.message, damaged);
}

DirectionResult out_of_memory(const std::string& who, const std::string& message) {
  return skipped(reason::kOutOfMemory, "memory: " + who + " needs more than there is: " + message, true);
}

DirectionResult reference_failed(const Invocation& run) {
  switch (run.status) {
    case ASSAY_OUT_OF_MEMORY: return out_of_memory("the reference", run.message);
    case ASSAY_NOT_FOUND:
    case ASSAY_UNSUPPORTED: return skipped(reason::kReferenceLacksApi, run.message);
    case ASSAY_INVALID_ARGUMENT: return skipped(reason::kReferenceRefused, "reference refused the call: " + run.message);
    default: return skipped(reason::kReferenceFailed, "reference failed: " + run.message, true);
  }
}

DirectionResult target_failed(const Invocation& run) {
  if (run.status == ASSAY_OUT_OF_MEMORY) return out_of_memory("the target", run.message);
  if (run.status == ASSAY_NOT_FOUND || run.status == ASSAY_UNSUPPORTED) {
    return skipped(reason::kTargetLacksApi, "unsupported by the target: " + run.message);
  }
  DirectionResult result;
  result.verdict = Verdict::kError;
  result.reason = reason::kTargetFailed;
  result.message = escape_control("target failed where the reference ran: " + run.message);
  return result;
}

/// What the recording holds for the direction; nothing where it holds no values, as a dump of statistics.
std::optional<std::vector<Value>> recorded_outputs(const Dump& dump, const RecordedDirection& recorded) {
  Result<std::vector<Value>> values = recorded_values(dump, recorded.outputs);
  if (!recorded.has_outputs || !values || !anything_recorded(*values)) return std::nullopt;
  return std::move(*values);
}

/// Notes where a target that ran the call again gave something else than was recorded.
void note_recording(const std::vector<Value>& recorded, const std::vector<Value>& again, std::vector<std::string>& notes) {
  if (recorded.size() != again.size()) {
    notes.push_back("run again it gives " + std::to_string(again.size()) + " outputs, recorded were " +
                    std::to_string(recorded.size()));
    return;
  }
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const std::string how = difference(recorded[i], again[i]);
    if (!how.empty())
      notes.push_back(escape_control("run again, output " + std::to_string(i) + " differs from the recorded: " + how));
  }
}

/// An operator plugin gives None where an output depends on state that wasn't recorded (the seed of a device's generator).
void leave_out_uncomputed(const std::vector<Value>& expected, std::vector<Value>& actual, std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
    if (!expected[i].is<None>() || actual[i].is<None>()) continue;
    actual[i] = None{};
    notes.push_back("output " + std::to_string(i) + " is not computed by the operator plugin: not compared");
  }
}

Verdict worst_of(const std::vector<OutputRow>& rows) {
  Verdict verdict = Verdict::kNone;
  for (const OutputRow& row : rows) verdict = worse(verdict, row.verdict);
  return verdict;
}

}  // namespace

/// What is to be judged: outputs side by side, and the call that gave them.
struct Pairs {
  const char* direction;
  std::int32_t code;  ///< ASSAY_FORWARD or ASSAY_BACKWARD
  const CallInputs& inputs;
  std::vector<Value> actual;
  std::vector<Value> expected;
  std::vector<std::size_t> positions;      ///< in the recorded list; empty: as they are
  std::string how;                         ///< backward: which reading of the recorded gradients
  std::vector<std::vector<Value>> nudged;  ///< expected, once for each run on nudged inputs
};

struct Evaluator::Context {
  const RecordedCall& call;
  std::string api;  ///< what the recorded name is taken for
  std::uint64_t seed;
  Evidence* evidence;  ///< what is compared goes here too; null: nobody wants it
};

Evaluator::Evaluator(Dump dump, InputBuilder inputs, Judge judge, SecondMeanings meanings, std::optional<Engine> target,
                     Engine reference, EvaluatorOptions options)
    : dump_(std::move(dump)),
      inputs_(std::move(inputs)),
      judge_(std::move(judge)),
      meanings_(std::move(meanings)),
      target_(std::move(target)),
      reference_(std::move(reference)),
      options_(std::move(options)) {}

ApiResult Evaluator::evaluate(std::size_t position, unsigned directions, const Started& started) const {
  const RecordedCall call = dump_.read(position);
  ApiResult result;
  result.position = position;
  result.stem = call.stem;
  result.api = call.api;
  Evidence evidence;
  const Context context{call, call.api, call_seed(options_.seed, call.stem), options_.saver ? &evidence : nullptr};
  breakdown_ = {};
  if (call.forward && (directions & kForwardDirection) != 0) {
    if (started) started(call, "forward");
    result.forward = contained([&] { return by_either_meaning(context, &Evaluator::forward); });
  }
  const bool backward = call.backward && (directions & kBackwardDirection) != 0;
  if (backward && breakdown_.unsound) breakdown_.left = kBackwardDirection;
  if (backward && !breakdown_.unsound) {
    if (started) started(call, "backward");
    result.backward = contained([&] { return by_either_meaning(context, &Evaluator::backward); });
  }
  if (options_.saver && worse(result.forward.verdict, result.backward.verdict) == Verdict::kError) {
    const std::string note = options_.saver->save(call.stem, dump_.header().framework, evidence);
    for (DirectionResult* direction : {&result.forward, &result.backward}) {
      if (direction->verdict == Verdict::kError && !note.empty()) direction->notes.push_back(note);
    }
  }
  return result;
}

DirectionResult Evaluator::by_either_meaning(const Context& context, DirectionOf direction) const {
  DirectionResult first = (this->*direction)(context);
  const std::string& other = meanings_.of(context.api);
  if (target_ || other.empty() || first.verdict == Verdict::kPass) return first;
  Context again = context;
  again.api = other;
  again.evidence = nullptr;
  DirectionResult second = (this->*direction)(again);
  if (second.verdict != Verdict::kPass) return first;
  second.notes.push_back("the recorded name also stands for " + other + ", which is what was recorded here");
  return second;
}

template <class Judging>
DirectionResult Evaluator::contained(const Judging& judging) const {
  DirectionResult result;
  try {
    result = judging();
  } catch (const std::bad_alloc&) {
    result = out_of_memory("reading or comparing the call", "a tensor couldn't be allocated");
    breakdown_.unsound = true;
  }
  return result;
}

Invocation Evaluator::invoke(const Engine& engine, const std::string& api, std::int32_t direction, const CallInputs& inputs,
                             std::uint64_t seed, const std::string& precision) const {
  Invocation run = engine.invoke(api, direction, inputs, seed, precision);
  if (breakdown_.unsound) return run;
  if (run.status == ASSAY_INTERNAL)
    breakdown_ = {true, direction == ASSAY_FORWARD ? kForwardDirection : kBackwardDirection, run.message, 0};
  breakdown_.unsound = breakdown_.unsound || run.status == ASSAY_OUT_OF_MEMORY;
  return run;
}

ApiResult Evaluator::stand_in(std::size_t position, unsigned directions, const std::string& original) const {
  const RecordedCall call = dump_.read(position);
  ApiResult result;
  result.position = position;
  result.stem = call.stem;
  result.api = call.api;
  const DirectionResult row =
      skipped(reason::kDuplicate, "same API, shapes, dtypes and plain arguments as '" + original + "', which was checked");
  if (call.forward && (directions & kForwardDirection) != 0) result.forward = row;
  if (call.backward && (directions & kBackwardDirection) != 0) result.backward = row;
  return result;
}

Invocation Evaluator::ask_reference(const Context& context, std::int32_t direction, const CallInputs& inputs) const {
  const std::string precision = judge_.precision_of(context.api, direction == ASSAY_FORWARD ? "forward" : "backward");
  Invocation out = invoke(reference_, context.api, direction, inputs, context.seed, precision);
  if (!precision.empty()) out.results.notes.push_back("the pipeline sets the reference's precision for this API: " + precision);
  return out;
}

DirectionResult Evaluator::forward(const Context& context) const {
  const RecordedDirection& recorded = *context.call.forward;
  if (recorded.error) return skipped(reason::kEntryFaulty, *recorded.error, true);
  if (!recorded.has_inputs)
    return skipped(reason::kNotReplayable, "the entry has no input_args (recorded with a data_mode that leaves them out)");
  Result<CallInputs> inputs = build_call_inputs(inputs_, context.call, false);
  if (!inputs) return not_built(inputs.failure());

  std::vector<Value> actual;
  Results written;  // to arguments, by the target
  DirectionResult result;
  if (!target_) {
    Result<std::vector<Value>> outputs = recorded_values(dump_, recorded.outputs);
    if (!outputs) return not_built(outputs.failure());
    actual = std::move(*outputs);
    if (!recorded.has_outputs || !anything_recorded(actual)) return skipped(reason::kNothingRecorded, "no outputs were recorded");
  }
  Invocation expected = ask_reference(context, ASSAY_FORWARD, *inputs);
  if (expected.status != ASSAY_OK) return reference_failed(expected);
  if (target_) {
    Invocation run = invoke(*target_, context.api, ASSAY_FORWARD, *inputs, context.seed);
    if (run.status != ASSAY_OK) return target_failed(run);
    actual = std::move(run.results.outputs);
    result.target_ms = run.milliseconds;
    result.target_bytes = run.peak_bytes;
    result.notes = std::move(run.results.notes);
    written.mutated = std::move(run.results.mutated);
    if (const auto recording = recorded_outputs(dump_, recorded)) note_recording(*recording, actual, result.notes);
  }
  result.reference_ms = expected.milliseconds;
  result.reference_bytes = expected.peak_bytes;
  result.notes.insert(result.notes.end(), expected.results.notes.begin(), expected.results.notes.end());
  if (!expected.operator_plugin.empty()) leave_out_uncomputed(expected.results.outputs, actual, result.notes);
  if (context.evidence != nullptr) {
    context.evidence->inputs = *inputs;
    context.evidence->forward = Compared{actual, expected.results.outputs};
  }
  Pairs pairs{"forward", ASSAY_FORWARD, *inputs, std::move(actual), std::move(expected.results.outputs), {}, {}, {}};
  conclude(context, pairs, result);
  if (!target_) return result;
  const std::string prefix = context.call.stem + ".forward" + kInputPlace;
  for (OutputRow& row : changed_input_rows(prefix, *inputs, written, expected.results, options_.summaries))
    result.outputs.push_back(std::move(row));
  conclude_from_outputs(result);
  return result;
}

DirectionResult Evaluator::backward(const Context& context) const {
  const RecordedDirection& recorded = *context.call.backward;
  if (!context.call.forward) return skipped(reason::kNoForward, "the dump has no forward entry of this call");
  if (recorded.error) return skipped(reason::kEntryFaulty, *recorded.error, true);
  if (context.call.forward->error) return skipped(reason::kEntryFaulty, *context.call.forward->error, true);
  if (!recorded.has_inputs || !context.call.forward->has_inputs) {
    return skipped(reason::kNotReplayable, "the entry has no inputs (recorded with a data_mode that leaves them out)");
  }
  std::vector<Value> actual;
  if (!target_) {
    Result<std::vector<Value>> outputs = recorded_values(dump_, recorded.outputs);
    if (!outputs) return not_built(outputs.failure());
    actual = std::move(*outputs);
    if (!recorded.has_outputs || !anything_recorded(actual)) return skipped(reason::kNothingRecorded, "no gradients were recorded");
  }
  Result<CallInputs> inputs = build_call_inputs(inputs_, context.call, true);
  if (!inputs) return not_built(inputs.failure());

  const Invocation expected = ask_reference(context, ASSAY_BACKWARD, *inputs);
  if (expected.status != ASSAY_OK) return reference_failed(expected);
  DirectionResult base;
  base.reference_ms = expected.milliseconds;
  base.reference_bytes = expected.peak_bytes;
  base.notes = expected.results.notes;
  if (target_) {
    const Invocation run = invoke(*target_, context.api, ASSAY_BACKWARD, *inputs, context.seed);
    if (run.status != ASSAY_OK) return target_failed(run);
    base.target_ms = run.milliseconds;
    base.target_bytes = run.peak_bytes;
    base.notes.insert(base.notes.begin(), run.results.notes.begin(), run.results.notes.end());
    if (const auto recording = recorded_outputs(dump_, recorded)) {
      const auto readings = pair_gradients(*recording, run.results, *inputs, dump_.header().framework);
      if (!readings.empty()) note_recording(readings.front().actual, readings.front().expected, base.notes);
    }
    GradientPairing pairing = pair_by_path(run.results, expected.results);
    if (pairing.positions.empty()) return skipped(reason::kGradientsUnpaired, "no argument has a gradient on both sides");
    if (context.evidence != nullptr) {
      context.evidence->inputs = *inputs;
      context.evidence->backward = Compared{pairing.actual, pairing.expected};
    }
    base.notes.insert(base.notes.end(), pairing.notes.begin(), pairing.notes.end());
    Pairs pairs{"backward",        ASSAY_BACKWARD, *inputs, std::move(pairing.actual), std::move(pairing.expected),
                pairing.positions, pairing.how,    {}};
    conclude(context, pairs, base);
    return base;
  }

  if (context.evidence != nullptr) {
    Compared compared{actual, {}};
    for (const NamedValue& gradient : expected.results.gradients) compared.expected.push_back(gradient.second);
    context.evidence->inputs = *inputs;
    context.evidence->backward = std::move(compared);
  }
  std::optional<DirectionResult> best;
  for (GradientPairing& pairing : pair_gradients(actual, expected.results, *inputs, dump_.header().framework)) {
    DirectionResult result = base;
    result.notes.insert(result.notes.end(), pairing.notes.begin(), pairing.notes.end());
    Pairs pairs{"backward",        ASSAY_BACKWARD, *inputs, std::move(pairing.actual), std::move(pairing.expected),
                pairing.positions, pairing.how,    {}};
    conclude(context, pairs, result);
    if (result.verdict == Verdict::kPass) return result;
    if (!best || result.verdict < best->verdict) best = std::move(result);
  }
  if (!best) {
    return skipped(reason::kGradientsUnpaired,
                   "number and shapes of the recorded gradients fit neither the arguments nor the last autograd node of the call");
  }
  return *best;
}

void Evaluator::conclude(const Context& context, Pairs& pairs, DirectionResult& out) const {
  out.outputs = judge_pairs(context, pairs);
  if (options_.nudge && worst_of(out.outputs) > Verdict::kPass) {
    for (std::uint64_t run = 0; run < kNudgedRuns; ++run) {
      const CallInputs moved = nudge(pairs.inputs, context.seed + run);
      Invocation again = ask_reference(context, pairs.code, moved);
      if (again.status != ASSAY_OK) continue;
      pairs.nudged.push_back(pairs.code == ASSAY_FORWARD ? std::move(again.results.outputs)
                                                         : gradients_by_reading(pairs.how, again.results, moved, pairs.positions));
    }
    out.outputs = judge_pairs(context, pairs);
  }
  conclude_from_outputs(out);
}

std::vector<OutputRow> Evaluator::judge_pairs(const Context& context, const Pairs& pairs) const {
  Judgement judgement;
  judgement.api = context.api;
  judgement.direction = pairs.direction;
  judgement.args = &pairs.inputs.args;
  judgement.kwargs = &pairs.inputs.kwargs;
  judgement.grad_outputs = &pairs.inputs.grad_outputs;
  judgement.max_threads = options_.threads;
  for (const Value& value : pairs.actual) judgement.actual.push_back(&value);
  for (const Value& value : pairs.expected) judgement.expected.push_back(&value);
  for (const std::vector<Value>& run : pairs.nudged) {
    std::vector<const Value*>& values = judgement.nudged.emplace_back();
    for (const Value& value : run) values.push_back(&value);
  }
  std::vector<OutputRow> rows;
  for (const JudgedOutput& judged : judge_.judge(judgement)) {
    if (judged.verdict.verdict == Verdict::kNone) continue;
    std::string path = judged.path;
    if (!pairs.positions.empty()) {
      const std::size_t dot = path.find('.');
      const auto top = static_cast<std::size_t>(std::stoul(path.substr(0, dot)));
      path = std::to_string(pairs.positions.at(top)) + (dot == std::string::npos ? "" : path.substr(dot));
    }
    rows.push_back(output_row(context.call.stem + "." + pairs.direction + kOutputPlace + path, judged, options_.summaries));
  }
  return rows;
}

}  // namespace assay
