// Any bytes as what a worker writes: they come in pieces, and each message is read as the supervisor reads it.
#include "config/json.hpp"
#include "memory_file.hpp"
#include "pipeline/result_json.hpp"
#include "report/run_json.hpp"
#include "worker/crash_report.hpp"
#include "worker/frames.hpp"
#include "worker/plan_message.hpp"

namespace {

void read(const assay::Frame& frame) {
  switch (frame.type) {
    case assay::FrameType::kReady: {
      const assay::Result<rapidjson::Document> message = assay::parse_json(frame.payload, "worker");
      if (message && message->IsObject() && message->HasMember("run")) (void)assay::run_from_json((*message)["run"], "worker");
      return;
    }
    case assay::FrameType::kPlan: {
      const assay::Result<assay::CallPlan> plan = assay::plan_from_json(frame.payload);
      if (plan && !assay::plan_from_json(assay::plan_to_json(*plan))) std::abort();
      return;
    }
    case assay::FrameType::kResult: {
      const assay::Result<assay::ApiResult> result = assay::result_from_json(frame.payload);
      if (!result) return;
      // What was understood is written in a way that is understood.
      const std::string text = assay::result_to_json(*result);
      const assay::Result<assay::ApiResult> again = assay::result_from_json(text);
      if (!again || assay::result_to_json(*again) != text) std::abort();
      return;
    }
    case assay::FrameType::kBacktrace: (void)assay::backtrace_text(frame.payload); return;
    default: return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  assay::FrameBuffer buffer;
  while (size != 0) {
    const std::size_t piece = std::min<std::size_t>(size, 1 + data[0]);
    buffer.append({reinterpret_cast<const char*>(data), piece});
    data += piece;
    size -= piece;
    while (true) {
      const assay::Result<std::optional<assay::Frame>> frame = buffer.next();
      if (!frame) return 0;
      if (!*frame) break;
      read(**frame);
    }
  }
  return 0;
}
