// Finds every reason for which a document breaks a schema; used by Schema after RapidJSON's validator has refused it.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <vector>

namespace assay {

struct SchemaProblem {
  std::string pointer;  ///< JSON pointer into the document; empty: the document itself
  std::string message;  ///< "expected number, got \"big\""
};

/// `schema` is a draft-4 schema whose references are known to resolve.
std::vector<SchemaProblem> find_schema_problems(const rapidjson::Value& schema, const rapidjson::Value& document);

}  // namespace assay
