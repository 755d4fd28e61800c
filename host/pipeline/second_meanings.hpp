// Recorded names that stand for two APIs (configs/apis/second_meanings.json): a recorder writes torch.vander and
// torch.linalg.vander both as "Torch.vander", and x[0, 2] like x[[0, 2]].
//
//   SecondMeanings meanings = *SecondMeanings::load(path);
//   meanings.of("Torch.vander");  // "Torch.linalg.vander"
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/result.hpp"

namespace assay {

class SecondMeanings {
 public:
  /// errors  kInput: file + JSON pointer
  static Result<SecondMeanings> load(const std::filesystem::path& path);

  /// The other API that the name can stand for; empty: there is none.
  [[nodiscard]] const std::string& of(const std::string& api) const;

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace assay
