#include "dump/inputs.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/text.hpp"

namespace assay {

struct InputBuilder::Body {
  Dump dump;
  InputRule rule;
  std::uint64_t seed;

  Result<Value> build(const Element& element, const std::string& path) const {
    return std::visit([&](const auto& data) { return value_of(data, path); }, element.data);
  }

  Result<Value> value_of(const Value& value, const std::string&) const { return value; }

  Result<Value> value_of(const OpaqueElement& element, const std::string& path) const {
    return unsupported("argument " + path + " can't be replayed: " + element.reason);
  }

  Result<Value> value_of(const ElementList& list, const std::string& path) const {
    List out;
    out.items.reserve(list.items.size());
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      Result<Value> item = build(list.items[i], path + "." + std::to_string(i));
      if (!item) return item;
      out.items.push_back(std::move(*item));
    }
    return Value(std::move(out));
  }

  Result<Value> value_of(const ElementDict& dict, const std::string& path) const {
    Dict out;
    for (const auto& [name, element] : dict.items) {
      Result<Value> item = build(element, path + "." + name);
      if (!item) return item;
      out.items.emplace_back(name, std::move(*item));
    }
    return Value(std::move(out));
  }

  Result<Value> value_of(const TensorElement& element, const std::string& path) const {
    if (!element.dtype)
      return unsupported("argument " + path + " has the dtype '" + escape_control(element.dtype_text) +
                         "', which is not supported");
    Result<Tensor> tensor = dump.load(element);
    if (!tensor) return tensor.failure();
    return Value(std::move(*tensor));
  }
};

InputBuilder::InputBuilder(const Dump& dump, InputRule rule, std::uint64_t seed)
    : body_(std::make_shared<Body>(Body{dump, rule, seed})) {}

Result<Value> InputBuilder::build(const Element& element, const std::string& stem, const std::string& direction,
                                  const std::string& path) const {
  (void)stem;
  (void)direction;
  return body_->build(element, path);
}

}  // namespace assay
