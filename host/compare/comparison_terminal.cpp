// The changes as a table that fits a screen.
#include <algorithm>
#include <cstdio>

#include "base/text.hpp"
#include "compare/comparison.hpp"

namespace assay {

namespace {

constexpr std::size_t kMaxShown = 20;  // of each kind
constexpr std::size_t kMaxNotes = 5;
constexpr std::size_t kMaxSettings = 10;
constexpr std::size_t kMaxNameWidth = 60;

class Printer {
 public:
  Printer(const Comparison& comparison, const PrintOptions& options) : comparison_(comparison), options_(options) {}

  void print() {
    std::printf("comparing %s%s\n", comparison_.what.c_str(),
                comparison_.standard.empty() ? "" : (", judged by " + escape_control(comparison_.standard)).c_str());
    side("tested", comparison_.tested);
    side("baseline", comparison_.baseline);
    settings();
    measure();
    for (std::size_t kind = 0; kind < kChangeKindCount; ++kind) {
      if (static_cast<ChangeKind>(kind) != ChangeKind::kSame) show(static_cast<ChangeKind>(kind));
    }
    summary();
    std::fflush(stdout);
  }

 private:
  static void side(const char* name, const ComparedSide& side) {
    std::printf("  %-9s %s, %zu APIs\n", name, escape_control(side.path).c_str(), side.apis);
    for (std::size_t i = 0; i < side.notes.size() && i < kMaxNotes; ++i) std::printf("    note: %s\n", side.notes[i].c_str());
    if (side.note_count > kMaxNotes) std::printf("    note: and %zu more, see compare.json\n", side.note_count - kMaxNotes);
  }

  void settings() const {
    const auto& all = comparison_.settings;
    for (std::size_t i = 0; i < all.size() && i < kMaxSettings; ++i) {
      std::printf("  differs   %s: tested %s, baseline %s\n", escape_control(all[i].setting).c_str(),
                  escape_control(all[i].tested).c_str(), escape_control(all[i].baseline).c_str());
    }
    if (all.size() > kMaxSettings) std::printf("  differs   %zu more settings, see compare.json\n", all.size() - kMaxSettings);
  }

  static std::string name_of(const Change& change) {
    return escape_control(change.stem) + (change.backward ? " backward" : " forward");
  }

  void measure() {
    for (const Change& change : comparison_.changes) {
      if (change.kind != ChangeKind::kSame) width_ = std::max(width_, std::min(name_of(change).size(), kMaxNameWidth));
    }
  }

  [[nodiscard]] std::string paint(const std::string& text, ChangeKind kind) const {
    const char* code = kind == ChangeKind::kWorse ? "31" : kind == ChangeKind::kBetter ? "32" : nullptr;
    return options_.color && code != nullptr ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }

  void show(ChangeKind kind) const {
    std::size_t count = 0;
    for (const Change& change : comparison_.changes) {
      if (change.kind != kind || ++count > kMaxShown) continue;
      std::string word = change_name(kind);
      word.resize(10, ' ');
      std::string name = name_of(change);
      if (name.size() < width_) name.resize(width_, ' ');
      std::printf("%s  %s  %s\n", paint(word, kind).c_str(), name.c_str(), said(change).c_str());
    }
    if (count > kMaxShown) std::printf("%-10s  and %zu more, see compare.csv\n", change_name(kind), count - kMaxShown);
  }

  /// "pass -> error: message", with the verdicts only where they say something.
  static std::string said(const Change& change) {
    const std::string message = escape_control(change.message);
    if (change.tested == change.baseline || change.tested == Verdict::kNone || change.baseline == Verdict::kNone) return message;
    return std::string(verdict_name(change.baseline)) + " -> " + std::string(verdict_name(change.tested)) +
           (message.empty() ? "" : ": " + message);
  }

  void summary() const {
    const auto counts = comparison_.counts();
    std::vector<std::string> parts;
    for (std::size_t kind = 0; kind < kChangeKindCount; ++kind) {
      const auto which = static_cast<ChangeKind>(kind);
      const std::string part = std::to_string(counts[kind]) + " " + change_name(which);
      parts.push_back(counts[kind] == 0 ? part : paint(part, which));
    }
    std::printf("%zu directions: %s\n", comparison_.changes.size(), join(parts, ", ").c_str());
    if (!options_.out_folder.empty()) std::printf("results in %s\n", escape_control(options_.out_folder).c_str());
  }

  const Comparison& comparison_;
  const PrintOptions& options_;
  std::size_t width_ = 0;
};

}  // namespace

void print_comparison(const Comparison& comparison, const PrintOptions& options) {
  if (options.quiet && comparison.counts()[static_cast<std::size_t>(ChangeKind::kWorse)] == 0) return;
  Printer(comparison, options).print();
}

}  // namespace assay
