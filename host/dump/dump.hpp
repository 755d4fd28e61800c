// A recorded run: dump.json and its tensor files, read on demand.
//
//   Result<Dump> dump = Dump::open("step0/rank0/dump.json", {});
//   for (std::size_t i = 0; i < dump->size(); ++i) {
//     RecordedCall call = dump->read(i);
//   }
//
// Memory: the file is mapped; what is kept is an index of a few dozen bytes a call. Every function is [any-thread] after open.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "dump/recorded.hpp"

namespace assay {

enum class Framework { kPyTorch, kMindSpore, kMindTorch };

struct DumpHeader {
  std::string task;   ///< "tensor", "statistics", ...
  std::string level;  ///< "L1", "mix", ...
  Framework framework = Framework::kMindSpore;
  bool framework_assumed = false;  ///< the field was missing
  std::string dump_data_dir;       ///< as written; empty when null or missing
};

struct DumpOptions {
  std::optional<int> step;  ///< which step*/rank*/ below a folder; required when there are several
  std::optional<int> rank;
};

/// A key of `data` that is not an API call, and what became of it; nothing is left out silently.
struct SkippedKey {
  std::string key;
  std::string reason;
};

class Dump {
 public:
  /// path  dump.json, a folder that holds one, or a folder with step*/rank*/ (see DumpOptions).
  /// errors  kInput: missing, empty or truncated file, not JSON outside the entries (with byte offset), wrong types at the top
  /// level,
  ///         level other than L1 or mix, no such step or rank (the ones there are named). What is wrong inside an entry (syntax,
  ///         types, nesting) is that entry's own: see read()
  static Result<Dump> open(const std::filesystem::path& path, const DumpOptions& options);

  [[nodiscard]] const DumpHeader& header() const;
  [[nodiscard]] const std::filesystem::path& json_path() const;
  /// The folder that tensor files are read from: the recorded one if it exists, else `dump_tensor_data` beside dump.json.
  [[nodiscard]] const std::filesystem::path& tensor_dir() const;

  /// Calls in order of their first entry in the file.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::string stem(std::size_t i) const;
  /// Decodes one call. A faulty entry gives a call whose direction carries `error`; never fails as a whole.
  [[nodiscard]] RecordedCall read(std::size_t i) const;
  /// Where `stem` is, or size().
  [[nodiscard]] std::size_t find(const std::string& stem) const;

  /// Module-level keys, names that no API can have, doubled keys.
  [[nodiscard]] const std::vector<SkippedKey>& skipped_keys() const;

  /// The data of a tensor element with a file, mapped where the layout allows. The dtype is the element's (bfloat16 stored as
  /// float32 is converted), the shape the file's; a shape or dtype that contradicts the JSON is a failure. errors  kInput: no file,
  /// path leaves the folder (.., absolute, symlink), header lies, dtype unknown, shape differs from the JSON
  [[nodiscard]] Result<Tensor> load(const TensorElement& element) const;

  /// CRC-32 of dump.json as 8 lower-case hex digits: names the dump in run.json.
  [[nodiscard]] std::string fingerprint() const;

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
};

}  // namespace assay
