#include "operators.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace assay::watch {

namespace {

/// Operators that write arguments which their schemas don't mark: the names of those arguments.
struct HiddenWrite {
  std::string_view op;
  std::vector<std::string_view> arguments;
};

const std::vector<HiddenWrite>& hidden_writes() {
  static const std::vector<HiddenWrite> table = {
      {"aten::batch_norm", {"running_mean", "running_var"}},
      {"aten::native_batch_norm", {"running_mean", "running_var"}},
      {"aten::_batch_norm_impl_index", {"running_mean", "running_var"}},
      {"aten::cudnn_batch_norm", {"running_mean", "running_var"}},
      {"aten::miopen_batch_norm", {"running_mean", "running_var"}},
      {"aten::batch_norm_update_stats", {"running_mean", "running_var"}},
      {"aten::batch_norm_gather_stats", {"running_mean", "running_var"}},
      {"aten::batch_norm_gather_stats_with_counts", {"running_mean", "running_var"}},
      {"aten::instance_norm", {"running_mean", "running_var"}},
      {"aten::rrelu_with_noise", {"noise"}},
      {"aten::embedding_renorm", {"self"}},
      {"aten::fake_quantize_per_tensor_affine_cachemask_tensor_qparams", {"scale", "zero_point"}},
  };
  return table;
}

/// Operators that hand out memory or move it, whose results mean nothing yet.
const std::set<std::string_view>& without_numbers() {
  static const std::set<std::string_view> names = {
      "aten::empty_like",  "aten::new_empty", "aten::new_empty_strided", "aten::resize_",     "aten::resize_as_",
      "aten::set_",        "aten::set_data",  "aten::record_stream",     "aten::_pin_memory", "aten::requires_grad_",
      "aten::retain_grad", "aten::detach_",   "aten::lift_fresh",        "aten::_backward",   "aten::zero_",
      "aten::zeros_like",  "aten::ones_like", "aten::new_zeros",         "aten::new_ones",    "aten::new_full",
      "aten::full_like",   "aten::fill_",     "aten::rand_like",         "aten::randn_like",  "aten::normal_",
      "aten::uniform_",    "aten::random_",   "aten::exponential_",      "aten::copy_"};
  return names;
}

bool holds_tensors(const c10::TypePtr& type) {
  if (type->kind() == c10::TypeKind::TensorType) return true;
  for (const c10::TypePtr& part : type->containedTypes()) {
    if (holds_tensors(part)) return true;
  }
  return false;
}

bool is_written(const c10::Argument& argument) { return argument.alias_info() != nullptr && argument.alias_info()->isWrite(); }

}  // namespace

const OperatorInfo& Operators::info(const c10::OperatorHandle& op) {
  // The schema's address is the operator's identity as long as it is registered.
  const void* key = &op.schema();
  thread_local std::unordered_map<const void*, std::pair<Operators*, const OperatorInfo*>> seen;
  const auto known = seen.find(key);
  if (known != seen.end() && known->second.first == this) return *known->second.second;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<OperatorInfo>& slot = infos_[key];
  if (!slot) slot = make(op);
  seen[key] = {this, slot.get()};
  return *slot;
}

std::unique_ptr<OperatorInfo> Operators::make(const c10::OperatorHandle& op) {
  auto out = std::make_unique<OperatorInfo>();
  const c10::FunctionSchema& schema = op.schema();
  out->name = schema.name();
  out->id = infos_.size() + 1;
  out->adds = (out->name == "aten::add" || out->name == "aten::add_") && schema.overload_name() == "Tensor";
  std::unique_ptr<Api>& api = apis_[names_.api_of(out->name)];
  if (!api) {
    api = std::make_unique<Api>();
    api->name = names_.api_of(out->name);
  }
  out->api = api.get();

  bool takes_tensors = false;
  bool aliases = false;
  for (const c10::Argument& argument : schema.arguments()) {
    const bool written = is_written(argument);
    out->written.push_back(written);
    out->perturbable.push_back(!(written && argument.kwarg_only()));
    out->writes = out->writes || written;
    takes_tensors = takes_tensors || holds_tensors(argument.type());
    aliases = aliases || (argument.alias_info() != nullptr && !written);
  }
  for (const HiddenWrite& hidden : hidden_writes()) {
    if (hidden.op != out->name) continue;
    for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
      if (std::find(hidden.arguments.begin(), hidden.arguments.end(), schema.arguments()[i].name()) == hidden.arguments.end())
        continue;
      out->written[i] = true;
      out->perturbable[i] = false;
      out->writes = true;
    }
  }
  for (const c10::Argument& result : schema.returns()) out->returns_tensors = out->returns_tensors || holds_tensors(result.type());

  const std::string space = out->name.substr(0, out->name.find("::"));
  out->custom = space != "aten" && space != "prim" && space.find("c10d") == std::string::npos;
  if (space == "c10d" || space == "_c10d_functional") {
    out->skipped = "a collective";
  } else if (std::find(namespaces_.begin(), namespaces_.end(), space) == namespaces_.end()) {
    out->skipped = "of a namespace that isn't run again";
  } else if (!takes_tensors) {
    out->skipped = "no tensor goes in";
  } else if (!out->returns_tensors && !out->writes) {
    out->skipped = "no tensor comes out";
  } else if (aliases && !out->writes) {
    out->skipped = "a view";
  } else if (without_numbers().count(out->name) != 0) {
    out->skipped = "nothing is computed";
  }
  return out;
}

void Operators::begin_step() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, api] : apis_) api->calls = 0;
}

}  // namespace assay::watch
