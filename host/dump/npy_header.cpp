#include "dump/npy_header.hpp"

#include <charconv>
#include <optional>

#include "base/text.hpp"

namespace assay {

namespace {

constexpr std::size_t kMaxDims = 64;

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<NpyHeader> run() {
    if (!take('{')) return problem("'{'");
    while (!take('}')) {
      const std::optional<std::string> key = string();
      if (!key) return problem("a key in quotes");
      if (!take(':')) return problem("':'");
      if (*key == "descr") {
        if (has_descr_) return input_failure("'descr' occurs twice in the header");
        has_descr_ = true;
        std::optional<std::string> descr = string();
        if (!descr) return problem("a plain dtype in quotes; records are not supported");
        header_.descr = std::move(*descr);
      } else if (*key == "fortran_order") {
        if (has_order_) return input_failure("'fortran_order' occurs twice in the header");
        has_order_ = true;
        if (word("True")) {
          header_.fortran_order = true;
        } else if (!word("False")) {
          return problem("True or False");
        }
      } else if (*key == "shape") {
        if (has_shape_) return input_failure("'shape' occurs twice in the header");
        has_shape_ = true;
        if (Status parsed = shape(); !parsed) return parsed.failure();
      } else {
        return input_failure("unknown key '" + escape_control(*key) + "' in the header");
      }
      if (!take(',') && peek() != '}') return problem("',' or '}'");
    }
    if (peek() != '\0') return problem("the end of the header");
    if (!has_descr_ || !has_order_ || !has_shape_) return input_failure("the header lacks 'descr', 'fortran_order' or 'shape'");
    return std::move(header_);
  }

 private:
  char peek() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool take(char c) {
    if (peek() != c || position_ == text_.size()) return false;
    ++position_;
    return true;
  }

  bool word(std::string_view expected) {
    peek();
    if (text_.substr(position_, expected.size()) != expected) return false;
    position_ += expected.size();
    return true;
  }

  std::optional<std::string> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string out(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return out;
  }

  Status shape() {
    if (!take('(')) return problem("'('");
    while (!take(')')) {
      peek();
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), size);
      if (error != std::errc()) return problem("a dimension that fits 64 bits");
      if (size < 0) return input_failure("the shape has the negative dimension " + std::to_string(size));
      position_ = static_cast<std::size_t>(end - text_.data());
      take('L');  // Python 2 wrote long integers so
      header_.shape.push_back(size);
      if (header_.shape.size() > kMaxDims) return input_failure("more than " + std::to_string(kMaxDims) + " dimensions");
      if (!take(',') && peek() != ')') return problem("',' or ')'");
    }
    return Done{};
  }

  Failure problem(const std::string& expected) {
    const char c = peek();
    const std::string got = c == '\0' ? "the end" : "'" + escape_control(std::string(1, c)) + "'";
    return input_failure("the header is not as NumPy writes it at character " + std::to_string(position_) + ": expected " +
                         expected + ", got " + got);
  }

  std::string_view text_;
  std::size_t position_ = 0;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view text) { return HeaderParser(text).run(); }

}  // namespace assay
