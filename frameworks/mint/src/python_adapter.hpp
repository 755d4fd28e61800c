// An adapter whose framework lives in a Python process.
#pragma once

#include <memory>
#include <vector>

#include "assay/sdk/adapter.hpp"
#include "bridge/client.hpp"

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

/// What a component starts where its configuration says nothing.
struct Defaults {
  const char* map;
  std::vector<const char*> python_variables;  ///< of the environment; the first that is set counts
};

class PythonAdapter : public Adapter {
 public:
  PythonAdapter(const Context& context, const Defaults& defaults);
  const AdapterInfo& describe() override { return client_->info(); }
  void require_support(const std::string& api, std::int32_t direction) override { client_->require_support(api, direction); }
  Results invoke(const assay_call& call) override { return client_->invoke(call); }

 private:
  std::unique_ptr<Client> client_;
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
