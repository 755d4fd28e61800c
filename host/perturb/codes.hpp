// Reason codes of `assay perturb`. Texts: configs/standards/reasons.json.
#pragma once

namespace assay::code {

inline constexpr const char* kUnstable = "ASSAY-PRT-001";
inline constexpr const char* kNonDeterministic = "ASSAY-PRT-002";
inline constexpr const char* kLeftDomain = "ASSAY-PRT-003";
inline constexpr const char* kUnperturbed = "ASSAY-PRT-004";
inline constexpr const char* kNotEligible = "ASSAY-PRT-005";
inline constexpr const char* kNoInputs = "ASSAY-PRT-006";
inline constexpr const char* kEngineRefused = "ASSAY-PRT-007";
inline constexpr const char* kPerturbedCallRefused = "ASSAY-PRT-008";
inline constexpr const char* kOtherStructure = "ASSAY-PRT-009";
inline constexpr const char* kPerturbationFailed = "ASSAY-PRT-010";

}  // namespace assay::code
