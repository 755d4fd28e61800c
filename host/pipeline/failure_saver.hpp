// Failing calls, each in a folder of its own that `assay check` can replay: a dump.json with the one API, its tensors as .npy, and
// the reference's outputs beside them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dump/dump.hpp"
#include "pipeline/engine.hpp"

namespace assay {

/// What was compared in one direction.
struct Compared {
  std::vector<Value> actual;    ///< as recorded, or as the target gave them
  std::vector<Value> expected;  ///< of the reference
};

/// What is known about a call that was judged.
struct Evidence {
  std::optional<CallInputs> inputs;
  std::optional<Compared> forward;
  std::optional<Compared> backward;
};

class FailureSaver {
 public:
  /// folder  the calls' folders are made in it
  /// limit   of the bytes of one call
  FailureSaver(std::filesystem::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

  /// Writes <folder>/<stem>. Returns what a row can say about it: "saved in ...", or why not.
  [[nodiscard]] std::string save(const std::string& stem, Framework framework, const Evidence& evidence) const;

 private:
  std::filesystem::path folder_;
  std::uint64_t limit_;
};

}  // namespace assay
