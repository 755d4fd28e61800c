// Reason codes of `assay watch` beside those of `assay perturb`. Texts: configs/standards/reasons.json.
#pragma once

namespace assay::code {

inline constexpr const char* kNanBorn = "ASSAY-WCH-001";
inline constexpr const char* kInfinityBorn = "ASSAY-WCH-002";
inline constexpr const char* kInputModified = "ASSAY-WCH-003";
inline constexpr const char* kPeerInconsistent = "ASSAY-WCH-004";

}  // namespace assay::code
