#include "dump/tensor_file.hpp"

#include <string>
#include <string_view>

#include "base/files.hpp"
#include "base/text.hpp"
#include "dump/npy.hpp"
#include "dump/pt.hpp"
#include "dump/tensor_bytes.hpp"

namespace assay {

namespace {

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

Result<Tensor> read_tensor_of_pt(const MappedFile& file) {
  Result<Value> value = read_pt(file);
  if (!value) return value.failure();
  const auto* tensor = value->get_if<Tensor>();
  if (tensor == nullptr) return input_failure("holds an object that is not a tensor");
  return *tensor;
}

Result<Tensor> read_by_content(const MappedFile& file) {
  const std::string_view bytes = file.text();
  if (bytes.empty()) return input_failure("the file is empty");
  if (starts_with(bytes, "\x93NUMPY")) return read_npy(file);
  if (starts_with(bytes, "PK\x03\x04")) return read_tensor_of_pt(file);
  if (is_legacy_pt(file)) {
    return input_failure("a file of torch.save's old format (no zip archive); load it in PyTorch 1.6 or later and save it again");
  }
  return input_failure("neither a .npy nor a .pt file");
}

/// Whether a dtype is one that NumPy lacks, so that files hold it as float32.
bool stored_as_float32(assay_dtype dtype) { return dtype == kBFloat16 || dtype == kFloat8E4M3FN || dtype == kFloat8E5M2; }

/// Without the file's name in messages. Throws Error(ASSAY_OUT_OF_MEMORY).
Result<Tensor> read_as(const MappedFile& file, const TensorElement& element) {
  Result<Tensor> tensor = read_by_content(file);
  if (!tensor) return tensor;
  if (tensor->shape() != element.shape) {
    return input_failure("the file has shape " + format_shape(tensor->shape()) + ", dump.json says " + format_shape(element.shape));
  }
  if (tensor->dtype() == *element.dtype) return tensor;
  if (tensor->dtype() == kFloat32 && stored_as_float32(*element.dtype)) return convert_floats(*tensor, *element.dtype);
  return input_failure("the file has dtype " + std::string(dtype_name(tensor->dtype())) + ", dump.json says '" +
                       escape_control(element.dtype_text) + "'");
}

}  // namespace

Result<Tensor> load_tensor_file(const std::filesystem::path& path, const TensorElement& element) {
  const auto failure = [&path](const std::string& message) {
    return input_failure("read tensor '" + escape_control(path.filename().string()) + "': " + message);
  };
  if (!element.dtype) return failure("dtype '" + escape_control(element.dtype_text) + "' of dump.json is not supported");
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.failure();
  try {
    Result<Tensor> tensor = read_as(*file, element);
    return tensor ? tensor : failure(tensor.failure().message);
  } catch (const Error& error) {
    return failure(error.what());
  }
}

}  // namespace assay
