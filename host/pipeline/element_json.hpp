// The worst element of an output in lines of JSON: {"index": [0, 3], "actual": "1.5", "expected": "1.25", "ulp": 2097152}.
#pragma once

#include "config/json_fields.hpp"
#include "judge/judge.hpp"

namespace assay {

void write_element(LineWriter& writer, const WorstElement& element);

/// `what` names the field in messages. Throws std::runtime_error.
WorstElement read_element(const rapidjson::Value& object, const char* what);

}  // namespace assay
