#include "dump/npy.hpp"

#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "dump/npy_header.hpp"
#include "dump/tensor_bytes.hpp"

namespace assay {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct ElementType {
  assay_dtype dtype;
  bool swapped = false;
};

/// "<f4", "|b1", ">c16", "bfloat16"; nothing for types that hold no numbers.
std::optional<ElementType> element_type(std::string_view descr) {
  if (descr == "bfloat16") return ElementType{kBFloat16};
  if (descr.size() < 3) return std::nullopt;
  const std::string_view rest = descr.substr(1);
  ElementType type;
  if (descr.front() == '>') {
    type.swapped = true;
  } else if (descr.front() != '<' && descr.front() != '|' && descr.front() != '=') {
    return std::nullopt;
  }
  static constexpr std::pair<std::string_view, assay_dtype> kTypes[] = {
      {"b1", kBool},    {"i1", kInt8},    {"i2", kInt16},     {"i4", kInt32},       {"i8", kInt64},
      {"u1", kUInt8},   {"u2", kUInt16},  {"u4", kUInt32},    {"u8", kUInt64},      {"f2", kFloat16},
      {"f4", kFloat32}, {"f8", kFloat64}, {"c8", kComplex64}, {"c16", kComplex128}, {"V2", kBFloat16},
  };
  for (const auto& [name, dtype] : kTypes) {
    if (rest == name) {
      type.dtype = dtype;
      return type;
    }
  }
  return std::nullopt;
}

Failure dtype_failure(const std::string& descr) {
  const std::string name = "'" + escape_control(descr) + "'";
  const char kind = descr.size() < 2 ? '\0' : descr[1];
  if (kind == 'U' || kind == 'S' || kind == 'a') return input_failure("holds text (dtype " + name + "), expected numbers");
  if (kind == 'O') return input_failure("holds pickled Python objects (dtype " + name + "), which are never read");
  return input_failure("dtype " + name + " is not supported");
}

struct Layout {
  std::string_view header;
  std::size_t data_offset = 0;
};

Result<Layout> split_file(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic) return input_failure("does not begin as a .npy file does");
  if (bytes.size() < kMagic.size() + 4)
    return input_failure("ends inside the header, after " + std::to_string(bytes.size()) + " bytes");
  const auto byte = [&bytes](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t major = byte(6);
  if (major < 1 || major > 3) return input_failure("version " + std::to_string(major) + " of the .npy format, expected 1, 2 or 3");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = kMagic.size() + 2 + length_bytes;
  if (bytes.size() < begin) return input_failure("ends inside the header, after " + std::to_string(bytes.size()) + " bytes");
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte(kMagic.size() + 2 + i) << (8 * i);
  if (length > bytes.size() - begin) {
    return input_failure("names a header of " + std::to_string(length) + " bytes, the file has " +
                         std::to_string(bytes.size() - begin));
  }
  return Layout{bytes.substr(begin, length), begin + length};
}

}  // namespace

Result<Tensor> read_npy(const MappedFile& file) {
  const Result<Layout> layout = split_file(file.text());
  if (!layout) return layout.failure();
  Result<NpyHeader> header = parse_npy_header(layout->header);
  if (!header) return header.failure();
  const std::optional<ElementType> type = element_type(header->descr);
  if (!type) return dtype_failure(header->descr);

  StoredTensor stored;
  stored.dtype = type->dtype;
  stored.swapped = type->swapped;
  stored.shape = std::move(header->shape);
  if (header->fortran_order) {
    std::int64_t stride = 1;
    for (const std::int64_t size : stored.shape) {
      stored.strides.push_back(stride);
      if (__builtin_mul_overflow(stride, size == 0 ? 1 : size, &stride))
        return input_failure("shape " + format_shape(stored.shape) + " is too large");
    }
  }
  stored.bytes = file.text().substr(layout->data_offset);
  stored.owner = file.owner();
  return make_tensor(std::move(stored));
}

}  // namespace assay
