#include "core/report.hpp"

#include <fcntl.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace assay::emulator {
namespace {

std::atomic<std::uint64_t> misuses{0};
std::atomic<std::uint64_t> launches{0};

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void key(Writer& writer, std::string_view name) { writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size())); }

void field(Writer& writer, std::string_view name, std::string_view value) {
  key(writer, name);
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void append(rapidjson::StringBuffer& line) {
  line.Put('\n');
  const char* path = std::getenv("ASSAY_NPU_EMULATOR_REPORT");
  int file = STDERR_FILENO;
  if (path != nullptr && *path != '\0') {
    file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
  // One write, so that lines of several processes don't mix. A report that can't be written must not look like a clean run.
  if (file < 0 || ::write(file, line.GetString(), line.GetSize()) != static_cast<ssize_t>(line.GetSize())) {
    std::abort();
  }
  if (file != STDERR_FILENO) {
    ::close(file);
  }
}

}  // namespace

void report_misuse(std::string_view rule, std::string_view call, const std::string& message) {
  ++misuses;
  rapidjson::StringBuffer line;
  Writer writer(line);
  writer.StartObject();
  field(writer, "event", "misuse");
  key(writer, "pid");
  writer.Int(::getpid());
  field(writer, "rule", rule);
  field(writer, "call", call);
  field(writer, "message", message);
  writer.EndObject();
  append(line);
}

void report_finalised() {
  const char* path = std::getenv("ASSAY_NPU_EMULATOR_REPORT");
  if (path == nullptr || *path == '\0') {
    return;
  }
  rapidjson::StringBuffer line;
  Writer writer(line);
  writer.StartObject();
  field(writer, "event", "finalised");
  key(writer, "pid");
  writer.Int(::getpid());
  key(writer, "launches");
  writer.Uint64(launches);
  key(writer, "misuses");
  writer.Uint64(misuses);
  writer.EndObject();
  append(line);
}

std::uint64_t misuse_count() { return misuses; }

void count_launch() { ++launches; }

}  // namespace assay::emulator
