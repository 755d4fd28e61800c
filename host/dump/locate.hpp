// Finds the files of a recorded run: dump.json below a folder, the folder of its tensors, a tensor file by its recorded name.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "dump/dump.hpp"

namespace assay {

/// path  dump.json itself, a folder that holds it, or one with step*/rank*/
/// errors  kInput: nothing there, several steps or ranks without a choice, a choice that is not there
Result<std::filesystem::path> locate_json(const std::filesystem::path& path, const DumpOptions& options);

/// The recorded folder if it exists (relative: to the folder of dump.json), else `dump_tensor_data` beside dump.json.
std::filesystem::path locate_tensor_dir(const std::filesystem::path& json_path, const std::string& recorded);

/// The file `name` in `folder`, links resolved.
/// errors  kInput: no such file; absolute; leaves the folder by '..' or by a link
Result<std::filesystem::path> locate_tensor_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace assay
