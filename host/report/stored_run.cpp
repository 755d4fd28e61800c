#include "report/stored_run.hpp"

#include "base/files.hpp"
#include "config/json.hpp"
#include "pipeline/result_json.hpp"

namespace assay {

Result<StoredRun> load_run(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "run.json";
  Result<rapidjson::Document> document = load_json(path);
  if (!document) return document.failure();
  return run_from_json(*document, path.string());
}

Status for_each_result(const std::filesystem::path& folder, const std::function<Status(const ApiResult&)>& use) {
  const std::filesystem::path path = folder / "results.jsonl";
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.failure();
  const std::string_view all = file->text();
  std::size_t start = 0;
  for (std::size_t number = 1; start < all.size(); ++number) {
    const std::size_t end = all.find('\n', start);
    if (end == std::string_view::npos) break;
    Result<ApiResult> result = result_from_json(all.substr(start, end - start));
    if (!result) return input_failure(path.string() + ":" + std::to_string(number) + ": " + result.failure().message);
    if (Status s = use(*result); !s) return s;
    start = end + 1;
  }
  return Done{};
}

}  // namespace assay
