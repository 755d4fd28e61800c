#include "compare/result_set.hpp"

#include <unordered_set>

namespace assay {

namespace {

std::string key_of(std::string_view stem, bool backward) { return std::string(stem) + (backward ? ".backward" : ".forward"); }

}  // namespace

std::optional<OutputName> parse_output_name(std::string_view name) {
  for (const auto& [word, backward] :
       {std::pair(std::string_view(".forward"), false), std::pair(std::string_view(".backward"), true)}) {
    const std::size_t at = name.rfind(word);
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view rest = name.substr(at + word.size());
    if (!rest.empty() && rest.front() != '.') continue;
    return OutputName{name.substr(0, at), backward, rest.empty() ? rest : rest.substr(1)};
  }
  return std::nullopt;
}

std::string_view api_of_stem(std::string_view stem) { return stem.substr(0, stem.rfind('.')); }

DirectionEntry& ResultSet::add(std::string_view stem, bool backward) {
  const auto [found, is_new] = index_.try_emplace(key_of(stem, backward), directions_.size());
  if (is_new) {
    DirectionEntry& entry = directions_.emplace_back();
    entry.stem = stem;
    entry.backward = backward;
  }
  return directions_[found->second];
}

const DirectionEntry* ResultSet::find(const std::string& stem, bool backward) const {
  const auto found = index_.find(key_of(stem, backward));
  return found == index_.end() ? nullptr : &directions_[found->second];
}

std::size_t ResultSet::api_count() const {
  std::unordered_set<std::string_view> stems;
  for (const DirectionEntry& entry : directions_) stems.insert(entry.stem);
  return stems.size();
}

}  // namespace assay
