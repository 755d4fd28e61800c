#include "dump/json_scanner.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"

namespace assay {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// The characters that matter between the brackets of a value.
constexpr std::array<bool, 256> kStructural = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '{', '}', '[', ']'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

}  // namespace

char JsonScanner::peek() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  return position_ < text_.size() ? text_[position_] : '\0';
}

bool JsonScanner::take(char c) {
  if (peek() != c || position_ == text_.size()) return false;
  ++position_;
  return true;
}

bool JsonScanner::at_end() {
  peek();
  return position_ == text_.size();
}

void JsonScanner::expect(std::string_view what) {
  if (failed_) return;
  failed_ = true;
  failed_at_ = position_;
  expected_ = what;
}

std::string JsonScanner::problem() const {
  const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::string_view::difference_type>(failed_at_), '\n');
  const std::string place = "byte " + std::to_string(failed_at_) + " (line " + std::to_string(line) + ")";
  if (failed_at_ == text_.size()) return "truncated, the text ends at " + place + " where " + expected_ + " was expected";
  return "not JSON at " + place + ": expected " + expected_ + ", got '" + escape_control(text_.substr(failed_at_, 1)) + "'";
}

bool JsonScanner::skip_string() {
  const char* const end = text_.data() + text_.size();
  // Most strings are short, so a plain loop beats memchr.
  for (const char* c = text_.data() + position_ + 1; c < end; ++c) {
    if (*c == '\\') {
      ++c;
    } else if (*c == '"') {
      position_ = static_cast<std::size_t>(c + 1 - text_.data());
      return true;
    }
  }
  position_ = text_.size();
  expect("the end of a string");
  return false;
}

bool JsonScanner::skip_brackets() {
  const char* const end = text_.data() + text_.size();
  std::string open;
  do {
    const char* c = text_.data() + position_;
    while (c < end && !kStructural[static_cast<unsigned char>(*c)]) ++c;
    position_ = static_cast<std::size_t>(c - text_.data());
    if (position_ == text_.size()) {
      expect(std::string("'") + open.back() + "'");
      return false;
    }
    if (*c == '"') {
      if (!skip_string()) return false;
      continue;
    }
    if (*c == '{' || *c == '[') {
      open += *c == '{' ? '}' : ']';
      depth_ = std::max(depth_, open.size());
    } else if (*c == open.back()) {
      open.pop_back();
    } else {
      expect(std::string("'") + open.back() + "'");
      return false;
    }
    ++position_;
  } while (!open.empty());
  return true;
}

std::optional<std::string_view> JsonScanner::string() {
  if (peek() != '"') {
    expect("a string");
    return std::nullopt;
  }
  const std::size_t begin = position_;
  if (!skip_string()) return std::nullopt;
  return text_.substr(begin, position_ - begin);
}

std::optional<std::string_view> JsonScanner::value() {
  const char first = peek();
  const std::size_t begin = position_;
  depth_ = 0;
  if (first == '{' || first == '[') {
    if (!skip_brackets()) return std::nullopt;
  } else if (first == '"') {
    if (!skip_string()) return std::nullopt;
  } else {
    while (position_ < text_.size() && !is_space(text_[position_]) && std::strchr(",:]}", text_[position_]) == nullptr) ++position_;
    if (position_ == begin) {
      expect("a value");
      return std::nullopt;
    }
  }
  return text_.substr(begin, position_ - begin);
}

}  // namespace assay
