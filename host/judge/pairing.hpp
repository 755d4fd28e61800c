// Flattens the outputs of both sides and pairs them by position.
#pragma once

#include <string>
#include <vector>

#include "assay/sdk/value.hpp"

namespace assay {

/// A value that is no list, tuple or dict, and where it lies: "0", "2.1", "0.key".
struct Leaf {
  std::string path;
  const Value* value = nullptr;
};

std::vector<Leaf> flatten(const std::vector<const Value*>& values);

struct LeafPair {
  std::string path;
  const Value* actual = nullptr;    ///< null: the target ends before
  const Value* expected = nullptr;  ///< null: the reference ends before
};

/// Position by position, so that a missing output never shifts its neighbours.
std::vector<LeafPair> pair_outputs(const std::vector<const Value*>& actual, const std::vector<const Value*>& expected);

/// Every tensor of the values, depth first.
void collect_tensors(const Value& value, std::vector<const Tensor*>& out);

}  // namespace assay
