// Recorded values as values on the device, and back.
#pragma once

#include "assay/sdk/value.hpp"
#include "datum.hpp"
#include "runner.hpp"

namespace assay::npu {

struct UploadOptions {
  bool widen = false;  ///< floating types of fewer bits become float32
};

/// Throws Error(ASSAY_UNSUPPORTED) for what no operator takes (a slice, a dict).
Datum upload(Runner& runner, const assay_value& value, const UploadOptions& options);

/// After the device was waited for. Tensors must be compact.
Value download(Device& device, const Datum& datum);

}  // namespace assay::npu
