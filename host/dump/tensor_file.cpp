#include "dump/tensor_file.hpp"

#include <string>
#include <string_view>

#include "base/files.hpp"
#include "base/text.hpp"
#include "dump/npy.hpp"
#include "dump/tensor_bytes.hpp"

namespace assay {

namespace {

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

Result<Tensor> read_by_content(const MappedFile& file) {
  const std::string_view bytes = file.text();
  if (bytes.empty()) return input_failure("the file is empty");
  if (starts_with(bytes, "\x93NUMPY")) return read_npy(file);
  return input_failure("neither a .npy nor a .pt file");
}

/// Whether a dtype is one that NumPy lacks, so that files hold it as float32.
bool stored_as_float32(assay_dtype dtype) { return dtype == kBFloat16 || dtype == kFloat8E4M3FN || dtype == kFloat8E5M2; }

}  // namespace

Result<Tensor> load_tensor_file(const std::filesystem::path& path, const TensorElement& element) {
  const auto failure = [&path](const std::string& message) {
    return input_failure("read tensor '" + escape_control(path.filename().string()) + "': " + message);
  };
  if (!element.dtype) return failure("dtype '" + escape_control(element.dtype_text) + "' of dump.json is not supported");
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.failure();
  Result<Tensor> tensor = read_by_content(*file);
  if (!tensor) return failure(tensor.failure().message);
  if (tensor->shape() != element.shape) {
    return failure("the file has shape " + format_shape(tensor->shape()) + ", dump.json says " + format_shape(element.shape));
  }
  if (tensor->dtype() == *element.dtype) return tensor;
  if (tensor->dtype() == kFloat32 && stored_as_float32(*element.dtype)) return convert_floats(*tensor, *element.dtype);
  return failure("the file has dtype " + std::string(dtype_name(tensor->dtype())) + ", dump.json says '" +
                 escape_control(element.dtype_text) + "'");
}

}  // namespace assay
