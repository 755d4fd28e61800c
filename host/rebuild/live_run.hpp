// A run's page while the run goes on: reads what was added to the folder since the last look.
//
//   Result<std::unique_ptr<LiveRun>> run = LiveRun::open("results");
//   (*run)->refresh();
//   Result<std::string> page = (*run)->page();
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace assay {

class LiveRun {
 public:
  virtual ~LiveRun() = default;

  /// errors  those of run_kind
  static Result<std::unique_ptr<LiveRun>> open(const std::filesystem::path& folder);

  /// Reads on. A run that was started anew in the folder is read from its beginning. errors  kInput: a faulty line or run.json
  virtual Status refresh() = 0;
  [[nodiscard]] virtual std::size_t row_count() const = 0;
  [[nodiscard]] virtual bool complete() const = 0;
  [[nodiscard]] virtual Result<std::string> page() const = 0;
};

}  // namespace assay
