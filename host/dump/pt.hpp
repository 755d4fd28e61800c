// Reads what torch.save writes (the zip format): tensors, parameters, and containers of them. Executes nothing.
#pragma once

#include "assay/sdk/value.hpp"
#include "base/files.hpp"
#include "base/result.hpp"

namespace assay {

/// The saved object. Tensors point into the mapping where the archive stores them plainly, aligned and in native byte order.
/// file  any bytes
/// errors  kInput: no such archive, names other than tensors need (the name is given), storages that don't fit the file, views that
///         don't fit their storage; the message has no file name
Result<Value> read_pt(const MappedFile& file);

/// Whether the bytes begin as files of torch.save before version 1.6 do.
bool is_legacy_pt(const MappedFile& file);

}  // namespace assay
