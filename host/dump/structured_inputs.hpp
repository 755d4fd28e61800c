// APIs whose inputs need a structure that numbers between Min and Max don't have (configs/apis/structured_inputs.json).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay {

class StructuredInputs {
 public:
  /// errors  kInput: file + JSON pointer
  static Result<StructuredInputs> load(const std::filesystem::path& path);

  /// What the API's inputs have to be ("a positive definite matrix"); empty: nothing special.
  /// api  as recorded; its last part decides
  [[nodiscard]] std::string_view need(std::string_view api) const;

  /// Whether the argument is an index of which negative values mean "ignore".
  [[nodiscard]] bool is_index_with_ignored(std::string_view api, const std::string& path) const;

 private:
  std::map<std::string, std::string, std::less<>> needs_;
  std::map<std::string, std::vector<std::string>, std::less<>> ignored_;
};

}  // namespace assay
