// What a perturbing worker sends, as JSON: a call's report, a run's description, the answers of preheating.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "perturb/perturb_sink.hpp"
#include "perturb/preheat_pass.hpp"

namespace assay {

std::string report_to_json(const PerturbReport& report);
/// errors  kInput: not JSON, a field missing or of the wrong type
Result<PerturbReport> report_from_json(std::string_view text);

std::string info_to_json(const PerturbInfo& info);
/// errors  kInput: as above
Result<PerturbInfo> info_from_json(const rapidjson::Value& json);

std::string answers_to_json(const std::vector<PreheatAnswer>& answers);
/// errors  kInput: as above
Result<std::vector<PreheatAnswer>> answers_from_json(std::string_view text);

std::string thresholds_to_json(const Preheat::Thresholds& thresholds);
/// errors  kInput: as above
Result<Preheat::Thresholds> thresholds_from_json(std::string_view text);

}  // namespace assay
