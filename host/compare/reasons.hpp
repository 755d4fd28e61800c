// Reason codes of `assay compare`; texts in configs/standards/reasons.json.
#pragma once

namespace assay::reason {

inline constexpr const char* kOnlyTested = "ASSAY-DIF-001";    ///< only the tested side has the call or direction
inline constexpr const char* kOnlyBaseline = "ASSAY-DIF-002";  ///< only the baseline has it

}  // namespace assay::reason
