// run.json as every command writes it: what all have in common, in one order; the rest is the command's own.
//
//   RunRecord record(info.command);
//   record.dump(info.dump_path, info.dump_fingerprint, info.header, "apis", info.api_count);
//   record.side("reference", info.reference);
//   record.config(info.config_json);
//   Status s = write_output(folder / "run.json", record.finish() + "\n");
#pragma once

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/sink.hpp"

namespace assay {

class RunRecord {
 public:
  /// How to repeat the run, as a shell line.
  explicit RunRecord(const std::string& command);

  /// Which recording; `counted` names what was selected of it, `count` says how many.
  void dump(const std::string& path, const std::string& fingerprint, const DumpHeader& header, const char* counted,
            std::size_t count);
  void side(const char* key, const SideInfo& info);
  void config(const std::string& json);
  void text(const char* key, const std::string& value);
  void texts(const char* key, const std::vector<std::string>& values);
  void number(const char* key, double value);
  void flag(const char* key, bool value);
  void counts(const std::vector<std::pair<const char*, std::size_t>>& counts);
  void open(const char* key);
  void close() { writer_.EndObject(); }
  /// An array of objects, each filled by `fill`.
  template <class Items, class Fill>
  void objects(const char* key, const Items& items, const Fill& fill) {
    writer_.Key(key);
    writer_.StartArray();
    for (const auto& item : items) {
      writer_.StartObject();
      fill(item);
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  /// The whole record; nothing may be added any more.
  std::string finish();

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer_{buffer_};
};

}  // namespace assay
