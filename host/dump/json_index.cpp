#include "dump/json_index.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "dump/api_key.hpp"
#include "dump/json_scanner.hpp"

namespace assay {

namespace {

/// A JSON string with its escapes resolved; nothing when it is not one.
std::optional<std::string> unescape(std::string_view quoted) {
  if (quoted.size() < 2 || quoted.front() != '"') return std::nullopt;
  if (quoted.find('\\') == std::string_view::npos) return std::string(quoted.substr(1, quoted.size() - 2));
  rapidjson::Document document;
  document.Parse(quoted.data(), quoted.size());
  if (document.HasParseError() || !document.IsString()) return std::nullopt;
  return std::string(document.GetString(), document.GetStringLength());
}

class Indexer {
 public:
  Indexer(std::string_view text, const std::function<void(std::size_t)>& passed) : scanner_(text), passed_(passed) {}

  Result<JsonIndex> run() {
    if (scanner_.at_end()) return input_failure("the file is empty");
    if (!scanner_.take('{')) {
      scanner_.expect("'{'");
      return input_failure(scanner_.problem());
    }
    const bool complete = members([this](const std::string& key) { return top_level_member(key); });
    if (complete && !scanner_.at_end()) scanner_.expect("the end of the file");
    if (scanner_.failed()) return input_failure(scanner_.problem());
    if (problem_.empty()) check_header();
    if (!problem_.empty()) return input_failure(problem_);
    return std::move(index_);
  }

 private:
  /// Calls f(key) in front of each member's value; f consumes the value. The opening brace is consumed already.
  template <class F>
  bool members(F&& f) {
    if (scanner_.take('}')) return true;
    do {
      const std::optional<std::string_view> quoted = scanner_.string();
      if (!quoted) return false;
      if (!scanner_.take(':')) {
        scanner_.expect("':'");
        return false;
      }
      const std::optional<std::string> key = unescape(*quoted);
      if (!key) {
        scanner_.expect("a valid string as key");
        return false;
      }
      if (!f(*key)) return false;
    } while (scanner_.take(','));
    if (scanner_.take('}')) return true;
    scanner_.expect("',' or '}'");
    return false;
  }

  bool top_level_member(const std::string& key) {
    if (key == "data" && !has_data_ && scanner_.peek() == '{') {
      has_data_ = true;
      scanner_.take('{');
      return members([this](const std::string& name) { return data_member(name); });
    }
    const std::optional<std::string_view> value = scanner_.value();
    if (!value) return false;
    if (std::find(seen_.begin(), seen_.end(), key) != seen_.end() || (key == "data" && has_data_)) {
      index_.skipped.push_back({key, "occurs twice at the top level; the first one counts"});
      return true;
    }
    if (key == "data") return wrong_type(key, "an object", *value);
    if (key == "task") return header_text(key, *value, index_.header.task);
    if (key == "level") return header_text(key, *value, index_.header.level);
    if (key == "framework") return header_text(key, *value, framework_);
    if (key == "dump_data_dir") return *value == "null" || header_text(key, *value, index_.header.dump_data_dir);
    return true;
  }

  bool wrong_type(const std::string& key, std::string_view expected, std::string_view value) {
    if (problem_.empty()) {
      std::string_view kind = "a number";
      switch (value.front()) {
        case '{': kind = "an object"; break;
        case '[': kind = "a list"; break;
        case '"': kind = "a string"; break;
        case 'n': kind = "null"; break;
        case 't':
        case 'f': kind = "a boolean"; break;
        default: break;
      }
      problem_ = "/" + key + ": expected " + std::string(expected) + ", got " + std::string(kind);
    }
    return true;
  }

  bool header_text(const std::string& key, std::string_view value, std::string& out) {
    seen_.push_back(key);
    const std::optional<std::string> text = unescape(value);
    if (!text) return wrong_type(key, "a string", value);
    out = *text;
    return true;
  }

  bool data_member(const std::string& key) {
    const std::optional<std::string_view> value = scanner_.value();
    if (!value) return false;
    passed_(scanner_.offset() - reported_);
    reported_ = scanner_.offset();
    const Result<ApiKey> parsed = parse_api_key(key);
    if (!parsed) {
      index_.skipped.push_back({key, parsed.failure().message});
      return true;
    }
    const std::size_t call = index_.stems.add(parsed->stem);
    if (call == index_.calls.size()) index_.calls.emplace_back();
    std::string_view& span = parsed->backward ? index_.calls[call].backward : index_.calls[call].forward;
    if (span.empty()) {
      span = *value;
    } else {
      index_.skipped.push_back({key, "occurs twice; the first one counts"});
    }
    return true;
  }

  void check_header() {
    DumpHeader& header = index_.header;
    const auto seen = [this](std::string_view key) { return std::find(seen_.begin(), seen_.end(), key) != seen_.end(); };
    if (!has_data_) {
      problem_ = "/data is missing: not a dump of API calls";
    } else if (!seen("level")) {
      problem_ = "/level is missing, expected 'L1' or 'mix'";
    } else if (header.level != "L1" && header.level != "mix") {
      problem_ =
          "/level: expected 'L1' or 'mix', got '" + escape_control(header.level) + "'; record the run at one of these levels";
    } else if (!seen("framework")) {
      header.framework_assumed = true;
    } else {
      set_framework();
    }
  }

  void set_framework() {
    std::string name = framework_;
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    Framework& framework = index_.header.framework;
    if (name == "pytorch" || name == "pt") {
      framework = Framework::kPyTorch;
    } else if (name == "mindspore" || name == "ms") {
      framework = Framework::kMindSpore;
    } else if (name == "mindtorch") {
      framework = Framework::kMindTorch;
    } else {
      problem_ = "/framework: expected 'pytorch', 'mindspore' or 'mindtorch', got '" + escape_control(framework_) + "'";
    }
  }

  JsonScanner scanner_;
  const std::function<void(std::size_t)>& passed_;
  std::size_t reported_ = 0;
  JsonIndex index_;
  std::string framework_;
  std::vector<std::string> seen_;
  bool has_data_ = false;
  std::string problem_;  ///< the first fault that is not one of syntax
};

}  // namespace

Result<JsonIndex> index_json(std::string_view text, const std::function<void(std::size_t)>& passed) {
  static constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  return Indexer(text, passed).run();
}

}  // namespace assay
