#include "session.hpp"

#include <ATen/SequenceNumber.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/api/include/torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>

#include "assay/sdk/random.hpp"
#include "base/locations.hpp"
#include "base/text.hpp"
#include "call_site.hpp"
#include "fingerprints.hpp"
#include "job_threads.hpp"
#include "loader/host_table.hpp"
#include "tensors.hpp"
#include "watch/codes.hpp"

namespace assay::watch {

namespace {

/// RANK, else LOCAL_RANK, else 0.
std::int64_t rank_of_process() {
  for (const char* name : {"RANK", "LOCAL_RANK"}) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == 0) continue;
    char* end = nullptr;
    const long long rank = std::strtoll(text, &end, 10);
    if (*end == 0 && rank >= 0 && rank < 1000000) return rank;
  }
  return 0;
}

/// Keys of the thread under which tensors aren't what they seem: transformations and tracing.
bool is_transformed() {
  constexpr c10::DispatchKeySet kTransforms({c10::DispatchKey::FuncTorchDynamicLayerFrontMode, c10::DispatchKey::FuncTorchVmapMode,
                                             c10::DispatchKey::Tracer, c10::DispatchKey::Functionalize});
  return c10::impl::tls_local_dispatch_key_set().included_.has_any(kTransforms);
}

std::uint64_t combine(std::uint64_t hash, std::uint64_t value) { return mix64(hash ^ (value + 0x9e3779b97f4a7c15u + (hash << 6))); }

/// What autograd does between its nodes: the gradients that reach a tensor on several ways are added up.
bool is_sum_of_gradients(const OperatorInfo& info, c10::ArrayRef<c10::IValue> arguments) {
  if (!info.adds || at::GradMode::is_enabled() || !arguments[0].isTensor() || !arguments[1].isTensor()) return false;
  const at::Tensor& left = arguments[0].toTensor();
  const at::Tensor& right = arguments[1].toTensor();
  const bool once = arguments[2].isInt() ? arguments[2].toInt() == 1 : arguments[2].isDouble() && arguments[2].toDouble() == 1;
  return once && left.defined() && right.defined() && left.sizes() == right.sizes();
}

double nanoseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

// The running session. Those that ended stay: another thread may still be inside one.
std::atomic<Session*> running_session{nullptr};
std::vector<std::shared_ptr<Session>>& all_sessions() {
  static auto* sessions = new std::vector<std::shared_ptr<Session>>();
  return *sessions;
}

}  // namespace

Session* running() { return running_session.load(std::memory_order_acquire); }

void set_running(std::shared_ptr<Session> session) {
  running_session.store(session.get(), std::memory_order_release);
  if (session) all_sessions().push_back(std::move(session));
}

Result<std::shared_ptr<Session>> Session::start(const std::string& config_json, const std::string& out) {
  Result<WatchConfig> config = WatchConfig::load(config_json, "configuration of the watch");
  if (!config) return config.failure();
  std::filesystem::path stability = config->stability;
  if (config->stability.find('/') == std::string::npos) stability = share_folder() / "standards" / (config->stability + ".json");
  Result<StabilityStandard> standard = StabilityStandard::load(stability);
  if (!standard) return standard.failure();
  Result<ApiNames> names = ApiNames::load();
  if (!names) return names.failure();
  offer_threads(job_threads());
  Result<Checker> checker = Checker::create(*config);
  if (!checker) return checker.failure();
  std::shared_ptr<Session> session(new Session(std::move(*config), std::move(*checker), std::move(*names), std::move(*standard)));
  session->rank_ = rank_of_process();
  session->watches_rank_ = session->config_.ranks.holds(session->rank_);
  session->selects_all_ = session->config_.only.empty() && session->config_.skip.empty() && session->config_.contains.empty();
  for (const std::vector<std::string>* list : {&session->config_.only, &session->config_.skip, &session->config_.contains}) {
    for (const std::string& name : *list) {
      session->selects_by_number_ = session->selects_by_number_ || name.find_first_of("0123456789?") != std::string::npos;
    }
  }
  session->step_selected_ = session->config_.steps.holds(0);
  if (session->watches_rank_) {
    Result<std::unique_ptr<WatchLog>> log = WatchLog::create(out, session->rank_, session->config_);
    if (!log) return log.failure();
    session->log_ = std::move(*log);
  }
  session->plan_.emplace(session->config_.budget);
  session->total_.framework = std::string("LibTorch ") + TORCH_VERSION;
  session->total_.rank = session->rank_;
  session->checker_.begin_step(0);
  session->step_began_ = Clock::now();
  observe_nodes();
  return session;
}

bool Session::in_module() const {
  if (config_.modules.empty()) return true;
  const std::vector<std::string>& modules = module_stack();
  return std::any_of(modules.begin(), modules.end(), [&](const std::string& module) {
    return std::any_of(config_.modules.begin(), config_.modules.end(),
                       [&](const std::string& glob) { return glob_match(glob, module); });
  });
}

Session::Naming Session::name_call(const OperatorInfo& info, c10::ArrayRef<c10::IValue> arguments) {
  Naming out;
  CallName& name = out.name;
  NodeScope* node = current_node();
  if (node != nullptr) {
    // Gradients are computed while autograd records nothing; what is recorded there is a forward pass that checkpointing makes
    // again.
    name.recompute = at::GradMode::is_enabled() && !node->grad_mode;
    name.backward = !name.recompute;
    name.node = node->name;
  } else if (is_between_nodes()) {
    name.backward = is_sum_of_gradients(info, arguments);
    if (!name.backward) leave_nodes();
  }
  if (name.backward && node == nullptr) {
    name.in_module = config_.modules.empty();
  } else if (name.backward) {
    if (!node->resolved) {
      node->resolved = true;
      node->forward = forward_calls_.find(node->forward_thread, node->sequence);
    }
    name.api = node->forward.api;
    name.call = node->forward.call;
    name.in_module = config_.modules.empty() || (node->forward.api != nullptr && node->forward.in_module);
  } else {
    name.in_module = in_module();
    name.api = info.api;
    name.call = info.api->calls.fetch_add(1, std::memory_order_relaxed);
  }
  out.selected = name.in_module && (name.backward ? config_.backward : config_.forward);
  if (out.selected && !selects_all_) out.selected = is_named(info, name);
  return out;
}

bool Session::is_named(const OperatorInfo& info, const CallName& name) const {
  const auto ask = [&] {
    const std::string api = name.api != nullptr ? name.api->name : "";
    const std::string stem = api.empty() ? "" : api + "." + std::to_string(name.call);
    return config_.selects(stem, api, info.name, stem.empty() ? "" : stem + (name.backward ? ".backward" : ".forward"));
  };
  if (selects_by_number_) return ask();
  thread_local std::map<std::tuple<const Session*, const OperatorInfo*, const Api*, bool>, bool> known;
  const auto [entry, is_new] = known.try_emplace({this, &info, name.api, name.backward}, false);
  if (is_new) entry->second = ask();
  return entry->second;
}

const char* Session::reason_to_skip(const OperatorInfo& info, c10::ArrayRef<c10::IValue> arguments) const {
  if (is_transformed()) return "inside a transformation or a trace";
  const char* reason = nullptr;
  std::uint64_t written = 0;
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      if (reason == nullptr) reason = refusal_of(tensor);
      if (reason != nullptr) return;
      const auto bytes = static_cast<std::uint64_t>(tensor.numel()) * static_cast<std::uint64_t>(tensor.element_size());
      largest = std::max(largest, bytes);
      if (info.written[i]) written += bytes;
    });
  }
  if (reason == nullptr && written + 2 * largest > config_.memory_limit) reason = "more memory than the limit";
  return reason;
}

std::uint64_t Session::kind_of(const OperatorInfo& info, bool backward, c10::ArrayRef<c10::IValue> arguments) const {
  std::uint64_t hash = combine(info.id, backward ? 1 : 0);
  for (const c10::IValue& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      hash = combine(hash, static_cast<std::uint64_t>(tensor.scalar_type()) * 64 + static_cast<std::uint64_t>(tensor.dim()));
      for (const std::int64_t size : tensor.sizes()) hash = combine(hash, static_cast<std::uint64_t>(size));
    });
  }
  return hash;
}

void Session::skip(const OperatorInfo& info, const char* reason) {
  const std::lock_guard lock(mutex_);
  ++skipped_[{&info, reason}];
}

void Session::remember_nodes(const CallName& name, std::uint64_t first) {
  const std::uint64_t end = at::sequence_number::peek();
  if (!name.backward && end > first) {
    forward_calls_.add(first, end,
                       {name.api, name.call, name.in_module, config_.call_sites == CallSites::kAll ? current_call_site() : ""});
  }
}

void Session::run_operator(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  if (paused_.load(std::memory_order_relaxed)) return op.redispatchBoxed(keys, stack);
  const OperatorInfo& info = operators_.info(op);
  const Naming naming = name_call(info, torch::jit::last(*stack, op.schema().arguments().size()));
  if (info.custom && naming.selected && step_selected_.load(std::memory_order_relaxed)) {
    const Fingerprints before(torch::jit::last(*stack, op.schema().arguments().size()), info.written);
    run_named(op, info, keys, stack, naming);
    return report_modified(info, naming.name, before);
  }
  run_named(op, info, keys, stack, naming);
}

void Session::report_modified(const OperatorInfo& info, const CallName& name, const Fingerprints& before) {
  const std::optional<std::size_t> argument = before.first_changed();
  if (!argument) return;
  WatchRow row = row_of(info, name);
  row.finding = Finding::kNotRun;
  row.verdict = Verdict::kError;
  row.reason = code::kInputModified;
  row.input = std::to_string(*argument);
  row.message = "the operator changed argument " + row.input + ", which its schema doesn't mark as written";
  if (config_.call_sites != CallSites::kNone) row.call_site = current_call_site();
  const std::lock_guard lock(mutex_);
  ++now_.findings;
  if (log_) log_->add(step_, row);
}

void Session::run_named(const c10::OperatorHandle& op, const OperatorInfo& info, c10::DispatchKeySet keys, torch::jit::Stack* stack,
                        const Naming& naming) {
  const std::uint64_t first_node = at::sequence_number::peek();
  if (info.skipped != nullptr || !naming.selected || !step_selected_.load(std::memory_order_relaxed)) {
    op.redispatchBoxed(keys, stack);
    remember_nodes(naming.name, first_node);
    const std::lock_guard lock(mutex_);
    ++now_.operators;
    if (info.skipped != nullptr) ++skipped_[{&info, info.skipped}];
    return;
  }
  const c10::ArrayRef<c10::IValue> arguments = torch::jit::last(*stack, op.schema().arguments().size());
  if (const char* reason = reason_to_skip(info, arguments)) {
    skip(info, reason);
    op.redispatchBoxed(keys, stack);
    return remember_nodes(naming.name, first_node);
  }
  const std::uint64_t kind = kind_of(info, naming.name.backward, arguments);
  bool due = false;
  {
    const std::lock_guard lock(mutex_);
    ++now_.operators;
    due = plan_->wants(kind);
  }
  if (due) {
    run_checked(op, info, keys, stack, naming.name, kind);
    return remember_nodes(naming.name, first_node);
  }
  const Clock::time_point start = Clock::now();
  op.redispatchBoxed(keys, stack);
  const double plain = nanoseconds(Clock::now() - start);
  remember_nodes(naming.name, first_node);
  const std::lock_guard lock(mutex_);
  plan_->ran(kind, plain);
}

void Session::run_checked(const c10::OperatorHandle& op, const OperatorInfo& info, c10::DispatchKeySet keys,
                          torch::jit::Stack* stack, const CallName& name, std::uint64_t kind) {
  const Clock::time_point start = Clock::now();
  Repeat repeat(op, info, torch::jit::last(*stack, op.schema().arguments().size()));
  const Clock::time_point saved = Clock::now();
  op.redispatchBoxed(keys, stack);
  const Clock::time_point ran = Clock::now();
  const char* why = nullptr;
  std::vector<WatchRow> rows;
  try {
    repeat.original_done(*stack);
    const std::uint64_t seed = mix64(config_.seed ^ mix64(kind + static_cast<std::uint64_t>(step_) * 0x10001u + name.call));
    rows = checker_.check(repeat, info, name, standard_, seed, static_cast<std::uint64_t>(step_), why);
  } catch (const std::exception&) {
    why = "the check failed";
  }
  for (WatchRow& row : rows) {
    if (row.verdict == Verdict::kPass || row.verdict == Verdict::kSkip || config_.call_sites == CallSites::kNone) continue;
    const NodeScope* node = name.backward ? current_node() : nullptr;
    row.call_site = node != nullptr && !node->forward.call_site.empty() ? node->forward.call_site : current_call_site();
  }
  const double cost = nanoseconds(saved - start) + nanoseconds(Clock::now() - ran);
  const std::lock_guard lock(mutex_);
  plan_->checked(kind, cost);
  if (why != nullptr) ++skipped_[{&info, why}];
  for (WatchRow& row : rows) {
    row.cost_us = cost / 1000;
    ++now_.checked;
    if (row.verdict == Verdict::kSkip) ++skipped_[{&info, row.reason}];
    if (row.verdict == Verdict::kError || row.verdict == Verdict::kWarning) ++now_.findings;
    if (log_) log_->add(step_, row);
  }
}

void Session::set_paused(bool paused) {
  const std::lock_guard lock(mutex_);
  if (paused == paused_) return;
  paused_ = paused;
  // The budget is a share of the time that is watched.
  if (paused) {
    pause_began_ = Clock::now();
  } else {
    step_began_ += Clock::now() - pause_began_;
  }
}

Status Session::end_step() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  now_.step = step_;
  now_.step_ms = nanoseconds(now - step_began_) / 1e6;
  now_.check_ms = plan_->spent_in_step() / 1e6;
  Status written = log_ ? log_->end_step(now_) : Status(Done{});
  plan_->end_step(nanoseconds(now - step_began_));
  total_.operators += now_.operators;
  total_.checked += now_.checked;
  total_.findings += now_.findings;
  ++total_.steps;
  show_line();
  now_ = {};
  ++step_;
  step_selected_ = config_.steps.holds(step_);
  operators_.begin_step();
  forward_calls_.begin_step();
  checker_.begin_step(step_);
  step_began_ = Clock::now();
  return written;
}

void Session::show_line() {
  static const bool terminal = ::isatty(STDERR_FILENO) == 1;
  if (!terminal || rank_ != 0) return;
  std::fprintf(stderr, "\rassay watch: step %lld, %llu checked, cost %.1f%%%s%s\x1b[K", static_cast<long long>(step_),
               static_cast<unsigned long long>(total_.checked), 100 * plan_->cost_share(),
               log_ && !log_->worst().empty() ? ", worst " : "", log_ ? log_->worst().c_str() : "");
}

void Session::note(std::string text) {
  const std::lock_guard lock(mutex_);
  total_.notes.push_back(escape_control(text));
}

Status Session::stop() {
  bool unfinished = false;
  {
    const std::lock_guard lock(mutex_);
    if (!log_) return Done{};
    // What was seen since the last step() belongs to a step that didn't end.
    unfinished = now_.operators != 0;
  }
  if (unfinished) {
    if (Status s = end_step(); !s) return s;
  }
  const std::lock_guard lock(mutex_);
  if (unfinished) --total_.steps;
  total_.kinds = plan_->kinds();
  total_.kinds_checked = plan_->kinds_checked();
  total_.covered_after = plan_->covered_after();
  total_.cost_share = plan_->cost_share();
  total_.learned = checker_.learned();
  for (const auto& [what, calls] : skipped_) total_.skipped[what.first->name + ": " + what.second] += calls;
  total_.complete = true;
  return log_->write_summary(total_);
}

assay_watch_numbers Session::numbers() {
  const std::lock_guard lock(mutex_);
  assay_watch_numbers out{};
  out.active = watches_rank_ ? 1 : 0;
  out.step = step_;
  out.operators = total_.operators + now_.operators;
  out.checked = total_.checked + now_.checked;
  for (const auto& [what, calls] : skipped_) out.skipped += calls;
  out.findings = total_.findings + now_.findings;
  out.kinds = plan_->kinds();
  out.kinds_checked = plan_->kinds_checked();
  out.covered_after = plan_->covered_after() ? static_cast<std::int64_t>(*plan_->covered_after()) : -1;
  out.cost_share = plan_->cost_share();
  return out;
}

}  // namespace assay::watch
