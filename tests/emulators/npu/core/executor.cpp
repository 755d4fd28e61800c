#include "core/executor.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>

#include "core/report.hpp"
#include "core/work.hpp"

namespace assay::emulator {
namespace {

constexpr std::uint64_t kWorkspaceUnit = 512;

std::map<std::string_view, const Kernel*>& kernels() {
  static auto& instance = *new std::map<std::string_view, const Kernel*>;
  return instance;
}

bool is_plain(const View& view) {
  std::int64_t step = 1;
  for (std::size_t i = view.rank(); i-- > 0;) {
    if (view.shape[i] != 1 && view.strides[i] != step) {
      return false;
    }
    step *= view.shape[i];
  }
  return true;
}

// Non-contiguous tensors are copied in the workspace; bigger kernels want partial results too.
std::uint64_t workspace_for(const Kernel& kernel, const Args& args) {
  std::uint64_t total = 0;
  const auto add = [&](const View& view) {
    if ((kernel.flags & kUsesWorkspace) != 0 || !is_plain(view)) {
      const std::uint64_t bytes = static_cast<std::uint64_t>(view.count()) * item_size(view.dtype);
      total += (bytes + kWorkspaceUnit - 1) / kWorkspaceUnit * kWorkspaceUnit;
    }
  };
  for (const Item& item : args.items()) {
    if (item.view.object != nullptr) {
      add(item.view);
    }
    std::for_each(item.views.begin(), item.views.end(), add);
  }
  return total;
}

const Shape* first_shape(const Args& args) {
  for (const Item& item : args.items()) {
    if (item.view.object != nullptr) {
      return &item.view.shape;
    }
    if (!item.views.empty()) {
      return &item.views.front().shape;
    }
  }
  return nullptr;
}

void end_executor(aclOpExecutor& executor) {
  for (Object* object : executor.objects) {
    --object->users;
  }
  executor.objects.clear();
  process().remove(&executor);
}

template <class F>
void each_tensor(const Operator& op, const std::vector<Argument>& arguments, F&& visit) {
  for (int i = 0; i < op.count; ++i) {
    const Parameter& parameter = op.parameters[i];
    const void* pointer = arguments[static_cast<std::size_t>(i)].pointer;
    if (pointer == nullptr) {
      continue;
    }
    if (parameter.type == Type::kTensor) {
      visit(parameter, *static_cast<aclTensor*>(const_cast<void*>(pointer)));
    } else if (parameter.type == Type::kTensorList) {
      for (aclTensor* member : static_cast<const aclTensorList*>(pointer)->members) {
        visit(parameter, *member);
      }
    }
  }
}

Range range_of(const Parameter& parameter, const aclTensor& tensor) {
  const auto [first, last] = extent(tensor);
  const auto* data = static_cast<const std::byte*>(tensor.data);
  return {data + first, data + last, parameter.role != Role::kIn};
}

// What an injected wrong kernel leaves behind: every element off by a sixteenth, or the last eighth not written.
void spoil(const Args& args, Action action) {
  for (std::size_t i = 0; i < args.items().size(); ++i) {
    const View& view = args.items()[i].view;
    const Role role = args.op().kernel_parameters[i].role;
    if (view.object == nullptr || role == Role::kIn || role == Role::kAttribute || view.count() == 0) {
      continue;
    }
    const std::size_t size = item_size(view.dtype);
    const std::int64_t count = view.count();
    std::int64_t position = 0;
    Shape index(view.rank(), 0);
    for (std::int64_t n = 0; n < count; ++n) {
      std::byte* at = view.data + position * static_cast<std::int64_t>(size);
      if (action == Action::kTail) {
        if (n >= count - (count + 7) / 8) {
          std::memset(at, view.dtype == ACL_BOOL ? 0 : 0xff, size);
        }
      } else if (is_integral(view.dtype)) {
        store_integer(at, view.dtype, view.dtype == ACL_BOOL ? 1 - load_integer(at, view.dtype) : load_integer(at, view.dtype) + 1);
      } else {
        store_complex(at, view.dtype, load_complex(at, view.dtype) * 1.0625 + 0.0625);
      }
      for (std::size_t d = view.rank(); d-- > 0;) {
        position += view.strides[d];
        if (++index[d] < view.shape[d]) {
          break;
        }
        position -= view.strides[d] * view.shape[d];
        index[d] = 0;
      }
    }
    return;
  }
}

aclError run_kernel(const Kernel& kernel, const Args& args, const Fault* fault) {
  if (fault != nullptr) {
    switch (fault->action) {
      case Action::kError: return fault->error;
      case Action::kCrash: std::raise(SIGSEGV); break;
      case Action::kDeviceLost: process().lost = true; return ACL_ERROR_RT_LOST_HEARTBEAT;
      case Action::kNondeterministic: number_modes().shuffle = process().options[ACL_OPT_DETERMINISTIC] == 0; break;
      default: break;
    }
  }
  try {
    kernel.run(args);
    if (fault != nullptr && (fault->action == Action::kWrong || fault->action == Action::kTail)) {
      spoil(args, fault->action);
    }
  } catch (const std::exception& problem) {
    // What a card can't see in phase 1 either: an index out of range, for one.
    report_misuse("kernel-exception", args.op().name, problem.what());
    return ACL_ERROR_RT_AICORE_EXCEPTION;
  }
  return ACL_SUCCESS;
}

aclnnStatus check_workspace(Call& call, const aclOpExecutor& executor, void* workspace, std::uint64_t size) {
  if (executor.workspace == 0) {
    return ACLNN_SUCCESS;
  }
  if (workspace == nullptr) {
    return call.misuse("workspace-null", ACLNN_ERR_PARAM_NULLPTR,
                       "the workspace is null, " + std::to_string(executor.workspace) + " bytes are needed");
  }
  if (size < executor.workspace) {
    return call.misuse(
        "workspace-too-small", ACLNN_ERR_PARAM_INVALID,
        "the workspace has " + std::to_string(size) + " bytes, " + std::to_string(executor.workspace) + " are needed");
  }
  const auto block = process().memory.find(workspace);
  if (!block || static_cast<std::byte*>(workspace) + size > block->begin + block->size) {
    return call.misuse("workspace-memory", ACLNN_ERR_PARAM_INVALID, "the workspace isn't inside a live allocation of the device");
  }
  bool overlaps = false;
  const auto* first = static_cast<const std::byte*>(workspace);
  each_tensor(*executor.op, executor.arguments, [&](const Parameter& parameter, const aclTensor& tensor) {
    const Range range = range_of(parameter, tensor);
    overlaps = overlaps || (range.begin < first + size && first < range.end);
  });
  if (overlaps) {
    return call.misuse("workspace-overlaps", ACLNN_ERR_PARAM_INVALID, "the workspace overlaps a tensor of the operator");
  }
  return ACLNN_SUCCESS;
}

aclnnStatus still_valid(Call& call, const aclOpExecutor& executor) {
  for (const Object* object : executor.objects) {
    if (process().live.count(object) == 0) {
      return call.misuse("parameter-destroyed", ACLNN_ERR_PARAM_INVALID,
                         std::string("a parameter, ") + name_of(object->kind) + ", was destroyed between the phases");
    }
  }
  std::vector<Object*> objects;
  for (int i = 0; i < executor.op->count; ++i) {
    if (const aclnnStatus status = check_parameter(call, *executor.op, executor.arguments.data(), i, objects)) {
      return status;
    }
  }
  return ACLNN_SUCCESS;
}

Task make_task(const aclOpExecutor& executor, void* workspace) {
  Task task;
  task.name = executor.op->name;
  auto args = std::make_shared<Args>(bound(*executor.op, *executor.kernel, executor.arguments, executor.texts, true));
  const bool late_shapes = (executor.kernel->flags & kShapesFromData) != 0;
  each_tensor(*executor.op, executor.arguments, [&](const Parameter& parameter, aclTensor& tensor) {
    task.ranges.push_back(range_of(parameter, tensor));
    if (late_shapes && parameter.role == Role::kOut) {
      tensor.shape_pending = true;
      task.holds.push_back(&tensor);
    }
  });
  std::byte* scratch = nullptr;
  if (executor.workspace > 0) {
    const auto* first = static_cast<const std::byte*>(workspace);
    task.ranges.push_back({first, first + executor.workspace, true});
    scratch = process().memory.host(workspace);
  }
  const Fault* fault = fault_at(Point::kKernel, executor.op->name, first_shape(*args));
  task.hangs = fault != nullptr && fault->action == Action::kHang;
  task.run = [args, scratch, size = executor.workspace, kernel = executor.kernel,
              shown = fault != nullptr ? std::optional(*fault) : std::nullopt]() -> aclError {
    if (scratch != nullptr) {
      std::memset(scratch, 0xff, size);
    }
    return run_kernel(*kernel, *args, shown ? &*shown : nullptr);
  };
  return task;
}

}  // namespace

void refuse(const std::string& text) { throw Refused(ACLNN_ERR_PARAM_INVALID, text); }

std::int64_t View::count() const {
  std::int64_t result = 1;
  for (const std::int64_t dim : shape) {
    result *= dim;
  }
  return result;
}

std::int64_t View::dim(std::int64_t index) const {
  const auto all = static_cast<std::int64_t>(rank());
  const std::int64_t at = index < 0 ? index + all : index;
  return at >= 0 && at < all ? shape[static_cast<std::size_t>(at)] : 1;
}

const Item& Args::item(std::string_view name) const {
  for (int i = 0; i < operator_->kernel_count; ++i) {
    if (operator_->kernel_parameters[i].name == name) {
      return items_[static_cast<std::size_t>(i)];
    }
  }
  throw std::logic_error(std::string(operator_->kernel) + " has no parameter '" + std::string(name) + "'");
}

void RegisterKernels::add(const Kernel* table, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    kernels()[table[i].name] = &table[i];
  }
}

const Kernel* find_kernel(std::string_view name) {
  const auto found = kernels().find(name);
  return found == kernels().end() ? nullptr : found->second;
}

aclnnStatus plan(const Operator& op, const Argument* arguments, std::uint64_t* workspace_size, aclOpExecutor** result) {
  Call call(op.phase1_name);
  if (const aclError error = call.ready()) {
    return error;
  }
  if (workspace_size == nullptr || result == nullptr) {
    return call.misuse("null-pointer", ACLNN_ERR_PARAM_NULLPTR, "no place for the workspace size or the executor");
  }
  const Kernel* kernel = find_kernel(op.kernel);
  if (kernel == nullptr) {
    return call.fail(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "the emulator has no kernel of it");
  }
  auto executor = std::make_unique<aclOpExecutor>();
  executor->op = &op;
  executor->kernel = kernel;
  executor->arguments.assign(arguments, arguments + op.count);
  executor->texts.resize(static_cast<std::size_t>(op.count));
  for (int i = 0; i < op.count; ++i) {
    if (const aclnnStatus status = check_parameter(call, op, arguments, i, executor->objects)) {
      return status;
    }
    if (op.parameters[i].type == Type::kText && arguments[i].pointer != nullptr) {
      executor->texts[static_cast<std::size_t>(i)] = static_cast<const char*>(arguments[i].pointer);
    }
  }
  const Args args = bound(op, *kernel, executor->arguments, executor->texts, false);
  if (const Fault* fault = fault_at(Point::kPhase1, op.name, first_shape(args))) {
    return suffer(call, *fault);
  }
  try {
    kernel->check(args);
  } catch (const Refused& refused) {
    return call.fail(refused.code(), refused.what());
  } catch (const std::exception& problem) {
    return call.fail(ACLNN_ERR_INNER, problem.what());
  }
  executor->workspace = workspace_for(*kernel, args);
  *workspace_size = executor->workspace;
  for (Object* object : executor->objects) {
    ++object->users;
  }
  *result = process().add(executor.release());
  return ACLNN_SUCCESS;
}

aclnnStatus launch(const Operator& op, void* workspace, std::uint64_t workspace_size, aclOpExecutor* handle,
                   aclrtStream stream_handle) {
  Call call(op.name);
  if (handle == nullptr) {
    return call.misuse("null-handle", ACLNN_ERR_PARAM_NULLPTR, "the executor is null");
  }
  aclOpExecutor* executor = call.live<aclOpExecutor>(handle);
  if (executor == nullptr) {
    return call.code();
  }
  if (executor->op != &op) {
    return call.misuse("executor-of-another-operator", ACLNN_ERR_PARAM_INVALID,
                       "the executor was planned for " + std::string(executor->op->name));
  }
  aclnnStatus status = call.on_thread();
  Stream* stream = status == 0 ? call.stream(stream_handle) : nullptr;
  if (status == 0 && stream == nullptr) {
    status = call.code();
  }
  if (status == 0) {
    status = check_workspace(call, *executor, workspace, workspace_size);
  }
  if (status == 0) {
    status = still_valid(call, *executor);
  }
  if (status == 0) {
    if (const Fault* fault = fault_at(Point::kPhase2, op.name, nullptr)) {
      status = suffer(call, *fault);
    }
  }
  if (status == 0) {
    enqueue(*stream, make_task(*executor, workspace));
    count_launch();
  }
  if (!executor->repeatable) {
    end_executor(*executor);
  }
  return status;
}

}  // namespace assay::emulator

using namespace assay::emulator;

ASSAY_EMULATOR_EXPORT aclnnStatus aclnnInit(const char*) {
  Call call("aclnnInit");
  process().operators_initialised = true;
  return call.ready();
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclnnFinalize() {
  Call call("aclnnFinalize");
  if (!process().operators_initialised) {
    return call.misuse("finalize-twice", ACL_ERROR_REPEAT_FINALIZE, "aclnnInit was not called");
  }
  process().operators_initialised = false;
  return ACLNN_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* handle) {
  Call call("aclSetAclOpExecutorRepeatable");
  if (handle == nullptr) {
    return call.misuse("null-handle", ACLNN_ERR_INNER_NULLPTR, "the executor is null");
  }
  aclOpExecutor* executor = call.live<aclOpExecutor>(handle);
  if (executor == nullptr) {
    return call.code();
  }
  executor->repeatable = true;
  return ACLNN_SUCCESS;
}

ASSAY_EMULATOR_EXPORT aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* handle) {
  Call call("aclDestroyAclOpExecutor");
  aclOpExecutor* executor = call.live<aclOpExecutor>(handle);
  if (executor == nullptr) {
    return call.code();
  }
  end_executor(*executor);
  return ACLNN_SUCCESS;
}
