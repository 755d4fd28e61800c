// An index that comes from a tensor.
#pragma once

#include <stdexcept>
#include <string>

#include "kernels/move.hpp"

namespace assay::emulator {

/// The index counted from the front; throws where there is no such element, which phase 1 can't see.
inline std::int64_t checked(std::int64_t index, std::int64_t size) {
  const std::int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) {
    throw std::out_of_range("index " + std::to_string(index) + " is not in the range of " + std::to_string(size));
  }
  return at;
}

}  // namespace assay::emulator
