// Perturbation stages of a configuration document.
#pragma once

#include <rapidjson/document.h>

#include <vector>

#include "perturb/perturbation_chain.hpp"

namespace assay {

/// One member of "perturbations"; the document is valid against its schema.
PerturbationStage read_stage(const rapidjson::Value& json);

/// The peer's mode for every part of the stages. errors  kInput: a part has a configuration of its own
Status make_compatible(std::vector<PerturbationStage>& stages);

}  // namespace assay
