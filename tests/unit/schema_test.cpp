#include "config/schema.hpp"

#include <gtest/gtest.h>

#include "config/json.hpp"

namespace assay {
namespace {

std::vector<std::string> problems(const std::string& schema_text, const std::string& document_text) {
  const Result<Schema> schema = Schema::parse(schema_text, "schema");
  if (!schema) return {"schema: " + schema.failure().message};
  const Result<rapidjson::Document> document = parse_json(document_text, "file");
  if (!document) return {document.failure().message};
  return schema->problems(*document, "file");
}

using Lines = std::vector<std::string>;

TEST(ParseJson, NamesLineAndColumn) {
  const auto json = parse_json("{\n  \"a\": 1\n  \"b\": 2}", "pipeline.json");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.failure().message, "read pipeline.json:3:3: not valid JSON: missing a comma or '}' after an object member");
  EXPECT_EQ(parse_json(" ", "x").failure().message, "read x: empty, expected JSON");
}

TEST(ParseJson, RefusesDeepNestingBeforeReadingIt) {
  const std::string deep(1000000, '[');
  EXPECT_EQ(parse_json(deep, "x").failure().message, "read x: nested deeper than 100 levels; flatten the document");
  EXPECT_TRUE(parse_json("[\"" + deep + "\\\"\"]", "x")) << "brackets inside text don't nest";
}

TEST(ParseJson, NamesEveryKeyThatIsGivenTwice) {
  EXPECT_EQ(parse_json(R"({"a": 1, "b": [{"c/d": 1, "c/d": 2}], "a": 3})", "x").failure().message,
            "read x: /b/0/c~1d: key given twice; remove one\nread x: /a: key given twice; remove one");
}

TEST(ParseJson, KeepsFullPrecision) {
  EXPECT_EQ((*parse_json("[0.1234567890123456789]", "x"))[0].GetDouble(), 0.1234567890123456789);
}

TEST(Schema, AcceptsWhatIsValid) {
  EXPECT_EQ(problems(R"({"type": "object", "properties": {"a": {"type": "number"}}})", R"({"a": 1})"), Lines());
}

TEST(Schema, NamesAllProblemsOfADocumentAtOnce) {
  const std::string schema = R"({"type": "object", "required": ["target", "name"], "additionalProperties": false, "properties": {
      "name": {"type": "string", "description": "shown in reports"}, "target": {"type": "string"},
      "workers": {"type": "integer", "minimum": 1, "maximum": 64}, "precision": {"enum": ["float32", "float64"]},
      "stages": {"type": "array", "items": {"type": "object", "properties": {"scale": {"type": "number"}}}}}})";
  EXPECT_EQ(problems(schema, R"({"target": 3, "workers": 0, "precision": "flot64", "stages": [{"scale": 1}, {"scale": "big"}],
                               "worker": 2, "zzzzzzzz": 1})"),
            Lines({"file: missing 'name'; add it (shown in reports)", "file: /target: expected a string, got 3",
                   "file: /workers: expected a number >= 1, got 0",
                   "file: /precision: expected \"float32\" or \"float64\", got \"flot64\"; did you mean 'float64'?",
                   "file: /stages/1/scale: expected a number, got \"big\"", "file: /worker: unknown key; did you mean 'workers'?",
                   "file: /zzzzzzzz: unknown key; known are name, target, workers, precision, stages"}));
}

TEST(Schema, NamesTheLimitsOfEachKeyword) {
  const auto message = [](const std::string& schema, const std::string& value) { return problems(schema, value).at(0); };
  EXPECT_EQ(message(R"({"minimum": 0, "exclusiveMinimum": true})", "0"), "file: expected a number > 0, got 0");
  EXPECT_EQ(message(R"({"maximum": 2, "exclusiveMaximum": true})", "2"), "file: expected a number < 2, got 2");
  EXPECT_EQ(message(R"({"multipleOf": 4})", "6"), "file: expected a multiple of 4, got 6");
  EXPECT_EQ(message(R"({"minLength": 2})", "\"a\""), "file: expected text of at least 2 characters, got \"a\"");
  EXPECT_EQ(message(R"({"pattern": "^a+$"})", "\"b\""), "file: expected text that matches \"^a+$\", got \"b\"");
  EXPECT_EQ(message(R"({"minItems": 1})", "[]"), "file: expected a list of at least 1, got []");
  EXPECT_EQ(message(R"({"uniqueItems": true})", "[1, 1]"), "file: expected a list without repetitions, got [1,1]");
  EXPECT_EQ(message(R"({"minProperties": 1})", "{}"), "file: expected an object with at least 1 keys, got {}");
  EXPECT_EQ(message(R"({"type": ["string", "null"]})", "1"), "file: expected a string or null, got 1");
  EXPECT_EQ(message(R"({"not": {"type": "string"}})", "\"a\""), "file: breaks the schema's rule 'not'");
  EXPECT_EQ(message(R"({"items": [{}], "additionalItems": false})", "[1, 2]"), "file: /1: expected at most 1 items; remove it");
}

TEST(Schema, ChecksKeysByPatternAndByDefault) {
  EXPECT_EQ(problems(R"({"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": {"type": "number"}})",
                     R"({"x-a": 1, "b": "c", "d": 2})"),
            Lines({"file: /x-a: expected a string, got 1", "file: /b: expected a number, got \"c\""}));
}

TEST(Schema, ExplainsTheBranchThatWasMeant) {
  const std::string schema = R"({"oneOf": [{"type": "string"}, {"type": "object", "required": ["id"], "properties":
      {"id": {"type": "string"}}}]})";
  EXPECT_EQ(problems(schema, "3"), Lines({"file: expected a string or an object, got 3"}));
  EXPECT_EQ(problems(schema, R"({"id": 1})"), Lines({"file: /id: expected a string, got 1"}));
  EXPECT_EQ(problems(schema, "\"text\""), Lines());
}

TEST(Schema, FollowsLocalReferences) {
  const std::string schema = R"({"items": {"$ref": "#/definitions/tree"}, "definitions": {"tree": {"type": "object",
      "properties": {"below": {"$ref": "#/definitions/tree"}}}}})";
  EXPECT_EQ(problems(schema, R"([{"below": {"below": 1}}])"), Lines({"file: /0/below/below: expected an object, got 1"}));
}

TEST(Schema, RefusesReferencesThatLeadNowhere) {
  for (const char* ref : {"http://example.com/schema", "#/definitions/missing", "other.json", ""}) {
    const auto schema = Schema::parse(R"({"properties": {"a": {"$ref": ")" + std::string(ref) + "\"}}}", "s");
    ASSERT_FALSE(schema) << ref;
    EXPECT_EQ(
        schema.failure().message,
        "read s: /properties/a/$ref: expected a local reference such as \"#/definitions/x\", got \"" + std::string(ref) + "\"");
  }
  EXPECT_FALSE(Schema::parse(R"({"definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}}})", "s"));
  EXPECT_FALSE(Schema::parse(R"({"$ref": "#"})", "s"));
}

TEST(Schema, PutsTheDocumentInItsPlaceInTheFile) {
  const auto schema = Schema::parse(R"({"properties": {"scale": {"type": "number"}}})", "s");
  const auto document = parse_json(R"({"scale": "a~\nb"})", "x");
  EXPECT_EQ(schema->check(*document, "pipeline.json", "/stages/2/config").failure().message,
            "read pipeline.json: /stages/2/config/scale: expected a number, got \"a~\\nb\"");
}

}  // namespace
}  // namespace assay
