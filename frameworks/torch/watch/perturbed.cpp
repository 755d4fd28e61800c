#include "perturbed.hpp"

#include <ATen/Parallel.h>

#include <algorithm>

#include "assay/sdk/random.hpp"
#include "assay/sdk/tensor.hpp"
#include "perturb/change.hpp"
#include "repeat.hpp"
#include "tensors.hpp"

namespace assay::watch {

namespace {

// Below this, waking a thread costs more than it saves.
constexpr std::int64_t kParallelElements = 1 << 16;

bool may_change(const at::Tensor& tensor) {
  return (c10::isFloatingType(tensor.scalar_type()) || c10::isComplexType(tensor.scalar_type())) && tensor.numel() != 0;
}

/// How far the copy is from the tensor, over the elements that changed: `changed` of them.
double change_between(const at::Tensor& before, const at::Tensor& after, std::uint64_t changed) {
  const auto [first, second] = in_memory_order(before, after);
  const Borrowed left(first, true);
  const Borrowed right(second, true);
  if (changed > static_cast<std::uint64_t>(before.numel()) / 2)
    return usual_change(TensorView(left.abi()), TensorView(right.abi()));
  return change_of(TensorView(left.abi()), TensorView(right.abi()), false, threads_for(before.numel())).relative_of_changed;
}

/// One tensor through all parts of the stage.
Result<at::Tensor> changed_copy(const PerturbationChain& chain, const at::Tensor& tensor, std::uint64_t seed, bool compat,
                                std::uint64_t& changed) {
  at::Tensor current = without_expansion(tensor);
  const at::Tensor base = current;
  for (std::size_t part = 0; part < chain.parts(); ++part) {
    Result<assay_perturbed_layout> layout = chain.plan_part(part, Borrowed(current, true).abi());
    if (!layout) return layout.failure();
    const auto type = torch_dtype(layout->dtype);
    if (!type) return unsupported("the perturbation plans a dtype that LibTorch doesn't have");
    at::Tensor copy = empty_of_layout(current, *type);
    // The peer's perturbations go by the first and last element of the tensor as it is.
    const auto [from, to] = compat ? std::pair(current, copy) : in_memory_order(current, copy);
    const Borrowed input(from, true);
    Borrowed output(to, false);
    Result<std::uint64_t> count =
        chain.apply_part(part, input.abi(), mix64(seed + part), threads_for(current.numel()), output.abi());
    if (!count) return count.failure();
    changed += *count;
    current = copy;
  }
  if (!base.is_same(tensor)) current = current.expand(tensor.sizes());
  if (tensor.requires_grad()) current.set_requires_grad(true);
  return current;
}

}  // namespace

std::string Place::path() const { return item ? std::to_string(argument) + "." + std::to_string(*item) : std::to_string(argument); }

std::uint32_t threads_for(std::int64_t numel) {
  return numel < kParallelElements ? 1u : static_cast<std::uint32_t>(std::max(1, at::get_num_threads()));
}

std::vector<Place> eligible_places(const PerturbationChain& chain, const OperatorInfo& info,
                                   const std::vector<c10::IValue>& arguments) {
  std::vector<Place> out;
  const auto consider = [&](std::size_t argument, std::optional<std::size_t> item, const at::Tensor& tensor) {
    if (!tensor.defined() || !may_change(tensor)) return;
    const Borrowed borrowed(tensor, true);
    if (chain.plan_part(0, borrowed.abi())) out.push_back({argument, item, tensor});
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!info.perturbable[i]) continue;
    if (arguments[i].isTensor()) {
      consider(i, std::nullopt, arguments[i].toTensor());
    } else if (arguments[i].isList()) {
      const auto items = arguments[i].toListRef();
      for (std::size_t k = 0; k < items.size(); ++k) {
        if (items[k].isTensor()) consider(i, k, items[k].toTensor());
      }
    }
  }
  return out;
}

std::vector<std::vector<Place>> choose_places(const PerturbationChain& chain, std::vector<Place> places, WatchInputs choice,
                                              std::uint64_t turn) {
  if (places.empty()) return {};
  if (chain.wants_all_inputs() || choice == WatchInputs::kAll) {
    if (chain.wants_all_inputs()) {
      // Beside half-precision tensors, those that are wide already stay as they are: operators want one type.
      const auto width = [](const Place& place) { return static_cast<std::size_t>(place.tensor.element_size()); };
      std::size_t narrowest = width(places.front());
      for (const Place& place : places) narrowest = std::min(narrowest, width(place));
      places.erase(std::remove_if(places.begin(), places.end(), [&](const Place& place) { return width(place) > narrowest; }),
                   places.end());
    }
    return {std::move(places)};
  }
  std::vector<std::vector<Place>> out;
  if (choice == WatchInputs::kEach) {
    for (Place& place : places) out.push_back({std::move(place)});
  } else {
    out.push_back({places[choice == WatchInputs::kRotate ? turn % places.size() : 0]});
  }
  return out;
}

Result<Perturbed> perturb(const PerturbationChain& chain, const std::vector<c10::IValue>& arguments,
                          const std::vector<Place>& places, bool all, std::uint64_t seed, bool compat) {
  const QuietDispatch quiet(true);
  Perturbed out;
  out.arguments = arguments;
  out.input = all ? "all" : places.front().path();
  out.first = places.front().tensor;
  if (chain.is_identity()) return out;
  for (const Place& place : places) {
    std::uint64_t changed = 0;
    Result<at::Tensor> copy = changed_copy(chain, place.tensor, mix64(seed++), compat, changed);
    if (!copy) return copy.failure();
    const bool other_type = copy->scalar_type() != place.tensor.scalar_type();
    out.other_type = out.other_type || other_type;
    out.changed = out.changed || other_type || changed != 0;
    // Widening takes away the rounding of the inputs' type: that is the change it stands for.
    const double change = other_type ? unit_roundoff(*boundary_dtype(place.tensor.scalar_type()))
                                     : (changed == 0 ? 0 : change_between(place.tensor, *copy, changed));
    out.input_change = std::max(out.input_change, change);
    c10::IValue& argument = out.arguments[place.argument];
    if (!place.item) {
      argument = *copy;
    } else {
      c10::List<c10::IValue> items = argument.toList().copy();
      items.set(*place.item, c10::IValue(*copy));
      argument = items;
    }
  }
  return out;
}

}  // namespace assay::watch
