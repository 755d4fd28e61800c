#include "dump/npy_writer.hpp"

#include <cstring>
#include <vector>

#include "base/text.hpp"

namespace assay {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

/// Empty: NumPy lacks the type.
std::string descr_of(assay_dtype dtype) {
  static constexpr std::pair<assay_dtype, const char*> kTypes[] = {
      {kBool, "|b1"},    {kInt8, "|i1"},    {kInt16, "<i2"},     {kInt32, "<i4"},       {kInt64, "<i8"},
      {kUInt8, "|u1"},   {kUInt16, "<u2"},  {kUInt32, "<u4"},    {kUInt64, "<u8"},      {kFloat16, "<f2"},
      {kFloat32, "<f4"}, {kFloat64, "<f8"}, {kComplex64, "<c8"}, {kComplex128, "<c16"},
  };
  for (const auto& [known, descr] : kTypes) {
    if (known == dtype) return descr;
  }
  return {};
}

bool widens(assay_dtype dtype) { return dtype == kBFloat16 || dtype == kFloat8E4M3FN || dtype == kFloat8E5M2; }

std::string header_of(const std::string& descr, const std::vector<std::int64_t>& shape) {
  std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + format_shape(shape) + ", }";
  const std::size_t unpadded = 10 + dictionary.size() + 1;
  dictionary += std::string((64 - unpadded % 64) % 64, ' ') + "\n";
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dictionary.size() & 0xff);
  out += static_cast<char>(dictionary.size() >> 8);
  return out + dictionary;
}

}  // namespace

std::uint64_t npy_size(const TensorView& tensor) {
  const std::size_t item = widens(tensor.dtype()) ? 4 : dtype_size(tensor.dtype());
  return 128 + static_cast<std::uint64_t>(tensor.numel()) * item;
}

Status write_npy(const TensorView& tensor, const std::function<Status(std::string_view)>& write) {
  const bool wide = widens(tensor.dtype());
  const std::string descr = wide ? "<f4" : descr_of(tensor.dtype());
  if (descr.empty()) return unsupported("write a .npy file: no such file has dtype " + std::string(dtype_name(tensor.dtype())));
  if (Status s = write(header_of(descr, tensor.shape())); !s) return s;
  const std::size_t item = dtype_size(tensor.dtype());
  std::string piece;
  Status status = Done{};
  tensor.for_each_offset([&](std::int64_t, std::int64_t offset) {
    if (wide) {
      const auto number = static_cast<float>(tensor.number_at(offset));
      piece.append(reinterpret_cast<const char*>(&number), sizeof number);
    } else {
      piece.append(static_cast<const char*>(tensor.data()) + offset * static_cast<std::int64_t>(item), item);
    }
    if (piece.size() < kPiece) return;
    if (status) status = write(piece);
    piece.clear();
  });
  return status ? write(piece) : status;
}

}  // namespace assay
