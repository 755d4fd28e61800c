#include "dump/torch_stream.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "dump/fusion_mask.hpp"

namespace assay {

namespace {

constexpr std::uint32_t kSeed = 1234;
constexpr std::size_t kMaxSnapshots = 16;

/// APIs with several outputs of which MindStudio Probe sends a gradient to the first.
constexpr std::array<std::string_view, 2> kFirstGradientOnly{"topk", "npu_fusion_attention"};
constexpr std::array<std::string_view, 2> kWithoutBackward{"repeat_interleave", "masked_select"};

template <class Range>
bool contains(const Range& range, std::string_view text) {
  return std::find(range.begin(), range.end(), text) != range.end();
}

/// Collects the tensors of a call in the order in which MindStudio Probe makes them. It gives up a call at the first element that
/// it doesn't understand.
class CallWalk {
 public:
  explicit CallWalk(const RecordedCall& call) : call_(call), name_(std::string_view(call.api).substr(call.api.rfind('.') + 1)) {}

  template <class F>
  void run(F&& visit) {
    if (!call_.forward || call_.forward->error || call_.type == "Distributed" || call_.type == "MindSpeed") return;
    bool whole = true;
    const auto element = [&](const std::string& direction) {
      return [&, direction](const Element& item, const std::string& path) { whole = whole && walk(item, direction, path, visit); };
    };
    const auto forward = element("forward");
    for (std::size_t i = 0; i < call_.forward->inputs.size(); ++i) forward(call_.forward->inputs[i], std::to_string(i));
    for (const auto& [name, item] : call_.forward->kwargs) forward(item, name);
    if (!whole || !has_backward()) return;
    const std::vector<Element>& gradients = call_.backward->inputs;
    const std::size_t drawn = contains(kFirstGradientOnly, name_) ? std::min<std::size_t>(1, gradients.size()) : gradients.size();
    const auto backward = element("backward");
    for (std::size_t i = 0; i < drawn; ++i) backward(gradients[i], std::to_string(i));
  }

 private:
  template <class F>
  bool walk(const Element& item, const std::string& direction, const std::string& path, F& visit) {
    if (item.get_if<OpaqueElement>() != nullptr || item.get_if<ElementDict>() != nullptr) return false;
    if (const auto* list = item.get_if<ElementList>()) {
      for (std::size_t i = 0; i < list->items.size(); ++i) {
        if (!walk(list->items[i], direction, path + "." + std::to_string(i), visit)) return false;
      }
    }
    const auto* tensor = item.get_if<TensorElement>();
    return tensor == nullptr || !tensor->data_name.empty() || visit(*tensor, direction, path);
  }

  [[nodiscard]] bool has_backward() const {
    if (!call_.backward || call_.backward->error || contains(kWithoutBackward, name_)) return false;
    const auto& kwargs = call_.forward->kwargs;
    if (std::any_of(kwargs.begin(), kwargs.end(), [](const auto& item) { return item.first == "out"; })) return false;
    const std::vector<Element>& outputs = call_.forward->outputs;
    if (outputs.empty()) return false;
    if (contains(kFirstGradientOnly, name_)) return true;
    const bool single = outputs.size() == 1 && outputs[0].get_if<ElementList>() == nullptr;
    const auto* value = outputs[0].get_if<Value>();
    return single && !(value != nullptr && value->is<None>());
  }

  const RecordedCall& call_;
  std::string_view name_;
};

}  // namespace

TorchStream::CallPlan TorchStream::plan(std::size_t call) const {
  const RecordedCall recorded = dump_.read(call);
  CallPlan plan;
  CallWalk(recorded).run([&](const TensorElement& tensor, const std::string& direction, const std::string& path) {
    if (!tensor.dtype) return false;
    TorchDraw draw;
    if (direction == "forward" && is_compressed_mask(recorded, path)) {
      draw.kind = TorchDraw::Kind::kMask;
    } else {
      draw = plan_torch_draw(tensor, recorded.api, path);
    }
    const std::uint64_t words = draw.words;
    const bool drawn = !draw.failure;
    plan.places.push_back({direction, path, std::move(draw), plan.words});
    plan.words += words;
    return drawn;
  });
  return plan;
}

std::uint64_t TorchStream::start_of(std::size_t call) {
  while (starts_.size() <= call) starts_.push_back(starts_.back() + plan(starts_.size() - 1).words);
  return starts_[call];
}

std::mt19937 TorchStream::generator_at(std::uint64_t position) {
  std::mt19937 generator(kSeed);
  std::uint64_t at = 0;
  for (const auto& [place, snapshot] : snapshots_) {
    if (place <= position && place > at) {
      at = place;
      generator = snapshot;
    }
  }
  generator.discard(position - at);
  return generator;
}

void TorchStream::remember(std::uint64_t position, const std::mt19937& generator) {
  if (snapshots_.size() == kMaxSnapshots) snapshots_.pop_front();
  snapshots_.emplace_back(position, generator);
}

Result<Tensor> TorchStream::make(const std::string& stem, const std::string& direction, const std::string& path) {
  const std::size_t call = dump_.find(stem);
  if (call == dump_.size()) return internal_failure("no call '" + stem + "' in the dump");
  const CallPlan calls = plan(call);
  const auto place = std::find_if(calls.places.begin(), calls.places.end(),
                                  [&](const Place& item) { return item.direction == direction && item.path == path; });
  if (place == calls.places.end()) return unsupported("MindStudio Probe makes no values for this element");
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::uint64_t position = start_of(call) + place->offset;
  std::mt19937 generator = generator_at(position);
  Result<Tensor> tensor = draw_torch_tensor(place->draw, generator);
  if (tensor) remember(position + place->draw.words, generator);
  return tensor;
}

}  // namespace assay
