#include <rapidjson/document.h>

#include "config/json.hpp"
#include "judge/json_cursor.hpp"
#include "judge/judge.hpp"

namespace assay {

Result<Reasons> Reasons::load(const std::filesystem::path& path) {
  const Result<rapidjson::Document> document = load_json(path);
  if (!document) return document.failure();
  Problems problems(path.string());
  JsonCursor root(*document, "", problems);
  Reasons out;
  if (root.require_object()) {
    root.for_each("codes", [&](JsonCursor& at) {
      if (!at.require_object()) return;
      Reason reason;
      reason.code = at.required_text("code");
      reason.title = at.required_text("title");
      reason.meaning = at.required_text("meaning");
      reason.action = at.required_text("action");
      at.refuse_unknown_keys();
      if (out.find(reason.code) != nullptr) at.problem("code '" + escape_control(reason.code) + "' is there twice");
      out.reasons_.push_back(std::move(reason));
    });
    root.refuse_unknown_keys();
  }
  if (!problems.empty()) return input_failure(problems.text());
  return out;
}

const Reason* Reasons::find(std::string_view code) const {
  for (const Reason& reason : reasons_) {
    if (reason.code == code) return &reason;
  }
  return nullptr;
}

}  // namespace assay
