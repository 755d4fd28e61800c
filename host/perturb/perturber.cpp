#include "perturb/perturber.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "assay/sdk/random.hpp"
#include "base/text.hpp"
#include "perturb/codes.hpp"
#include "perturb/fix.hpp"
#include "pipeline/call_inputs.hpp"

namespace assay {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

bool same_tensors(const std::vector<Tensor>& left, const std::vector<Tensor>& right) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].dtype() != right[i].dtype() || change_of(left[i].view(), right[i].view(), false).changed != 0) return false;
  }
  return true;
}

}  // namespace

/// One direction of one recorded call, and its run as recorded.
struct Perturber::Call {
  std::string stem;
  std::string api;
  bool backward = false;
  std::uint64_t seed = 0;
  CallInputs inputs;
  RunOutputs original;
  double plain_ms = 0;

  [[nodiscard]] const char* direction() const { return backward ? "backward" : "forward"; }
  [[nodiscard]] std::int32_t code() const { return backward ? ASSAY_BACKWARD : ASSAY_FORWARD; }

  [[nodiscard]] PerturbRow row(const std::string& perturbation) const {
    PerturbRow out;
    out.name = stem + "." + direction();
    out.api = api;
    out.direction = direction();
    out.perturbation = perturbation;
    out.plain_ms = plain_ms;
    return out;
  }
};

/// A run on perturbed inputs.
struct Perturber::Attempt {
  std::optional<Failure> failure;  ///< the perturbation failed
  std::vector<Tensor> before;
  std::vector<Tensor> after;
  std::uint64_t changed = 0;
  std::uint64_t elements = 0;
  bool other_type = false;
  double input_change = 0;
  Invocation run;
  double perturb_ms = 0;

  [[nodiscard]] bool perturbed() const { return changed != 0 || other_type; }
};

Perturber::Perturber(Dump dump, InputBuilder builder, Engine engine, PerturbationChain control, PerturbationChain reference,
                     std::vector<PerturbationChain> chains, StabilityStandard standard, PerturberOptions options)
    : dump_(std::move(dump)),
      builder_(std::move(builder)),
      engine_(std::move(engine)),
      control_(std::move(control)),
      reference_(std::move(reference)),
      chains_(std::move(chains)),
      standard_(std::move(standard)),
      options_(options) {}

PerturbReport Perturber::evaluate(std::size_t position, unsigned directions, Thresholds thresholds, const Started& started) const {
  breakdown_ = {};
  const RecordedCall recorded = dump_.read(position);
  PerturbReport report;
  report.stem = recorded.stem;
  if (options_.forward && recorded.forward && (directions & kForwardDirection) != 0) {
    if (started) started(recorded, "forward");
    evaluate_direction(recorded, false, thresholds, report);
  }
  const bool backward = options_.backward && recorded.backward && (directions & kBackwardDirection) != 0;
  if (backward && breakdown_.unsound) breakdown_.left = kBackwardDirection;
  if (backward && !breakdown_.unsound) {
    if (started) started(recorded, "backward");
    evaluate_direction(recorded, true, thresholds, report);
  }
  return report;
}

Invocation Perturber::invoke(const Call& call, const CallInputs& inputs) const {
  Invocation run = engine_.invoke(call.api, call.code(), inputs, call.seed);
  if (breakdown_.unsound) return run;
  if (run.status == ASSAY_INTERNAL) breakdown_ = {true, call.backward ? kBackwardDirection : kForwardDirection, run.message, 0};
  breakdown_.unsound = breakdown_.unsound || run.status == ASSAY_OUT_OF_MEMORY;
  return run;
}

void Perturber::evaluate_direction(const RecordedCall& recorded, bool backward, Thresholds thresholds,
                                   PerturbReport& report) const {
  Call call;
  call.stem = recorded.stem;
  call.api = recorded.api;
  call.backward = backward;
  call.seed = call_seed(options_.seed, recorded.stem);
  const auto not_run = [&](const char* reason, const std::string& message, bool damaged) {
    PerturbRow row = call.row("");
    row.reason = reason;
    row.message = escape_control(message);
    row.damaged = damaged;
    report.rows.push_back(std::move(row));
  };
  if (const std::string problem = entry_problem(recorded, backward); !problem.empty()) {
    return not_run(code::kNoInputs, problem, recorded.forward && recorded.forward->error.has_value());
  }
  Result<CallInputs> inputs = build_call_inputs(builder_, recorded, backward);
  if (!inputs) return not_run(code::kNoInputs, inputs.failure().message, inputs.failure().kind == FailureKind::kInput);
  call.inputs = std::move(*inputs);
  const Invocation original = invoke(call, call.inputs);
  if (original.status != ASSAY_OK) return not_run(code::kEngineRefused, original.message, original.status == ASSAY_INTERNAL);
  call.original = run_outputs(original.results, backward);
  call.plain_ms = original.milliseconds;

  PerturbRow control = run_control(call);
  const bool deterministic = control.finding == Finding::kControl;
  report.rows.push_back(std::move(control));
  if (!deterministic) return;
  const std::string operator_class = standard_.limit_for(call.api, kFloat32).expected;
  for (const PerturbationChain& chain : chains_) {
    if (!chain.is_for(operator_class)) continue;
    if (chain.is_identity()) {
      if (options_.peer_rows) add_peer_rows(call, chain, call.original, thresholds, report);
      continue;
    }
    const std::vector<InputSet> sets = sets_of(call, chain);
    if (sets.empty()) {
      PerturbRow row = call.row(chain.name());
      row.finding = Finding::kNotEligible;
      row.reason = code::kNotEligible;
      row.message = "no input that this perturbation is for" +
                    escape_control(first_refusal(call.inputs, [&](const Tensor& tensor) { return chain.refusal(tensor); }));
      report.rows.push_back(std::move(row));
    }
    for (const InputSet& set : sets) report.rows.push_back(measure(call, chain, set, thresholds, report));
  }
}

std::vector<InputSet> Perturber::sets_of(const Call& call, const PerturbationChain& chain) const {
  const InputChoice choice = chain.wants_all_inputs() ? InputChoice::kAll : options_.inputs;
  return choose_inputs(call.inputs, choice, [&](const Tensor& tensor) { return chain.refusal(tensor).empty(); });
}

PerturbRow Perturber::run_control(Call& call) const {
  PerturbRow row = call.row(control_.name());
  row.input = "all";
  const std::vector<InputSet> sets =
      choose_inputs(call.inputs, InputChoice::kAll, [&](const Tensor& tensor) { return control_.refusal(tensor).empty(); });
  // A call without floating-point inputs is its own control: it is simply made again.
  const Attempt again = attempt(call, control_, sets.empty() ? InputSet{"all", {}} : sets.front(), call.seed);
  row.elements = again.elements;
  if (again.failure || again.run.status != ASSAY_OK) {
    row.finding = Finding::kNonDeterministic;
    row.verdict = Verdict::kWarning;
    row.reason = code::kNonDeterministic;
    row.message = "the same call ran once and failed the second time: " +
                  escape_control(again.failure ? again.failure->message : again.run.message);
    return row;
  }
  call.plain_ms = again.run.milliseconds;
  row.plain_ms = call.plain_ms;
  row.seeds = 1;
  const auto start = Clock::now();
  const OutputChange worst = compare_outputs(call.original, run_outputs(again.run.results, call.backward));
  row.overhead_ms = again.perturb_ms + milliseconds_since(start);
  row.perturbed_ms = again.run.milliseconds;
  row.output = worst.path;
  row.output_change = worst.change.relative;
  if (worst.problem.empty() && worst.changed_elements == 0) {
    row.finding = Finding::kControl;
    row.verdict = Verdict::kPass;
    return row;
  }
  row.finding = Finding::kNonDeterministic;
  row.verdict = Verdict::kWarning;
  row.reason = code::kNonDeterministic;
  row.message = worst.problem.empty()
                    ? "the operator is not deterministic: on the same inputs " + std::to_string(worst.changed_elements) +
                          " elements changed, by " + format_number(worst.change.relative) + " relative; nothing else is measured"
                    : "the operator is not deterministic: " + worst.problem;
  row.worst = worst.element;
  return row;
}

Perturber::Attempt Perturber::attempt(const Call& call, const PerturbationChain& chain, const InputSet& set,
                                      std::uint64_t seed) const {
  Attempt out;
  const auto start = Clock::now();
  std::uint64_t tensor_seed = seed;
  const CallInputs moved = replace_inputs(call.inputs, set.paths, [&](const Tensor& tensor) {
    Result<PerturbedTensor> changed = chain.apply(tensor, mix64(tensor_seed++), options_.threads);
    if (!changed) {
      out.failure = changed.failure();
      return tensor;
    }
    out.before.push_back(tensor);
    out.after.push_back(changed->tensor);
    out.changed += changed->changed;
    out.elements += static_cast<std::uint64_t>(tensor.numel());
    return changed->tensor;
  });
  if (out.failure) return out;
  for (std::size_t i = 0; i < out.before.size(); ++i) {
    const assay_dtype from = out.before[i].dtype();
    const bool other = from != out.after[i].dtype();
    out.other_type = out.other_type || other;
    if (chain.is_identity()) continue;
    const Change change = change_of(out.before[i].view(), out.after[i].view(), false);
    // Widening alone takes away the rounding of the inputs' type: that is the change it stands for.
    const double relative = other && change.changed == 0 ? unit_roundoff(from) : change.relative_of_changed;
    out.input_change = std::max(out.input_change, relative);
  }
  out.perturb_ms = milliseconds_since(start);
  if (chain.is_identity() || options_.inputs == InputChoice::kPeer || out.perturbed()) {
    out.run = invoke(call, moved);
  }
  return out;
}

PerturbRow Perturber::measure(const Call& call, const PerturbationChain& chain, const InputSet& set, Thresholds thresholds,
                              PerturbReport& report) const {
  PerturbRow row = call.row(chain.name());
  row.input = set.name;
  std::vector<double> input_changes;
  std::vector<double> run_times;
  std::vector<double> overheads;
  AmplificationTable table;
  std::vector<Tensor> first_inputs;
  for (unsigned k = 0; k < options_.seeds; ++k) {
    const Attempt now = attempt(call, chain, set, mix64(call.seed + k));
    if (now.failure) {
      row.finding = Finding::kNotRun;
      row.reason = code::kPerturbationFailed;
      row.message = escape_control(now.failure->message);
      row.damaged = now.failure->kind == FailureKind::kPlugin;
      return row;
    }
    if (k == 0) {
      row.dtype = now.before.empty() ? "" : std::string(dtype_name(now.before.front().dtype()));
      row.changed = now.changed;
      row.elements = now.elements;
      if (!now.perturbed()) {
        row.finding = Finding::kUnperturbed;
        row.reason = code::kUnperturbed;
        row.message = set.paths.empty() ? "the chosen argument holds no floating-point tensor: nothing was perturbed"
                                        : "the perturbation changed none of " + std::to_string(now.elements) + " elements";
        if (options_.peer_rows && now.run.status == ASSAY_OK && options_.inputs == InputChoice::kPeer) {
          add_peer_rows(call, chain, run_outputs(now.run.results, call.backward), thresholds, report);
        }
        return row;
      }
      first_inputs = now.after;
    } else if (same_tensors(first_inputs, now.after)) {
      // Not a matter of the seed: more runs would be the same run.
      break;
    }
    if (now.run.status != ASSAY_OK) {
      row.finding = Finding::kNotRun;
      row.reason = code::kPerturbedCallRefused;
      row.message = "the perturbed call can't be made: " + escape_control(now.run.message);
      return row;
    }
    const auto start = Clock::now();
    RunOutputs outputs = run_outputs(now.run.results, call.backward);
    if (options_.handler == PerturbHandler::kFix) {
      const auto fixed = fix_outputs(call.original.top, outputs.top);
      row.finding = fixed ? Finding::kReplaced : Finding::kNotRun;
      row.verdict = fixed ? Verdict::kPass : Verdict::kSkip;
      row.reason = fixed ? "" : code::kOtherStructure;
      row.message = fixed ? "" : fixed.failure().message;
      row.seeds = 1;
      return row;
    }
    table.add(call.original, outputs, now.input_change);
    overheads.push_back(now.perturb_ms + milliseconds_since(start));
    run_times.push_back(now.run.milliseconds);
    input_changes.push_back(now.input_change);
    if (k == 0 && options_.peer_rows) add_peer_rows(call, chain, outputs, thresholds, report);
  }
  row.seeds = static_cast<unsigned>(run_times.size());
  row.input_change = spread_of(input_changes).mean;
  row.perturbed_ms = spread_of(run_times).mean;
  row.overhead_ms = spread_of(overheads).mean;
  table.fill(row);
  judge(call, row);
  return row;
}

void Perturber::judge(const Call& call, PerturbRow& row) const {
  if (row.reason == code::kOtherStructure) {
    row.finding = Finding::kNotRun;
    row.verdict = Verdict::kError;
    return;
  }
  const StabilityLimit limit = standard_.limit_for(call.api, dtype_from_name(row.dtype).value_or(kFloat32));
  row.expected = limit.expected;
  if (row.finding == Finding::kLeftDomain) {
    row.verdict = Verdict::kWarning;
    row.reason = code::kLeftDomain;
    return;
  }
  if (row.finding == Finding::kDiscrete) row.verdict = Verdict::kPass;
  if (!row.amplification) return;
  row.limit = limit.amplification;
  const Spread& seen = *row.amplification;
  // No more digits can be lost than the perturbed input still had.
  row.bits_lost = seen.mean > 1 ? std::min(std::log2(seen.mean), significant_bits(row.input_change)) : 0;
  const bool unstable = seen.mean > limit.amplification;
  row.finding = unstable ? Finding::kUnstable : Finding::kStable;
  row.verdict = unstable ? Verdict::kError : Verdict::kPass;
  if (!unstable) return;
  row.reason = code::kUnstable;
  row.message = "amplification " + format_short(seen.mean) + " is above " + format_short(limit.amplification) + " expected of a " +
                limit.expected + " operator in " + row.dtype + "; " + format_short(*row.bits_lost) +
                " significant bits lost, output changes by " + format_short(row.output_change) + " for " +
                format_short(row.input_change) + " of input " + row.input;
}

void Perturber::add_peer_rows(const Call& call, const PerturbationChain& chain, const RunOutputs& perturbed, Thresholds thresholds,
                              PerturbReport& report) const {
  PeerRule rule;
  rule.mindspore = options_.mindspore;
  rule.backward = call.backward;
  rule.on_cpu = chain.peer_name() == "to_cpu";
  rule.no_change = chain.is_identity();
  rule.letter = options_.letter;
  if (thresholds != nullptr && !call.original.flat.empty()) {
    if (const auto* tensor = call.original.flat.front().get_if<Tensor>()) {
      const auto learned = thresholds->find(std::string(dtype_name(tensor->dtype())));
      rule.threshold = learned == thresholds->end() ? Preheat::kUnlearned : learned->second;
    }
  }
  const PeerComparison comparison = call.backward ? peer_compare_gradients(call.original.flat, perturbed.flat, rule)
                                                  : peer_compare_outputs(call.original.top, perturbed.top, rule);
  for (const PeerDifference& difference : comparison.differences) {
    const std::string name = options_.mindspore ? call.stem : call.stem + "." + call.direction();
    report.peer_rows.push_back({chain.peer_name(), call.direction(), name, difference});
  }
}

PreheatAnswer Perturber::ask(std::size_t position, int step, const Started& started) const {
  breakdown_ = {};
  const RecordedCall recorded = dump_.read(position);
  PreheatAnswer answer;
  if (!recorded.forward || !entry_problem(recorded, false).empty()) return answer;
  if (started) started(recorded, "forward");
  Result<CallInputs> inputs = build_call_inputs(builder_, recorded, false);
  const auto noisy = std::find_if(chains_.begin(), chains_.end(), [](const auto& chain) { return !chain.is_identity(); });
  if (!inputs || noisy == chains_.end()) return answer;
  Call call;
  call.stem = recorded.stem;
  call.api = recorded.api;
  call.seed = call_seed(options_.seed, recorded.stem);
  call.inputs = std::move(*inputs);
  const Invocation original = invoke(call, call.inputs);
  if (original.status != ASSAY_OK) return answer;
  const std::vector<InputSet> sets = sets_of(call, *noisy);
  if (sets.empty()) return answer;
  call.original = run_outputs(original.results, false);
  const auto first =
      std::find_if(call.original.flat.begin(), call.original.flat.end(), [](const Value& value) { return value.is<Tensor>(); });
  if (first != call.original.flat.end()) answer.dtype = first->as<Tensor>().dtype();
  PeerRule rule;
  rule.mindspore = options_.mindspore;
  rule.letter = options_.letter;
  const Attempt perturbed = attempt(call, *noisy, sets.front(), mix64(call.seed + static_cast<std::uint64_t>(step)));
  if (!perturbed.failure && perturbed.perturbed() && perturbed.run.status == ASSAY_OK) {
    answer.sample.ratio = peer_compare_outputs(call.original.top, perturbed.run.results.outputs, rule).largest_ratio;
  }
  const auto all = choose_inputs(call.inputs, InputChoice::kAll, [&](const Tensor& t) { return reference_.refusal(t).empty(); });
  const Attempt wide = attempt(call, reference_, all.empty() ? InputSet{"all", {}} : all.front(), call.seed);
  if (!wide.failure && wide.run.status == ASSAY_OK) {
    rule.on_cpu = true;
    answer.sample.consistent = peer_compare_outputs(call.original.top, wide.run.results.outputs, rule).differences.empty();
  }
  return answer;
}

}  // namespace assay
