// A run as JSON: what was run, on what, with which versions, and how it ended (docs/results.md names the fields).
#pragma once

#include <rapidjson/document.h>

#include <string>

#include "report/sink.hpp"

namespace assay {

struct StoredRun {
  RunInfo info;
  RunSummary summary;
};

/// Indented; without a summary the run is marked as not complete.
std::string run_to_json(const RunInfo& info, const RunSummary* summary);

/// `origin` names the text in messages. errors  kInput: not the record of a run
Result<StoredRun> run_from_json(const rapidjson::Value& json, const std::string& origin);

}  // namespace assay
