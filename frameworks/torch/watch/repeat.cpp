#include "repeat.hpp"

#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>

#include <algorithm>

#include "tensors.hpp"

namespace assay::watch {

namespace {

c10::DispatchKeySet left_out(bool without_autocast) {
  c10::DispatchKeySet keys = c10::autograd_dispatch_keyset_with_ADInplaceOrView |
                             c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot});
  return without_autocast ? keys | c10::autocast_dispatch_keyset : keys;
}

/// A copy that asks for gradients where the original does: some operators choose their kernel by it.
at::Tensor twin(const at::Tensor& tensor) {
  at::Tensor copy = copy_of_layout(tensor);
  if (tensor.requires_grad()) copy.set_requires_grad(true);
  return copy;
}

bool shares_memory(const at::Tensor& tensor, const std::vector<at::Tensor>& written) {
  return std::any_of(written.begin(), written.end(), [&](const at::Tensor& other) {
    return tensor.has_storage() && other.has_storage() &&
           tensor.storage().unsafeGetStorageImpl() == other.storage().unsafeGetStorageImpl();
  });
}

}  // namespace

QuietDispatch::QuietDispatch(bool without_autocast)
    : keys_(left_out(without_autocast)), autocast_cache_(at::autocast::is_autocast_cache_enabled()) {
  at::autocast::set_autocast_cache_enabled(false);
}

QuietDispatch::~QuietDispatch() { at::autocast::set_autocast_cache_enabled(autocast_cache_); }

Repeat::Repeat(const c10::OperatorHandle& op, const OperatorInfo& info, c10::ArrayRef<c10::IValue> arguments)
    : op_(op),
      info_(info),
      originals_(arguments.begin(), arguments.end()),
      arguments_(originals_),
      copied_(arguments.size()),
      random_(arguments) {
  if (!info.writes && !info.custom) return;
  const at::DisableRecordFunctionGuard unrecorded;
  const QuietDispatch quiet(true);
  std::vector<at::Tensor> written;
  for (std::size_t i = 0; i < originals_.size(); ++i) {
    if (info.written[i]) for_each_tensor(originals_[i], [&](const at::Tensor& tensor) { written.push_back(tensor); });
  }
  // One copy for each tensor, however often it is passed.
  for (std::size_t i = 0; i < originals_.size(); ++i) {
    bool touched = info.written[i] || info.custom;
    for_each_tensor(originals_[i], [&](const at::Tensor& tensor) { touched = touched || shares_memory(tensor, written); });
    if (!touched) continue;
    copied_[i] = true;
    arguments_[i] = map_tensors(originals_[i], [&](const at::Tensor& tensor) {
      for (const auto& [known, copy] : saved_) {
        if (known == tensor.unsafeGetTensorImpl()) return copy;
      }
      saved_.emplace_back(tensor.unsafeGetTensorImpl(), twin(tensor));
      return saved_.back().second;
    });
  }
}

bool Repeat::is_saved(const at::Tensor& tensor) const {
  return std::any_of(saved_.begin(), saved_.end(), [&](const auto& pair) { return pair.second.is_same(tensor); });
}

Repeat::~Repeat() {
  if (done_) random_.restore();
}

std::vector<at::Tensor> Repeat::collect(const torch::jit::Stack& stack, const std::vector<c10::IValue>& arguments) const {
  const std::size_t count = op_.schema().returns().size();
  std::vector<at::Tensor> out;
  for (std::size_t i = stack.size() - count; i < stack.size(); ++i) {
    for_each_tensor(stack[i], [&](const at::Tensor& tensor) { out.push_back(tensor); });
  }
  const std::size_t returned = out.size();
  for (std::size_t i = 0; info_.writes && i < arguments.size(); ++i) {
    if (!info_.written[i]) continue;
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      const bool known = std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(returned),
                                     [&](const at::Tensor& other) { return other.is_same(tensor); });
      if (!known) out.push_back(tensor);
    });
  }
  return out;
}

void Repeat::original_done(const torch::jit::Stack& stack) {
  random_.mark();
  outputs_ = collect(stack, originals_);
  done_ = true;
}

std::vector<at::Tensor> Repeat::run(std::vector<c10::IValue> arguments, bool without_autocast, bool last) {
  const QuietDispatch quiet(without_autocast);
  if (!last) {
    // What was saved stays as it is for the next run.
    std::vector<std::pair<const c10::TensorImpl*, at::Tensor>> fresh;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!copied_[i]) continue;
      arguments[i] = map_tensors(arguments[i], [&](const at::Tensor& tensor) {
        const auto known =
            std::find_if(fresh.begin(), fresh.end(), [&](const auto& pair) { return pair.first == tensor.unsafeGetTensorImpl(); });
        if (known != fresh.end()) return known->second;
        if (!is_saved(tensor)) return tensor;
        fresh.emplace_back(tensor.unsafeGetTensorImpl(), twin(tensor));
        return fresh.back().second;
      });
    }
  }
  random_.rewind();
  torch::jit::Stack stack(arguments);
  op_.callBoxed(stack);
  return collect(stack, arguments);
}

}  // namespace assay::watch
