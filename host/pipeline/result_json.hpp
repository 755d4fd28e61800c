// One API's result as one line of JSON: what workers send, what is durable on disk, what reports are rebuilt from.
//
// {"position": 3, "stem": "Mint.add.0", "api": "Mint.add", "forward": {...}, "backward": {...}}; a direction that the dump does not
// have is absent. Numbers that JSON lacks are the strings "nan", "inf" and "-inf"; absent metrics are null. docs/results.md names
// every field.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "pipeline/results.hpp"

namespace assay {

/// Without a line end.
std::string result_to_json(const ApiResult& result);

/// errors  kInput: not JSON, a field missing or of the wrong type
Result<ApiResult> result_from_json(std::string_view line);

}  // namespace assay
