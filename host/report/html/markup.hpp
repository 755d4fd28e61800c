// HTML that can't be broken by the text in it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judge.hpp"
#include "report/output_file.hpp"

namespace assay::html {

/// Text made safe for element content and attribute values; control characters are shown escaped.
std::string escape(std::string_view text);

/// Four significant digits: what tables show.
std::string short_number(double value);
std::string short_number(const std::optional<double>& value);

/// <td> with escaped text.
std::string cell(std::string_view text);
/// <td> with a number, to the right.
std::string number_cell(const std::optional<double>& value);
/// <td> with a mark and a word, so that colour isn't all that tells verdicts apart.
std::string verdict_cell(Verdict verdict);

struct Fact {
  std::string term;
  std::string text;
};

/// <dl>; facts without text are left out.
std::string fact_list(const std::vector<Fact>& facts);

/// A column's head; numbers stand to the right.
struct Head {
  std::string title;
  bool number = false;
};

/// A table that scrolls sideways where it has to.
class Table {
 public:
  explicit Table(const std::vector<Head>& heads);
  /// Finished <td> elements.
  void row(const std::vector<std::string>& cells);
  [[nodiscard]] std::string str() const;

 private:
  std::string text_;
};

/// <section> with a heading; `hint` and `body` are HTML.
std::string section(const std::string& id, const std::string& title, const std::string& hint, const std::string& body);

/// Lines of preformatted text; line ends stay.
std::string preformatted(std::string_view text);

/// A part of a page: text, or what writes it when its turn comes, because it is too long to be held twice.
class Part {
 public:
  Part(std::string text) : text_(std::move(text)) {}
  Part(const char* text) : text_(text) {}
  Part(std::function<Status(const Output&)> writer) : writer_(std::move(writer)) {}

  [[nodiscard]] Status write(const Output& out) const { return writer_ ? writer_(out) : out(text_); }

 private:
  std::string text_;
  std::function<Status(const Output&)> writer_;
};

/// The template with every @NAME@ (capitals and underscores) that `parts` has replaced, in one pass: text that is put in is never
/// searched.
Status fill(std::string_view page, const std::map<std::string, Part, std::less<>>& parts, const Output& out);

}  // namespace assay::html
