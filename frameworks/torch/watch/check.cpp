#include "check.hpp"

#include <ATen/record_function.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "assay/sdk/random.hpp"
#include "assay/sdk/tensor.hpp"
#include "base/locations.hpp"
#include "base/text.hpp"
#include "perturb/codes.hpp"
#include "tensors.hpp"
#include "watch/codes.hpp"
#include "watch/row_judge.hpp"

namespace assay::watch {

namespace {

/// Pairs of outputs that can be compared: both floating-point or complex, of one shape.
bool comparable(const at::Tensor& before, const at::Tensor& after) {
  const auto has_fraction = [](const at::Tensor& t) {
    return c10::isFloatingType(t.scalar_type()) || c10::isComplexType(t.scalar_type());
  };
  return has_fraction(before) && has_fraction(after) && refusal_of(before) == nullptr && refusal_of(after) == nullptr &&
         before.sizes() == after.sizes();
}

/// Whether the outputs have the same number, shapes and kinds.
bool same_structure(const std::vector<at::Tensor>& before, const std::vector<at::Tensor>& after) {
  if (before.size() != after.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].sizes() != after[i].sizes()) return false;
  }
  return true;
}

Value borrowed_value(const at::Tensor& tensor) {
  return Tensor::wrap(tensor.data_ptr(), *boundary_dtype(tensor.scalar_type()), tensor.sizes().vec(), tensor.strides().vec(),
                      nullptr, true);
}

/// False: some tensor can't be borrowed.
bool borrow_pairs(const std::vector<at::Tensor>& originals, const std::vector<at::Tensor>& outputs, std::vector<Value>& before,
                  std::vector<Value>& after) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (refusal_of(originals[i]) != nullptr || refusal_of(outputs[i]) != nullptr) return false;
    before.push_back(borrowed_value(originals[i]));
    after.push_back(borrowed_value(outputs[i]));
  }
  return true;
}

bool is_infinite(const c10::IValue& value) {
  if (value.isDouble()) return !std::isfinite(value.toDouble());
  if (value.isScalar() && value.toScalar().isFloatingPoint()) return !std::isfinite(value.toScalar().toDouble());
  return false;
}

void describe_tensor(const at::Tensor& tensor, WatchRow& row) {
  row.shape = tensor.sizes().vec();
  if (const auto dtype = boundary_dtype(tensor.scalar_type())) row.dtype = std::string(dtype_name(*dtype));
}

}  // namespace

WatchRow row_of(const OperatorInfo& info, const CallName& name) {
  static const std::string none;
  WatchRow row;
  row.backward = name.backward;
  row.recompute = name.recompute;
  row.api = name.api != nullptr ? &name.api->name : &none;
  row.call = name.call;
  row.op = &info.name;
  row.perturbation = &none;
  row.node = name.node;
  return row;
}

struct Checker::Shared {
  std::mutex mutex;
  std::optional<Preheat> preheat;
  std::map<at::ScalarType, std::map<std::string, StabilityLimit>> limits;  ///< found in the standard so far, by operator
};

Result<Checker> Checker::create(const WatchConfig& config) {
  Registry registry = Registry::discover(default_search_path({}));
  Checker out;
  out.compat_ = config.compat;
  out.inputs_ = config.inputs;
  out.handler_ = config.handler;
  out.shared_ = std::make_shared<Shared>();
  for (const PerturbationStage& stage : config.stages) {
    Result<PerturbationChain> chain = PerturbationChain::create(registry, stage);
    if (!chain) return chain.failure();
    out.chains_.push_back(std::move(*chain));
  }
  Result<PairMeter> meter = PairMeter::create(registry);
  if (!meter) return meter.failure();
  out.meter_ = std::move(*meter);
  if (config.handler == PerturbHandler::kPreheat) {
    out.shared_->preheat.emplace(PreheatOptions{config.preheat_steps, config.preheat_samples});
    Result<PerturbationChain> reference =
        PerturbationChain::create(registry, {"reference", {{"assay.improve-precision", "{}"}}, {}});
    if (!reference) return reference.failure();
    out.reference_ = std::move(*reference);
  }
  return out;
}

void Checker::begin_step(std::int64_t step) {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->preheat) shared_->preheat->begin_step(static_cast<int>(step));
}

std::vector<Preheat::Learned> Checker::learned() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->preheat ? shared_->preheat->learned() : std::vector<Preheat::Learned>();
}

const StabilityLimit& Checker::limit_for(const StabilityStandard& standard, const std::string& op, at::ScalarType type) {
  const std::lock_guard lock(shared_->mutex);
  std::map<std::string, StabilityLimit>& known = shared_->limits[type];
  const auto found = known.find(op);
  return found != known.end() ? found->second : known.emplace(op, standard.limit_for(op, *boundary_dtype(type))).first->second;
}

std::vector<WatchRow> Checker::check(Repeat& repeat, const OperatorInfo& info, const CallName& name,
                                     const StabilityStandard& standard, std::uint64_t seed, std::uint64_t turn, const char*& why) {
  const at::DisableRecordFunctionGuard unrecorded;
  std::vector<WatchRow> rows;
  const std::vector<at::Tensor>& outputs = repeat.outputs();
  if (std::none_of(outputs.begin(), outputs.end(), [](const at::Tensor& t) { return comparable(t, t) && t.numel() != 0; })) {
    why = "no floating-point result";
    return rows;
  }
  const std::string& op = name.api != nullptr && !name.backward ? name.api->name : info.name;
  const StabilityLimit& limit = limit_for(standard, op, outputs.front().scalar_type());
  Learning learning;
  learning.wanted = reference_ && is_sample(name);
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    if (!chains_[i].is_for(limit.expected)) continue;
    run_stage(i, repeat, info, name, limit, mix64(seed + i), turn, i + 1 == chains_.size() && !learning.wanted, learning, rows);
  }
  if (rows.empty()) why = "no input that a perturbation is for";
  if (learning.wanted) learn(repeat, info, name, seed, learning);
  return rows;
}

void Checker::run_stage(std::size_t stage, Repeat& repeat, const OperatorInfo& info, const CallName& name,
                        const StabilityLimit& limit, std::uint64_t seed, std::uint64_t turn, bool last, Learning& learning,
                        std::vector<WatchRow>& rows) {
  const PerturbationChain& chain = chains_[stage];
  const std::vector<std::vector<Place>> sets =
      choose_places(chain, eligible_places(chain, info, repeat.arguments()), inputs_, turn);
  for (std::size_t k = 0; k < sets.size(); ++k) {
    WatchRow row = row_of(info, name);
    row.perturbation = compat_ ? &chain.peer_name() : &chain.name();
    Result<Perturbed> perturbed =
        perturb(chain, repeat.arguments(), sets[k], sets[k].size() > 1 || chain.wants_all_inputs(), seed + k, compat_);
    if (!perturbed) {
      row.finding = Finding::kNotRun;
      row.verdict = Verdict::kSkip;
      row.reason = code::kPerturbationFailed;
      row.message = escape_control(perturbed.failure().message);
      rows.push_back(std::move(row));
      continue;
    }
    row.input = perturbed->input;
    row.input_change = perturbed->input_change;
    describe_tensor(perturbed->first, row);
    if (!perturbed->changed && !chain.is_identity() && !compat_) {
      row.finding = Finding::kUnperturbed;
      row.verdict = Verdict::kSkip;
      row.reason = code::kUnperturbed;
      rows.push_back(std::move(row));
      continue;
    }
    try {
      const std::vector<at::Tensor> outputs =
          repeat.run(std::move(perturbed->arguments), perturbed->other_type, last && k + 1 == sets.size());
      compare(chain, *perturbed, repeat, outputs, limit, learning, row);
    } catch (const std::exception& e) {
      row.finding = Finding::kNotRun;
      row.verdict = Verdict::kSkip;
      row.reason = code::kPerturbedCallRefused;
      const std::string message = e.what();
      row.message = escape_control(message.substr(0, std::min<std::size_t>(message.find('\n'), 200)));
    }
    rows.push_back(std::move(row));
  }
}

void Checker::compare(const PerturbationChain& chain, const Perturbed& perturbed, Repeat& repeat,
                      const std::vector<at::Tensor>& outputs, const StabilityLimit& limit, Learning& learning,
                      WatchRow& row) const {
  const QuietDispatch quiet(true);
  const std::vector<at::Tensor>& originals = repeat.outputs();
  if (!same_structure(originals, outputs)) {
    row.finding = Finding::kNotRun;
    row.verdict = Verdict::kSkip;
    row.reason = code::kOtherStructure;
    return;
  }
  if (handler_ == PerturbHandler::kFix) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (comparable(originals[i], outputs[i])) originals[i].copy_(outputs[i]);
    }
    row.finding = Finding::kReplaced;
    return;
  }
  if (compat_ || handler_ == PerturbHandler::kPreheat) return compare_as_peer(chain, repeat, outputs, learning, row);
  std::vector<OutputMeasure> measures;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (chain.is_identity()) {
      if (refusal_of(originals[i]) != nullptr) continue;
      const auto [original, output] = in_memory_order(originals[i], outputs[i]);
      const Borrowed before(original, true);
      const Borrowed after(output, true);
      const std::int64_t differing = meter_->differing(after.abi(), before.abi(), threads_for(outputs[i].numel()));
      if (differing != 0 || i + 1 == outputs.size()) return judge_repetition(i, std::max<std::int64_t>(differing, 0), row);
      continue;
    }
    if (!comparable(originals[i], outputs[i]) || originals[i].numel() == 0) continue;
    const auto [original, output] = in_memory_order(originals[i], outputs[i]);
    const Borrowed before(original, true);
    const Borrowed after(output, true);
    // The wider of the two is what the other is measured by.
    const bool wider = outputs[i].element_size() > originals[i].element_size();
    measures.push_back(
        {i, *boundary_dtype(originals[i].scalar_type()),
         meter_->measure(wider ? before.abi() : after.abi(), wider ? after.abi() : before.abi(), threads_for(outputs[i].numel()))});
  }
  for (const OutputMeasure& measure : measures) {
    if (measure.change.nan + measure.change.infinite != 0 && is_born(repeat)) return judge_not_finite(measure, row);
  }
  judge_row(measures, perturbed.input_change, limit, row);
}

void Checker::compare_as_peer(const PerturbationChain& chain, Repeat& repeat, const std::vector<at::Tensor>& outputs,
                              Learning& learning, WatchRow& row) const {
  std::vector<Value> before;
  std::vector<Value> after;
  if (!borrow_pairs(repeat.outputs(), outputs, before, after)) return;
  PeerRule rule;
  rule.backward = row.backward;
  rule.on_cpu = chain.peer_name() == "to_cpu";
  rule.no_change = chain.is_identity();
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->preheat) rule.threshold = shared_->preheat->threshold(*row.api, before.front().as<Tensor>().dtype());
  }
  PeerComparison comparison =
      row.backward ? peer_compare_gradients(before, after, rule) : peer_compare_outputs(before, after, rule);
  if (learning.wanted && !chain.is_identity() && !learning.ratio) {
    learning.ratio = comparison.largest_ratio;
    if (chain.peer_name() == "improve_precision") {
      PeerRule reference;
      reference.on_cpu = true;
      learning.consistent = peer_compare_outputs(before, after, reference).differences.empty();
    }
  }
  row.output_change = comparison.largest_ratio > 0 ? comparison.largest_ratio - 1 : 0;
  row.limit = rule.threshold.value_or(0);
  if (comparison.differences.empty()) return;
  row.finding = Finding::kUnstable;
  row.verdict = Verdict::kError;
  row.reason = code::kPeerInconsistent;
  row.message =
      "original and perturbed output differ by more than the peer allows (max_rel " + comparison.differences.front().cell + ")";
  row.peer = std::move(comparison.differences);
}

bool Checker::is_sample(const CallName& name) {
  if (name.backward || name.api == nullptr) return false;
  const std::lock_guard lock(shared_->mutex);
  const std::size_t number = shared_->preheat->count_call(name.api->name);
  return shared_->preheat->wants_sample(name.api->name, number);
}

void Checker::learn(Repeat& repeat, const OperatorInfo& info, const CallName& name, std::uint64_t seed, const Learning& learning) {
  // What can't be asked counts as consistent, as the peer has it.
  Preheat::Sample sample;
  sample.ratio = learning.ratio.value_or(0);
  sample.consistent = learning.consistent ? *learning.consistent : !learning.ratio || agrees_with_reference(repeat, info, seed);
  const assay_dtype dtype = boundary_dtype(repeat.outputs().front().scalar_type()).value_or(kFloat32);
  const std::lock_guard lock(shared_->mutex);
  shared_->preheat->record(name.api->name, dtype, sample);
}

bool Checker::agrees_with_reference(Repeat& repeat, const OperatorInfo& info, std::uint64_t seed) const {
  const std::vector<std::vector<Place>> sets =
      choose_places(*reference_, eligible_places(*reference_, info, repeat.arguments()), WatchInputs::kFirst, 0);
  if (sets.empty()) return true;
  Result<Perturbed> wide = perturb(*reference_, repeat.arguments(), sets.front(), false, seed, compat_);
  if (!wide) return true;
  try {
    const std::vector<at::Tensor> outputs = repeat.run(std::move(wide->arguments), wide->other_type, true);
    std::vector<Value> before;
    std::vector<Value> after;
    if (!same_structure(repeat.outputs(), outputs) || !borrow_pairs(repeat.outputs(), outputs, before, after)) return true;
    PeerRule rule;
    rule.on_cpu = true;
    return peer_compare_outputs(before, after, rule).differences.empty();
  } catch (const std::exception&) {
    return true;
  }
}

bool Checker::is_born(const Repeat& repeat) const {
  for (const c10::IValue& argument : repeat.arguments()) {
    if (is_infinite(argument)) return false;
    bool inherited = false;
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      if (inherited || !comparable(tensor, tensor) || tensor.numel() == 0) return;
      const Borrowed borrowed(tensor, true);
      const PairChange change = meter_->measure(borrowed.abi(), borrowed.abi(), threads_for(tensor.numel()));
      inherited = change.nan + change.infinite != 0;
    });
    if (inherited) return false;
  }
  return true;
}

}  // namespace assay::watch
