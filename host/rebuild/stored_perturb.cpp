#include "rebuild/stored_perturb.hpp"

#include "base/files.hpp"
#include "config/json.hpp"
#include "perturb/perturb_json.hpp"

namespace assay {

Result<PerturbInfo> perturb_info_from_line(std::string_view line) {
  const Result<rapidjson::Document> json = parse_json(std::string(line), "perturb.jsonl:1");
  if (!json) return json.failure();
  return info_from_json(*json);
}

Result<StoredPerturb> StoredPerturb::open(const std::filesystem::path& folder) {
  StoredPerturb out;
  out.path_ = folder / "perturb.jsonl";
  const Result<MappedFile> file = MappedFile::open(out.path_);
  if (!file) return file.failure();
  const std::string_view text = file->text();
  Result<PerturbInfo> info = perturb_info_from_line(text.substr(0, text.find('\n')));
  if (!info) return input_failure(out.path_.string() + ":1: " + info.failure().message);
  out.info_ = std::move(*info);
  const Result<rapidjson::Document> run = load_json(folder / "run.json");
  if (!run) return run.failure();
  if (!run->IsObject()) return input_failure("read '" + (folder / "run.json").string() + "': not the record of a run of assay");
  out.complete_ = run->HasMember("complete") && (*run)["complete"].IsTrue();
  if (run->HasMember("seconds") && (*run)["seconds"].IsNumber()) out.seconds_ = (*run)["seconds"].GetDouble();
  return out;
}

Status StoredPerturb::for_each(const std::function<Status(const PerturbReport&)>& use) const {
  const Result<MappedFile> file = MappedFile::open(path_);
  if (!file) return file.failure();
  const std::string_view text = file->text();
  std::size_t number = 1;
  for (std::size_t start = text.find('\n'); start != std::string_view::npos;) {
    const std::size_t end = text.find('\n', ++start);
    if (end == std::string_view::npos) break;
    ++number;
    Result<PerturbReport> report = report_from_json(text.substr(start, end - start));
    if (!report) return input_failure(path_.string() + ":" + std::to_string(number) + ": " + report.failure().message);
    if (Status s = use(*report); !s) return s;
    start = end;
  }
  return Done{};
}

}  // namespace assay
