#include "pipeline/element_json.hpp"

namespace assay {

void write_element(LineWriter& writer, const WorstElement& element) {
  writer.StartObject();
  write_integers(writer, "index", element.index);
  write_text(writer, "actual", element.actual);
  write_text(writer, "expected", element.expected);
  if (element.ulp) write_number(writer, "ulp", *element.ulp);
  writer.EndObject();
}

WorstElement read_element(const rapidjson::Value& object, const char* what) {
  const rapidjson::Value& fields = object_of(object, what);
  WorstElement element;
  element.index = read_integers(member(fields, "index"), "index");
  element.actual = read_text(fields, "actual");
  element.expected = read_text(fields, "expected");
  if (const rapidjson::Value* ulp = optional_member(fields, "ulp")) element.ulp = number_of(*ulp, "ulp");
  return element;
}

}  // namespace assay
