// Dtypes and devices as dumps of the frameworks spell them.
//
//   parse_dtype("torch.bfloat16")  // kBFloat16
//   parse_dtype("Float32")         // kFloat32
#pragma once

#include <optional>
#include <string_view>

#include "assay/sdk/dtype.hpp"

namespace assay {

/// Nothing for a dtype that we don't have (4-bit types, quantised types, HiFloat8, ...).
std::optional<assay_dtype> parse_dtype(std::string_view text);

/// "cpu", "cuda:1", "npu:None". Nothing for "meta" and what is no device.
std::optional<assay_device> parse_device(std::string_view text);

}  // namespace assay
