// The names that a dump gives to API calls.
//
//   parse_api_key("Torch.linalg.norm.0.forward")  // stem "Torch.linalg.norm.0", type "Torch", api "Torch.linalg.norm"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

struct ApiKey {
  std::string_view stem;  ///< borrowed from the key, like the other texts
  std::string_view type;
  std::string_view api;
  std::int64_t index = 0;
  bool backward = false;
};

/// errors  kInput: why the key is no API call (a module's entry, no direction at its end, characters that no API name has, ...)
Result<ApiKey> parse_api_key(std::string_view key);

}  // namespace assay
