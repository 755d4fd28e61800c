// Walks over JSON text without building anything: finds where strings and values begin and end.
//
//   JsonScanner scanner(text);
//   if (scanner.take('{')) { std::optional<std::string_view> key = scanner.string(); ... }
//
// Only the structure is checked (quotes and brackets); what a value holds is for the parser that reads it. That makes a pass over
// a large file cheap, and a fault inside one entry stays that entry's own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  /// Skips white space; whether the next character is `c`, which is then consumed.
  bool take(char c);
  /// The next character after white space; NUL at the end.
  char peek();
  /// A string with its quotes, escapes untouched; nothing (and a problem) when there is none.
  std::optional<std::string_view> string();
  /// A value of any kind, brackets and quotes included.
  std::optional<std::string_view> value();

  [[nodiscard]] std::size_t offset() const { return position_; }
  [[nodiscard]] bool at_end();
  /// The deepest nesting of the value() read last: 0 for a scalar, 1 for a flat list.
  [[nodiscard]] std::size_t depth() const { return depth_; }

  /// Records what was expected at the current place; the first record stays.
  void expect(std::string_view what);
  /// "byte 120 (line 7): expected ':', got '}'"; or that the text ends there.
  [[nodiscard]] std::string problem() const;
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  bool skip_string();
  bool skip_brackets();

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;
  bool failed_ = false;
  std::size_t failed_at_ = 0;
  std::string expected_;
};

}  // namespace assay
