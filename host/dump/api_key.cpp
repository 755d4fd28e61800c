#include "dump/api_key.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.hpp"

namespace assay {

namespace {

bool is_name_part(std::string_view part) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !part.empty() && letter(part.front()) &&
         std::all_of(part.begin(), part.end(), [&](char c) { return letter(c) || digit(c); });
}

}  // namespace

Result<ApiKey> parse_api_key(std::string_view key) {
  const std::vector<std::string_view> parts = split(key, '.');
  if (parts.front() == "Module" || parts.front() == "Cell") return input_failure("a module's entry; only API calls are replayed");
  const bool backward = parts.back() == "backward";
  if (!backward && parts.back() != "forward") {
    return input_failure("ends in neither '.forward' nor '.backward'");
  }
  const std::size_t count = parts.size() - 1;
  if (count < 3 || count > 4) {
    return input_failure(std::to_string(count) + " parts before the direction, expected 3 or 4 (Type.name.index)");
  }
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (!is_name_part(parts[i])) return input_failure("'" + escape_control(parts[i]) + "' can't be part of an API name");
  }
  const std::string_view number = parts[count - 1];
  ApiKey parsed;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), parsed.index);
  if (number.empty() || error != std::errc() || end != number.data() + number.size() || parsed.index < 0) {
    return input_failure("'" + escape_control(number) + "' before the direction is not a call index");
  }
  parsed.stem = key.substr(0, key.size() - parts.back().size() - 1);
  parsed.api = parsed.stem.substr(0, parsed.stem.size() - number.size() - 1);
  parsed.type = parts.front();
  parsed.backward = backward;
  return parsed;
}

}  // namespace assay
