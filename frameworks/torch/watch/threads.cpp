#include "threads.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>

#include <algorithm>

namespace assay::watch {

namespace {

std::vector<NodeScope>& nodes() {
  thread_local std::vector<NodeScope> stack;
  return stack;
}

thread_local bool between_nodes = false;

std::unique_ptr<at::ObserverContext> node_begins(const at::RecordFunction& function) {
  nodes().push_back({function.name(), function.seqNr(), function.forwardThreadId(), at::GradMode::is_enabled(), false, {}});
  return nullptr;
}

void node_ends(const at::RecordFunction&, at::ObserverContext*) {
  if (!nodes().empty()) nodes().pop_back();
  between_nodes = true;
}

}  // namespace

NodeScope* current_node() { return nodes().empty() ? nullptr : &nodes().back(); }

bool is_between_nodes() { return between_nodes; }

void leave_nodes() { between_nodes = false; }

std::vector<std::string>& module_stack() {
  thread_local std::vector<std::string> stack;
  return stack;
}

void observe_nodes() {
  static const at::CallbackHandle handle =
      at::addGlobalCallback(at::RecordFunctionCallback(node_begins, node_ends).scopes({at::RecordScope::BACKWARD_FUNCTION}));
  static_cast<void>(handle);
}

ForwardCalls::Thread& ForwardCalls::of_thread(std::uint64_t id) {
  for (const auto& thread : threads_) {
    if (thread->id == id) return *thread;
  }
  threads_.push_back(std::make_unique<Thread>(Thread{id, {}, {}}));
  return *threads_.back();
}

void ForwardCalls::add(std::uint64_t first, std::uint64_t end, ForwardCall call) {
  const std::lock_guard lock(mutex_);
  of_thread(at::RecordFunction::currentThreadId()).now.push_back({first, end, std::move(call)});
}

ForwardCall ForwardCalls::find(std::uint64_t id, std::int64_t sequence) {
  if (sequence < 0) return {};
  const auto wanted = static_cast<std::uint64_t>(sequence);
  const std::lock_guard lock(mutex_);
  Thread& thread = of_thread(id);
  for (const std::vector<Entry>* calls : {&thread.now, &thread.then}) {
    const auto after = std::upper_bound(calls->begin(), calls->end(), wanted,
                                        [](std::uint64_t number, const Entry& entry) { return number < entry.first; });
    if (after != calls->begin() && wanted < std::prev(after)->end) return std::prev(after)->call;
  }
  return {};
}

void ForwardCalls::begin_step() {
  const std::lock_guard lock(mutex_);
  for (const auto& thread : threads_) {
    std::swap(thread->now, thread->then);
    thread->now.clear();
  }
}

}  // namespace assay::watch
