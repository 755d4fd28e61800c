// One entry of a dump (the forward or backward half of a call) from its JSON text.
#pragma once

#include <string_view>

#include "dump/recorded.hpp"

namespace assay {

/// json  the entry's value; any text
/// key   its name, for messages
/// A faulty entry gives a direction with `error`: "/data/Torch.add.0.forward/input_args/0/shape: expected a list, got null".
RecordedDirection decode_entry(std::string_view json, std::string_view key, bool backward);

}  // namespace assay
