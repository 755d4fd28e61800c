// One pass over dump.json: its header, and where in the text the entries of each API call lie.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "dump/dump.hpp"
#include "dump/name_table.hpp"

namespace assay {

/// The entries of one call, as pieces of the text; empty: there is no such entry.
struct CallSpans {
  std::string_view forward;
  std::string_view backward;
};

struct JsonIndex {
  DumpHeader header;
  NameTable stems;
  std::vector<CallSpans> calls;  ///< by the stem's number
  std::vector<SkippedKey> skipped;
};

/// `passed` is called after every entry, with how many bytes were read since it was called last.
/// errors  kInput: see Dump::open; the message has no file name
Result<JsonIndex> index_json(std::string_view text, const std::function<void(std::size_t)>& passed);

}  // namespace assay
