// The reason codes that the judge itself gives; rules bring their own. Texts: configs/standards/reasons.json.
#pragma once

namespace assay::code {

inline constexpr const char* kMissingOutput = "ASSAY-CMP-001";
inline constexpr const char* kExtraOutput = "ASSAY-CMP-002";
inline constexpr const char* kKindDiffers = "ASSAY-CMP-003";
inline constexpr const char* kShapeDiffers = "ASSAY-CMP-004";
inline constexpr const char* kDTypeDiffers = "ASSAY-CMP-005";
inline constexpr const char* kValueDiffers = "ASSAY-CMP-006";
inline constexpr const char* kNotComparable = "ASSAY-CMP-007";
inline constexpr const char* kOneSidedGradient = "ASSAY-CMP-008";
inline constexpr const char* kEmpty = "ASSAY-CMP-009";
inline constexpr const char* kComparisonFailed = "ASSAY-CMP-010";
inline constexpr const char* kNotCounted = "ASSAY-CMP-011";
inline constexpr const char* kToleranceExceeded = "ASSAY-CMP-012";
inline constexpr const char* kOutsideRegion = "ASSAY-CMP-013";
inline constexpr const char* kConditioning = "ASSAY-CMP-014";
inline constexpr const char* kUninitialised = "ASSAY-CMP-015";
inline constexpr const char* kFactorGradient = "ASSAY-CMP-016";
inline constexpr const char* kZeroShare = "ASSAY-CMP-030";
inline constexpr const char* kSurvivors = "ASSAY-CMP-031";
inline constexpr const char* kDistribution = "ASSAY-CMP-032";
inline constexpr const char* kRandomRange = "ASSAY-CMP-033";
inline constexpr const char* kRandomAgrees = "ASSAY-CMP-034";
inline constexpr const char* kTie = "ASSAY-CMP-035";
inline constexpr const char* kIndexDiffers = "ASSAY-CMP-036";
inline constexpr const char* kFactorsAgree = "ASSAY-CMP-037";
inline constexpr const char* kFactorsDiffer = "ASSAY-CMP-038";

}  // namespace assay::code
