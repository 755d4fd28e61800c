#include "report/html/run_section.hpp"

#include <filesystem>

namespace assay::html {

std::string side_text(const SideInfo& side) {
  if (side.source == "recorded") return "outputs recorded in " + (side.details.empty() ? "the dump" : side.details);
  return side.source + ", " + side.framework + " " + side.version + ", " + side.precision;
}

std::string run_section(const std::string& command, const std::vector<Fact>& facts, const std::vector<SkippedKey>& skipped_keys,
                        const std::string& config_json) {
  std::string text = preformatted(command) + fact_list(facts);
  if (!skipped_keys.empty()) {
    text += "<details><summary>" + std::to_string(skipped_keys.size()) + " keys of the dump are not calls</summary><ul>\n";
    for (const SkippedKey& key : skipped_keys) text += "<li>" + escape(key.key + ": " + key.reason) + "</li>\n";
    text += "</ul></details>\n";
  }
  if (config_json.empty()) return text;
  return text + "<details><summary>configuration</summary>" + preformatted(config_json) + "</details>\n";
}

std::string page_title(const std::string& dump_path) {
  return "assay: " + std::filesystem::path(dump_path).parent_path().filename().string();
}

}  // namespace assay::html
