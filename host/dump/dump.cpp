#include "dump/dump.hpp"

#include <algorithm>
#include <atomic>
#include <boost/crc.hpp>
#include <cstdio>
#include <mutex>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "dump/api_key.hpp"
#include "dump/entry_decoder.hpp"
#include "dump/json_index.hpp"
#include "dump/locate.hpp"
#include "dump/tensor_file.hpp"

namespace assay {

namespace {

/// How much of dump.json is in memory at most.
constexpr std::size_t kResidentBytes = std::size_t{8} << 20;

/// Keeps a walk over a file from filling the memory with it.
class ResidentLimit {
 public:
  explicit ResidentLimit(const MappedFile& file) : file_(file) {}

  void passed(std::size_t bytes) {
    if ((resident_ += bytes) < kResidentBytes) return;
    resident_ = 0;
    file_.forget();
  }

 private:
  const MappedFile& file_;
  std::atomic<std::size_t> resident_{0};
};

}  // namespace

struct Dump::Body {
  std::filesystem::path json_path;
  std::filesystem::path tensor_dir;
  MappedFile file;
  mutable ResidentLimit resident{file};
  JsonIndex index;
  mutable std::once_flag fingerprint_once;
  mutable std::string fingerprint;
};

Result<Dump> Dump::open(const std::filesystem::path& path, const DumpOptions& options) {
  Result<std::filesystem::path> json_path = locate_json(path, options);
  if (!json_path) return json_path.failure();
  Result<MappedFile> file = MappedFile::open(*json_path);
  if (!file) return file.failure();
  auto body = std::make_shared<Body>();
  body->file = std::move(*file);
  Result<JsonIndex> index = index_json(body->file.text(), [&](std::size_t bytes) { body->resident.passed(bytes); });
  if (!index) return input_failure("read '" + json_path->string() + "': " + index.failure().message);

  body->tensor_dir = locate_tensor_dir(*json_path, index->header.dump_data_dir);
  body->json_path = std::move(*json_path);
  body->index = std::move(*index);
  Dump dump;
  dump.body_ = std::move(body);
  return dump;
}

const DumpHeader& Dump::header() const { return body_->index.header; }
const std::filesystem::path& Dump::json_path() const { return body_->json_path; }
const std::filesystem::path& Dump::tensor_dir() const { return body_->tensor_dir; }
std::size_t Dump::size() const { return body_->index.calls.size(); }
std::string Dump::stem(std::size_t i) const { return std::string(body_->index.stems.name(i)); }
std::size_t Dump::find(const std::string& stem) const { return body_->index.stems.find(stem); }
const std::vector<SkippedKey>& Dump::skipped_keys() const { return body_->index.skipped; }

RecordedCall Dump::read(std::size_t i) const {
  RecordedCall call;
  call.stem = stem(i);
  const std::string forward_key = call.stem + ".forward";
  const Result<ApiKey> key = parse_api_key(forward_key);
  call.type = key->type;
  call.api = key->api;
  call.index = key->index;
  const CallSpans& spans = body_->index.calls[i];
  if (!spans.forward.empty()) call.forward = decode_entry(spans.forward, forward_key, false);
  if (!spans.backward.empty()) call.backward = decode_entry(spans.backward, call.stem + ".backward", true);
  body_->resident.passed(spans.forward.size() + spans.backward.size());
  return call;
}

Result<Tensor> Dump::load(const TensorElement& element) const {
  if (element.data_name.empty()) {
    const bool empty = std::find(element.shape.begin(), element.shape.end(), 0) != element.shape.end();
    if (empty && element.dtype) return Tensor::allocate(*element.dtype, element.shape);
    return input_failure("the dump holds no data of this tensor, only its statistics");
  }
  Result<std::filesystem::path> path = locate_tensor_file(body_->tensor_dir, element.data_name);
  if (!path) return path.failure();
  return load_tensor_file(*path, element);
}

std::string Dump::fingerprint() const {
  std::call_once(body_->fingerprint_once, [this] {
    boost::crc_32_type crc;
    std::string_view rest = body_->file.text();
    while (!rest.empty()) {
      const std::string_view piece = rest.substr(0, kResidentBytes / 8);
      crc.process_bytes(piece.data(), piece.size());
      body_->resident.passed(piece.size());
      rest.remove_prefix(piece.size());
    }
    char text[9];
    std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(crc.checksum()));
    body_->fingerprint = text;
  });
  return body_->fingerprint;
}

}  // namespace assay
