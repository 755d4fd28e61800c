// The capability tables that the host knows: which slots each must fill, and stubs for the ones that it may leave out, so that
// calling code never tests a slot for null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

struct TableSlot {
  const char* name;
  bool required;
};

struct TableInfo {
  const char* extension;         ///< "assay.adapter/1"
  const char* kind;              ///< the component kind that must offer it; null: optional for all
  std::size_t first_size;        ///< bytes in ABI x.0; a shorter table is a defect
  std::size_t size;              ///< bytes in this host's headers
  const void* stubs;             ///< a full table; every function reports ASSAY_UNSUPPORTED
  std::vector<TableSlot> slots;  ///< in layout order, after the eight bytes of struct_size and flags
};

const std::vector<TableInfo>& known_tables();
/// Null for an extension or kind that the host doesn't know.
const TableInfo* find_table(const char* extension);
const TableInfo* main_table_of_kind(const std::string& kind);

/// errors  kPlugin: table missing, shorter than ABI x.0, or without a required function
Status check_table(const TableInfo& info, const void* table);

/// A table of the full size: the plugin's functions, and stubs where it has none. Eight-byte words, for alignment.
std::vector<std::uint64_t> complete_table(const TableInfo& info, const void* table);

}  // namespace assay
