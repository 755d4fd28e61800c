// assay/sdk/dtype.hpp: the element types by name, and their sizes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "assay/abi/tensor.h"

namespace assay {

constexpr bool operator==(assay_dtype l, assay_dtype r) { return l.code == r.code && l.bits == r.bits && l.lanes == r.lanes; }
constexpr bool operator!=(assay_dtype l, assay_dtype r) { return !(l == r); }

constexpr assay_dtype make_dtype(int code, int bits) {
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
}

inline constexpr assay_dtype kBool = make_dtype(ASSAY_DTYPE_BOOL, 8);
inline constexpr assay_dtype kInt8 = make_dtype(ASSAY_DTYPE_INT, 8);
inline constexpr assay_dtype kInt16 = make_dtype(ASSAY_DTYPE_INT, 16);
inline constexpr assay_dtype kInt32 = make_dtype(ASSAY_DTYPE_INT, 32);
inline constexpr assay_dtype kInt64 = make_dtype(ASSAY_DTYPE_INT, 64);
inline constexpr assay_dtype kUInt8 = make_dtype(ASSAY_DTYPE_UINT, 8);
inline constexpr assay_dtype kUInt16 = make_dtype(ASSAY_DTYPE_UINT, 16);
inline constexpr assay_dtype kUInt32 = make_dtype(ASSAY_DTYPE_UINT, 32);
inline constexpr assay_dtype kUInt64 = make_dtype(ASSAY_DTYPE_UINT, 64);
inline constexpr assay_dtype kFloat16 = make_dtype(ASSAY_DTYPE_FLOAT, 16);
inline constexpr assay_dtype kBFloat16 = make_dtype(ASSAY_DTYPE_BFLOAT, 16);
inline constexpr assay_dtype kFloat32 = make_dtype(ASSAY_DTYPE_FLOAT, 32);
inline constexpr assay_dtype kFloat64 = make_dtype(ASSAY_DTYPE_FLOAT, 64);
inline constexpr assay_dtype kFloat8E4M3FN = make_dtype(ASSAY_DTYPE_FLOAT8_E4M3FN, 8);
inline constexpr assay_dtype kFloat8E5M2 = make_dtype(ASSAY_DTYPE_FLOAT8_E5M2, 8);
inline constexpr assay_dtype kComplex32 = make_dtype(ASSAY_DTYPE_COMPLEX, 32);
inline constexpr assay_dtype kComplex64 = make_dtype(ASSAY_DTYPE_COMPLEX, 64);
inline constexpr assay_dtype kComplex128 = make_dtype(ASSAY_DTYPE_COMPLEX, 128);

struct DTypeName {
  assay_dtype dtype;
  std::string_view name;
};

/// Every dtype the product knows, by its plain name.
inline constexpr std::array<DTypeName, 18> kDTypeNames{{{kBool, "bool"},
                                                        {kInt8, "int8"},
                                                        {kInt16, "int16"},
                                                        {kInt32, "int32"},
                                                        {kInt64, "int64"},
                                                        {kUInt8, "uint8"},
                                                        {kUInt16, "uint16"},
                                                        {kUInt32, "uint32"},
                                                        {kUInt64, "uint64"},
                                                        {kFloat16, "float16"},
                                                        {kBFloat16, "bfloat16"},
                                                        {kFloat32, "float32"},
                                                        {kFloat64, "float64"},
                                                        {kFloat8E4M3FN, "float8_e4m3fn"},
                                                        {kFloat8E5M2, "float8_e5m2"},
                                                        {kComplex32, "complex32"},
                                                        {kComplex64, "complex64"},
                                                        {kComplex128, "complex128"}}};

/// "float32"; "unknown" for a dtype outside the table.
constexpr std::string_view dtype_name(assay_dtype dtype) {
  for (const auto& entry : kDTypeNames) {
    if (entry.dtype == dtype) return entry.name;
  }
  return "unknown";
}

constexpr std::optional<assay_dtype> dtype_from_name(std::string_view name) {
  for (const auto& entry : kDTypeNames) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

/// Bytes of one element.
constexpr std::size_t dtype_size(assay_dtype dtype) { return static_cast<std::size_t>(dtype.bits) * dtype.lanes / 8; }

constexpr bool is_complex(assay_dtype dtype) { return dtype.code == ASSAY_DTYPE_COMPLEX; }
/// A real floating-point type of any width.
constexpr bool is_floating(assay_dtype dtype) {
  return dtype.code == ASSAY_DTYPE_FLOAT || dtype.code == ASSAY_DTYPE_BFLOAT || dtype.code == ASSAY_DTYPE_FLOAT8_E4M3FN ||
         dtype.code == ASSAY_DTYPE_FLOAT8_E5M2;
}
/// Signed or unsigned integer, not bool.
constexpr bool is_integer(assay_dtype dtype) { return dtype.code == ASSAY_DTYPE_INT || dtype.code == ASSAY_DTYPE_UINT; }

}  // namespace assay
