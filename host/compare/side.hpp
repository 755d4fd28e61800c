// What the two arguments of `assay compare` are.
#pragma once

#include <filesystem>

#include "base/result.hpp"

namespace assay {

enum class SideKind { kTable, kRun, kDump };

struct Side {
  SideKind kind = SideKind::kTable;
  std::filesystem::path path;  ///< of a run: its folder
};

/// A file is a dump if it starts like JSON, else a table; a folder with results.jsonl is a run, any other a dump.
/// errors  kInput: nothing there
Result<Side> find_side(const std::filesystem::path& path);

/// errors  kInput: the two are of different kinds
Status check_same_kind(const Side& tested, const Side& baseline);

}  // namespace assay
