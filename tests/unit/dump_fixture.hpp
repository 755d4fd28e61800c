// Dumps and tensor files made on the spot, for tests of the dump reader.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "dump/dump.hpp"

namespace assay {

/// A folder that goes away with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

 private:
  std::filesystem::path path_;
};

/// dump.json around the members of `data`.
inline std::string dump_text(std::string_view data, std::string_view framework = "pytorch", std::string_view folder = "null") {
  return R"({"task": "tensor", "level": "L1", "framework": ")" + std::string(framework) + R"(", "dump_data_dir": )" +
         std::string(folder) + R"(, "data": {)" + std::string(data) + "}}";
}

/// A .npy file, version 1, with the header as given.
inline std::string npy_bytes(const std::string& header, std::string_view data) {
  std::string padded = header;
  while ((10 + padded.size() + 1) % 64 != 0) padded += ' ';
  padded += '\n';
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\0';
  out += static_cast<char>(padded.size() & 0xff);
  out += static_cast<char>(padded.size() >> 8);
  return out + padded + std::string(data);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// The elements in row-major order.
inline std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> out;
  tensor.view().for_each_offset([&](std::int64_t, std::int64_t offset) { out.push_back(tensor.view().number_at(offset)); });
  return out;
}

}  // namespace assay
