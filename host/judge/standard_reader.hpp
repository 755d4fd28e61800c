// From the JSON of a standard to the judge's model; problems are gathered in the cursor.
#pragma once

#include "judge/json_cursor.hpp"
#include "judge/standard_model.hpp"

namespace assay {

/// The whole file.
void read_standard(JsonCursor& root, Standard::Body& out);

/// A pipeline's overrides, merged over `out`: "rules" come before the standard's, "apis" change single APIs, policies replace.
void read_overrides(JsonCursor& root, Standard::Body& out);

/// One entry of "kinds".
Kind read_kind(JsonCursor& at);

/// Which argument of a call is meant: an object with `position`, `name`, `default`.
ArgumentSpec read_argument(JsonCursor& at);
std::optional<ArgumentSpec> read_argument(JsonCursor& parent, const char* key);

DTypeSet read_dtypes(JsonCursor& at, const char* key);

}  // namespace assay
