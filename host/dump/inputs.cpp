#include "dump/inputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/locations.hpp"
#include "base/text.hpp"
#include "dump/assay_inputs.hpp"
#include "dump/fusion_mask.hpp"
#include "dump/mint_inputs.hpp"
#include "dump/structured_inputs.hpp"
#include "dump/torch_stream.hpp"

namespace assay {

namespace {

/// Where an element stands in the recording.
struct Place {
  const std::string& stem;
  const std::string& direction;
};

std::string_view api_of(const std::string& stem) { return std::string_view(stem).substr(0, stem.rfind('.')); }

std::uint64_t bytes_of(const TensorElement& element) {
  std::uint64_t bytes = dtype_size(*element.dtype);
  for (const std::int64_t size : element.shape) bytes *= static_cast<std::uint64_t>(size);
  return bytes;
}

std::uint64_t memory_of_machine() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

struct InputBuilder::Body {
  Dump dump;
  InputRule rule;
  std::uint64_t seed;
  mutable TorchStream torch_stream;
  mutable std::once_flag structured_once;
  mutable std::optional<Result<StructuredInputs>> structured;

  Body(const Dump& source, InputRule input_rule, std::uint64_t input_seed)
      : dump(source), rule(input_rule), seed(input_seed), torch_stream(source) {}

  Result<Value> build(const Element& element, const Place& place, const std::string& path) const {
    return std::visit([&](const auto& data) { return value_of(data, place, path); }, element.data);
  }

  Result<Value> value_of(const Value& value, const Place&, const std::string&) const { return value; }

  Result<Value> value_of(const OpaqueElement& element, const Place&, const std::string& path) const {
    return unsupported("argument " + path + " can't be replayed: " + element.reason);
  }

  Result<Value> value_of(const ElementList& list, const Place& place, const std::string& path) const {
    List out;
    out.items.reserve(list.items.size());
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      Result<Value> item = build(list.items[i], place, path + "." + std::to_string(i));
      if (!item) return item;
      out.items.push_back(std::move(*item));
    }
    return Value(std::move(out));
  }

  Result<Value> value_of(const ElementDict& dict, const Place& place, const std::string& path) const {
    Dict out;
    for (const auto& [name, element] : dict.items) {
      Result<Value> item = build(element, place, path + "." + name);
      if (!item) return item;
      out.items.emplace_back(name, std::move(*item));
    }
    return Value(std::move(out));
  }

  Result<Value> value_of(const TensorElement& element, const Place& place, const std::string& path) const {
    if (!element.dtype) {
      return unsupported("argument " + path + " has the dtype '" + escape_control(element.dtype_text) +
                         "', which is not supported");
    }
    if (!element.data_name.empty()) {
      Result<Tensor> tensor = dump.load(element);
      if (!tensor) return tensor.failure();
      return Value(std::move(*tensor));
    }
    Result<Tensor> tensor = make(element, place, path);
    if (tensor) return Value(std::move(*tensor));
    return Failure{tensor.failure().kind, "argument " + path + " can't be made from its statistics: " + tensor.failure().message};
  }

  Result<Tensor> make(const TensorElement& element, const Place& place, const std::string& path) const {
    if (std::find(element.shape.begin(), element.shape.end(), 0) != element.shape.end()) {
      return Tensor::allocate(*element.dtype, element.shape);
    }
    const std::uint64_t memory = memory_of_machine();
    if (bytes_of(element) > memory) {
      return unsupported("it needs " + std::to_string(bytes_of(element)) + " bytes, the machine has " + std::to_string(memory));
    }
    try {
      if (rule == InputRule::kAssay) return make_by_own_rule(element, place, path);
      if (dump.header().framework == Framework::kPyTorch) return torch_stream.make(place.stem, place.direction, path);
      return make_mint_tensor(element);
    } catch (const Error& error) {
      return unsupported(error.what());
    }
  }

  Result<Tensor> make_by_own_rule(const TensorElement& element, const Place& place, const std::string& path) const {
    std::call_once(structured_once,
                   [this] { structured = StructuredInputs::load(share_folder() / "apis" / "structured_inputs.json"); });
    if (!*structured) return structured->failure();
    const StructuredInputs& known = **structured;
    const std::string_view api = api_of(place.stem);
    if (const std::string_view need = known.need(api); !need.empty()) {
      return unsupported("the API needs real data (" + std::string(need) + "); record the run with its tensors");
    }
    const std::string name = place.stem + "." + place.direction + "." + path;
    if (path == "atten_mask" && place.direction == "forward") {
      const std::size_t call = dump.find(place.stem);
      if (call < dump.size() && is_compressed_mask(dump.read(call), path)) return compressed_mask();
    }
    if (!known.is_index_with_ignored(api, path)) return make_assay_tensor(element, seed, name);
    TensorElement indices = element;
    if (indices.min) indices.min = std::max(*indices.min, 0.0);
    indices.min_integer = std::max<std::int64_t>(indices.min_integer, 0);
    return make_assay_tensor(indices, seed, name);
  }
};

InputBuilder::InputBuilder(const Dump& dump, InputRule rule, std::uint64_t seed)
    : body_(std::make_shared<const Body>(dump, rule, seed)) {}

Result<Value> InputBuilder::build(const Element& element, const std::string& stem, const std::string& direction,
                                  const std::string& path) const {
  return body_->build(element, {stem, direction}, path);
}

}  // namespace assay
