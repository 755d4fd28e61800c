// Reason codes of directions that could not be judged; `assay explain CODE` tells more.
#pragma once

namespace assay::reason {

inline constexpr const char* kEntryFaulty = "ASSAY-RUN-001";    ///< the dump's entry can't be decoded
inline constexpr const char* kNotReplayable = "ASSAY-RUN-002";  ///< an argument was not recorded well enough to replay it
inline constexpr const char* kFileDamaged = "ASSAY-RUN-003";    ///< a tensor file is missing or damaged
inline constexpr const char* kReferenceLacksApi =
    "ASSAY-RUN-004";  ///< the reference doesn't have the API, or no kernel for the call
inline constexpr const char* kReferenceRefused = "ASSAY-RUN-005";   ///< the reference refused the arguments
inline constexpr const char* kReferenceFailed = "ASSAY-RUN-006";    ///< the reference broke down
inline constexpr const char* kTargetLacksApi = "ASSAY-RUN-007";     ///< the target doesn't have the API, or no kernel for the call
inline constexpr const char* kTargetFailed = "ASSAY-RUN-008";       ///< the target refused or broke down where the reference ran
inline constexpr const char* kNothingRecorded = "ASSAY-RUN-009";    ///< the dump holds no outputs to compare
inline constexpr const char* kGradientsUnpaired = "ASSAY-RUN-010";  ///< recorded and computed gradients can't be paired
inline constexpr const char* kNoForward = "ASSAY-RUN-011";          ///< a backward entry without its forward entry
inline constexpr const char* kWorkerDied = "ASSAY-RUN-012";         ///< the worker process crashed or left during the call
inline constexpr const char* kTimeout = "ASSAY-RUN-013";            ///< the call was not finished in time
inline constexpr const char* kOutOfMemory = "ASSAY-RUN-014";  ///< the call needs more memory than there is, or than --memory allows
inline constexpr const char* kDuplicate = "ASSAY-RUN-015";    ///< --dedup: another call of the run stands for this one

inline constexpr const char* kInputChanged = "ASSAY-RUN-016";     ///< the target changed an argument, the reference didn't
inline constexpr const char* kInputNotChanged = "ASSAY-RUN-017";  ///< the reference changed an argument, the target didn't

}  // namespace assay::reason
