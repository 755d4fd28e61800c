// A run of `assay perturb`, read back from its folder: perturb.jsonl and run.json.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "perturb/perturb_sink.hpp"

namespace assay {

class StoredPerturb {
 public:
  /// errors  kInput: perturb.jsonl or run.json missing or faulty
  static Result<StoredPerturb> open(const std::filesystem::path& folder);

  [[nodiscard]] const PerturbInfo& info() const { return info_; }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] bool complete() const { return complete_; }

  /// Hands each call's report to `use`, in order. A torn last line ends the walk without an error.
  /// errors  kInput: a faulty line (its number is named); what `use` returns
  Status for_each(const std::function<Status(const PerturbReport&)>& use) const;

 private:
  std::filesystem::path path_;
  PerturbInfo info_;
  double seconds_ = 0;
  bool complete_ = false;
};

/// The first line of perturb.jsonl. errors  kInput: not what it should be
Result<PerturbInfo> perturb_info_from_line(std::string_view line);

}  // namespace assay
