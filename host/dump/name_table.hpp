// Distinct names numbered in order of arrival, kept in one block of memory.
//
//   NameTable names;
//   names.add("Torch.add.0");        // 0
//   names.find("Torch.add.0");       // 0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

class NameTable {
 public:
  [[nodiscard]] std::size_t size() const { return ends_.size(); }

  [[nodiscard]] std::string_view name(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }

  /// The name's number, or size().
  [[nodiscard]] std::size_t find(std::string_view name) const {
    return slots_.empty() || slots_[slot_of(name)] == kFree ? size() : slots_[slot_of(name)];
  }

  /// The number of a name, which is added if it is new.
  std::size_t add(std::string_view name) {
    if (2 * (size() + 1) > slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(name)];
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(size());
      text_ += name;
      ends_.push_back(text_.size());
    }
    return slot;
  }

 private:
  static constexpr std::uint32_t kFree = 0xffffffffu;

  [[nodiscard]] std::size_t slot_of(std::string_view text) const {
    std::size_t slot = std::hash<std::string_view>()(text) & (slots_.size() - 1);
    while (slots_[slot] != kFree && name(slots_[slot]) != text) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), kFree);
    for (std::size_t i = 0; i < size(); ++i) slots_[slot_of(name(i))] = static_cast<std::uint32_t>(i);
  }

  std::string text_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint32_t> slots_;  ///< a power of two, at most half full
};

}  // namespace assay
