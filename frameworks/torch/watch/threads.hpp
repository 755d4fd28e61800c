// What the watch knows of a thread: whether it is watched, which autograd node it runs, in which module it is; and which forward
// call made a node, so that backward operators can be named after it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "operators.hpp"

namespace assay::watch {

/// A call of the forward pass: "Functional.linear", its third in the step.
struct ForwardCall {
  const Api* api = nullptr;
  std::uint64_t call = 0;
  bool in_module = true;  ///< inside a module that is asked for
  std::string call_site;  ///< only where all are asked for
};

/// The node that autograd runs on a thread.
struct NodeScope {
  const char* name = "";
  std::int64_t sequence = -1;
  std::uint64_t forward_thread = 0;
  bool grad_mode = false;  ///< when the node began: true for backward(create_graph=True)
  bool resolved = false;
  ForwardCall forward;
};

/// The node that runs on this thread; null outside of backward.
NodeScope* current_node();

/// Whether this thread's last node has ended and leave_nodes() wasn't called since: autograd adds up gradients between its nodes.
bool is_between_nodes();
void leave_nodes();

/// Modules that this thread is in, outermost first.
std::vector<std::string>& module_stack();

/// Which forward call made which autograd nodes, for every thread.
class ForwardCalls {
 public:
  /// Nodes numbered from `first` to before `end` belong to the call; on the calling thread.
  void add(std::uint64_t first, std::uint64_t end, ForwardCall call);
  [[nodiscard]] ForwardCall find(std::uint64_t thread, std::int64_t sequence);
  /// Forgets all calls but those of the last two steps.
  void begin_step();

 private:
  struct Entry {
    std::uint64_t first;
    std::uint64_t end;
    ForwardCall call;
  };
  struct Thread {
    std::uint64_t id;
    std::vector<Entry> now;
    std::vector<Entry> then;
  };
  Thread& of_thread(std::uint64_t id);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

/// Starts telling this process's nodes to current_node(); once.
void observe_nodes();

}  // namespace assay::watch
