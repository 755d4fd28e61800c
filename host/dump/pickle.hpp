// A reader of Python pickles that builds data and calls nothing: names that a pickle gives are only looked up in the list of an
// owner, who says what a call of one would have made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/sdk/value.hpp"
#include "base/result.hpp"

namespace assay {

/// Nodes refer to each other by number, so that cycles need no owner.
using PickleId = std::uint32_t;

struct PickleGlobal {
  std::string name;  ///< "torch._utils._rebuild_tensor_v2"
};
struct PickleSequence {
  bool tuple = false;
  std::vector<PickleId> items;
};
struct PickleDict {
  std::vector<PickleId> items;  ///< keys and values in turn
};
/// What a persistent id names: bytes kept by the owner of the reader.
struct PickleStorage {
  std::size_t index = 0;
};

using PickleNode = std::variant<Value, PickleGlobal, PickleSequence, PickleDict, PickleStorage>;

class PickleGraph {
 public:
  PickleId add(PickleNode node) {
    nodes_.push_back(std::move(node));
    return static_cast<PickleId>(nodes_.size() - 1);
  }
  [[nodiscard]] PickleNode& operator[](PickleId id) { return nodes_[id]; }
  [[nodiscard]] const PickleNode& operator[](PickleId id) const { return nodes_[id]; }
  template <class T>
  [[nodiscard]] const T* get_if(PickleId id) const {
    return std::get_if<T>(&nodes_[id]);
  }
  /// The value inside a node that is one.
  template <class T>
  [[nodiscard]] const T* value_if(PickleId id) const {
    const auto* value = std::get_if<Value>(&nodes_[id]);
    return value == nullptr ? nullptr : value->get_if<T>();
  }

 private:
  std::vector<PickleNode> nodes_;
};

/// Gives meaning to what only the owner of a pickle knows; adds the nodes for it.
class PickleOwner {
 public:
  virtual ~PickleOwner() = default;
  /// A name; a failure refuses the file.
  virtual Result<PickleId> global(PickleGraph& graph, const std::string& name) = 0;
  /// What `callable(*arguments)` stands for.
  virtual Result<PickleId> call(PickleGraph& graph, const std::string& callable, const std::vector<PickleId>& arguments) = 0;
  /// What a persistent id stands for.
  virtual Result<PickleId> persistent(PickleGraph& graph, PickleId id) = 0;
};

/// bytes  any; errors  kInput: an opcode that data don't need, a stack that doesn't add up, the end inside an opcode
Result<PickleId> read_pickle(std::string_view bytes, PickleGraph& graph, PickleOwner& owner);

/// The node as a value. errors  kInput: nested too deep or too large (a list that holds itself), nodes that are no values
Result<Value> pickle_value(const PickleGraph& graph, PickleId id);

}  // namespace assay
