#include "rebuild/baseline.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "report/html/markup.hpp"
#include "report/markdown.hpp"

namespace assay {

namespace {

constexpr std::size_t kMaxRows = 200;
constexpr std::size_t kMaxMarkdownRows = 10;

std::string name_of(const Change& change) { return change.stem + (change.backward ? ".backward" : ".forward"); }

std::string counts_text(const Comparison& comparison) {
  const auto counts = comparison.counts();
  std::vector<std::string> parts;
  for (std::size_t kind = 0; kind < kChangeKindCount; ++kind) {
    parts.push_back(std::to_string(counts[kind]) + " " + change_name(static_cast<ChangeKind>(kind)));
  }
  return join(parts, ", ");
}

/// Everything but what is the same, in the order in which kinds are shown.
std::vector<const Change*> notable(const Comparison& comparison) {
  std::vector<const Change*> out;
  for (const Change& change : comparison.changes) {
    if (change.kind != ChangeKind::kSame) out.push_back(&change);
  }
  std::stable_sort(out.begin(), out.end(), [](const Change* l, const Change* r) { return l->kind < r->kind; });
  return out;
}

}  // namespace

std::string baseline_html(const Comparison& comparison) {
  std::string body = html::fact_list({{"baseline", comparison.baseline.path}, {"directions", counts_text(comparison)}});
  if (!comparison.settings.empty()) {
    html::Table settings({{"setting"}, {"here"}, {"baseline"}});
    for (const SettingDifference& difference : comparison.settings) {
      settings.row({html::cell(difference.setting), html::cell(difference.tested), html::cell(difference.baseline)});
    }
    body += "<details><summary>" + std::to_string(comparison.settings.size()) + " settings differ</summary>" + settings.str() +
            "</details>\n";
  }
  const std::vector<const Change*> changes = notable(comparison);
  if (!changes.empty()) {
    html::Table table({{"call"}, {"change"}, {"here"}, {"baseline"}, {"what"}});
    for (std::size_t i = 0; i < std::min(changes.size(), kMaxRows); ++i) {
      const Change& change = *changes[i];
      table.row({"<td data-filter=\"" + html::escape(name_of(change)) + "\">" + html::escape(name_of(change)) + "</td>",
                 html::cell(change_name(change.kind)), html::verdict_cell(change.tested), html::verdict_cell(change.baseline),
                 html::cell(change.message)});
    }
    body += table.str();
  }
  if (changes.size() > kMaxRows) {
    body += "<p class=\"hint\">" + std::to_string(changes.size() - kMaxRows) + " more; `assay compare` writes all of them.</p>\n";
  }
  return html::section("baseline", "Against the baseline", "", body);
}

std::string baseline_markdown(const Comparison& comparison) {
  std::string text = "Against the baseline " + markdown_code(comparison.baseline.path) + ": " + counts_text(comparison) + ".\n\n";
  const std::vector<const Change*> changes = notable(comparison);
  if (changes.empty()) return text;
  text += "| call | change | verdict | what |\n| --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < std::min(changes.size(), kMaxMarkdownRows); ++i) {
    const Change& change = *changes[i];
    text += "| " + markdown_code(name_of(change)) + " | " + change_name(change.kind) + " | " +
            std::string(verdict_name(change.baseline)) + " → " + std::string(verdict_name(change.tested)) + " | " +
            markdown_text(change.message) + " |\n";
  }
  if (changes.size() > kMaxMarkdownRows) text += "\nand " + std::to_string(changes.size() - kMaxMarkdownRows) + " more.\n";
  return text + "\n";
}

}  // namespace assay
