// Validates JSON documents against JSON Schemas (draft 4) and says everything that is wrong at once.
//
//   Result<Schema> schema = Schema::load(schemas / "pipeline.schema.json");
//   for (const std::string& problem : schema->problems(*config, "pipeline.json")) print(problem);
//   // pipeline.json: /stages/2/config/scale: expected number, got "big"
#pragma once

#include <rapidjson/document.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay {

/// A compiled schema; cheap to copy, safe to share between threads. RapidJSON's validator decides whether a document is valid;
/// where it isn't, the document is walked once more to find all the reasons.
class Schema {
 public:
  /// errors  kInput: not JSON, not an object, a `$ref` that is not local, points nowhere or goes in a circle
  static Result<Schema> parse(std::string_view text, const std::string& origin);
  static Result<Schema> load(const std::filesystem::path& path);

  /// Every problem of the document as "origin: /json/pointer: expected X, got Y; remedy"; empty: the document is valid.
  /// `at` is the document's own place in the file, such as "/stages/2/config".
  [[nodiscard]] std::vector<std::string> problems(const rapidjson::Value& document, const std::string& origin,
                                                  const std::string& at = "") const;

  /// problems() as one failure: "read " and the problem, a line for each.
  [[nodiscard]] Status check(const rapidjson::Value& document, const std::string& origin, const std::string& at = "") const;

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
};

}  // namespace assay
