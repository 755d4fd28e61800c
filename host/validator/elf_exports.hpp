// The symbols that a shared object defines for others, read from its file without loading it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::validator {

/// Names of the defined global and weak symbols in the dynamic symbol table, sorted.
/// errors  kInput: no 64-bit ELF file of this machine's byte order, or tables that lead out of the file
Result<std::vector<std::string>> exported_symbols(const std::filesystem::path& library);

}  // namespace assay::validator
