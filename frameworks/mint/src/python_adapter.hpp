// An adapter whose framework lives in a Python process: starts it, sends it calls, replaces it when it is lost.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "assay/sdk/adapter.hpp"
#include "server_process.hpp"
#include "shared_memory.hpp"

namespace assay::bridge {

inline constexpr const char* kConfigSchema = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "python": {"type": "string", "description": "the interpreter; default: from the environment, see the manual, then python3"},
    "map": {"type": "string", "description": "module map: a name below share/assay/apis, or a path"},
    "call_timeout_s": {"type": "number", "description": "a call that takes longer costs the server; default 300"},
    "start_timeout_s": {"type": "number", "description": "limit for starting python and importing the framework; default 300"},
    "memory_limit_mib": {"type": "integer", "description": "what one call may take beyond the idle framework; 0: no limit"},
    "keep_mib": {"type": "integer", "description": "shared memory kept between calls in each direction; default 256"}
  }
})";

/// What a server printed last: often why it died.
class LastLine {
 public:
  void set(const std::string& line);
  [[nodiscard]] std::string get() const;

 private:
  mutable std::mutex mutex_;
  std::string line_;
};

/// What a component starts where its configuration says nothing.
struct Defaults {
  const char* map;
  std::vector<const char*> python_variables;  ///< of the environment; the first that is set counts
};

class PythonAdapter : public Adapter {
 public:
  PythonAdapter(const Context& context, const Defaults& defaults);
  const AdapterInfo& describe() override { return info_; }
  void require_support(const std::string& api, std::int32_t direction) override;
  Results invoke(const assay_call& call) override;

 private:
  using Seconds = std::chrono::duration<double>;
  struct Server {
    std::unique_ptr<ServerProcess> process;
    std::shared_ptr<OutputSegments> outputs = std::make_shared<OutputSegments>();
    std::shared_ptr<LastLine> last_line = std::make_shared<LastLine>();
  };

  void start();
  void ensure_server();
  Frame exchange(FrameKind kind, const std::string& payload, int fd, Seconds limit);
  [[noreturn]] void lose_server(const ChannelError& error, Seconds limit);
  [[noreturn]] void fail(const Frame& frame);
  Results read_results(const Frame& frame);

  Log log_;
  std::string python_;
  std::string settings_;  // JSON of kStart
  Seconds call_limit_;
  Seconds start_limit_;
  std::uint64_t memory_limit_;  // bytes; 0: none
  AdapterInfo info_;
  InputArena inputs_;
  Server server_;
};

/// MindSpore, by default through the map `mint`.
class MintAdapter final : public PythonAdapter {
 public:
  explicit MintAdapter(const Context& context) : PythonAdapter(context, {"mint", {"ASSAY_PYTHON"}}) {}
};

/// PyTorch in Python, by default through the map `python-torch`. MindSpore and PyTorch may live in two environments.
class PythonTorchAdapter final : public PythonAdapter {
 public:
  explicit PythonTorchAdapter(const Context& context)
      : PythonAdapter(context, {"python-torch", {"ASSAY_TORCH_PYTHON", "ASSAY_PYTHON"}}) {}
};

}  // namespace assay::bridge
