#include "worker/adapter_server.hpp"

#include <memory>
#include <optional>

#include "base/log.hpp"
#include "bridge/channel.hpp"
#include "bridge/values.hpp"
#include "config/json.hpp"
#include "config/layers.hpp"
#include "pipeline/engine.hpp"
#include "worker/limits.hpp"

namespace assay {

namespace {

using bridge::FrameKind;

assay_status status_of(FailureKind kind) {
  switch (kind) {
    case FailureKind::kInput: return ASSAY_INVALID_ARGUMENT;
    case FailureKind::kUnsupported: return ASSAY_UNSUPPORTED;
    default: return ASSAY_INTERNAL;
  }
}

const char* precision_name(std::uint32_t code) {
  if (code == ASSAY_PRECISION_AS_RECORDED) return "as-recorded";
  return code == ASSAY_PRECISION_FLOAT32 ? "float32" : "float64";
}

class AdapterServer {
 public:
  explicit AdapterServer(bridge::FileDescriptor socket) : channel_(std::move(socket)) {}

  int run() {
    try {
      while (const std::optional<bridge::Frame> request = channel_.next_request()) serve(*request);
      return 0;
    } catch (const bridge::ChannelError& error) {
      log("worker")->error("serve an adapter: {}", error.detail());
      return 1;
    }
  }

 private:
  void serve(const bridge::Frame& request) {
    try {
      bridge::Reader in(request.payload);
      if (request.kind == FrameKind::kStart) {
        start(in.text());
      } else if (request.kind == FrameKind::kSupports && engine_) {
        supports(in);
      } else if (request.kind == FrameKind::kCall && engine_) {
        call(in, request.fd);
      } else {
        throw Error(ASSAY_INTERNAL, "the adapter's process doesn't understand a request");
      }
    } catch (const Error& error) {
      fail(error.code(), error.what());
    } catch (const std::bad_alloc&) {
      fail(ASSAY_OUT_OF_MEMORY, "memory: the adapter's process has no more");
    }
  }

  void fail(assay_status status, const std::string& message) {
    bridge::Writer out;
    out.i32(status);
    out.u32(0);
    out.text(message);
    channel_.answer(FrameKind::kFailed, out.bytes());
  }

  void start(const std::string& settings_text) {
    const Result<rapidjson::Document> settings = parse_json(settings_text, "settings of an adapter's process");
    if (!settings) throw Error(ASSAY_INTERNAL, settings.failure().message);
    std::vector<std::filesystem::path> path;
    for (const std::string& folder : read_texts(*settings, "plugin_path")) path.emplace_back(folder);
    registry_ = Registry::discover(path);
    EngineSpec spec;
    spec.component = read_text_or(*settings, "component", "");
    spec.precision = read_text_or(*settings, "precision", "as-recorded");
    spec.config_json = read_object_or_empty(*settings, "config");
    Result<Engine> engine = Engine::create(*registry_, spec);
    if (!engine) throw Error(status_of(engine.failure().kind), engine.failure().message);
    engine_ = std::move(*engine);
    const auto limit = settings->FindMember("memory_limit");
    if (limit != settings->MemberEnd() && limit->value.IsUint64() && limit->value.GetUint64() != 0) {
      if (const Status limited = limit_memory(limit->value.GetUint64()); !limited)
        throw Error(ASSAY_INTERNAL, limited.failure().message);
    }
    bridge::Writer out;
    out.text(engine_->framework());
    out.text(engine_->version());
    out.text(engine_->details());
    channel_.answer(FrameKind::kReady, out.bytes());
  }

  void supports(bridge::Reader& in) {
    const std::string api = in.text();
    const auto direction = static_cast<std::int32_t>(in.u32());
    in.finish();
    const Invocation answer = engine_->supports(api, direction);
    if (answer.status != ASSAY_OK) return fail(answer.status, answer.message);
    channel_.answer(FrameKind::kDone, "");
  }

  /// The client's tensors; its segment stays mapped until it sends another one.
  std::shared_ptr<bridge::ReceivedSegments::Lease> inputs_of(bridge::SegmentRef segment, const bridge::FileDescriptor& fd) {
    if (segment.id == 0) return nullptr;
    if (segment.id != input_id_) received_ = std::make_shared<bridge::ReceivedSegments>();
    input_id_ = segment.id;
    segment.flags = bridge::kSegmentPooled;
    return received_->lease(segment, fd);
  }

  void call(bridge::Reader& in, const bridge::FileDescriptor& fd) {
    const bridge::SegmentRef segment = bridge::read_segment(in);
    in.u64();  // how much of it is in use: each tensor says where it lies
    const auto direction = static_cast<std::int32_t>(in.u32());
    const std::string precision = precision_name(in.u32());
    const std::uint64_t seed = in.u64();
    in.i32();  // the device is the CPU, as that of every call
    in.i32();
    for (std::uint32_t i = in.count(); i > 0; --i) in.u32();  // segments of results are used once
    const std::string api = in.text();
    CallInputs inputs;
    {
      bridge::ValueReader values(in, inputs_of(segment, fd));
      inputs.args = values.values();
      inputs.kwargs = values.named();
      inputs.grad_outputs = values.values();
    }
    in.finish();
    const Invocation done = engine_->invoke(api, direction, inputs, seed, precision);
    if (done.status != ASSAY_OK) return fail(done.status, done.message);
    answer_with(done);
  }

  void answer_with(const Invocation& done) {
    ValueArena arena;
    bridge::Writer values;
    bridge::TensorPlacer placer;
    const Results& results = done.results;
    bridge::write_values(values, arena.lower_all(results.outputs), results.outputs.size(), placer);
    bridge::write_named(values, arena.lower_named(results.gradients), results.gradients.size(), placer);
    bridge::write_named(values, arena.lower_named(results.mutated), results.mutated.size(), placer);
    values.count(results.notes.size());
    for (const std::string& note : results.notes) values.text(note);
    values.u64(done.peak_bytes);

    bridge::SegmentRef segment;
    bridge::FileDescriptor fd;
    if (placer.bytes() != 0) {
      segment = {++output_id_, placer.bytes(), 0};
      fd = bridge::new_segment(segment.size);
      placer.copy_to(bridge::Mapping(fd.get(), static_cast<std::size_t>(segment.size), true).data());
    }
    bridge::Writer head;
    bridge::write_segment(head, segment);
    channel_.answer(FrameKind::kResults, head.bytes() + values.bytes(), fd.get());
  }

  bridge::Channel channel_;
  std::optional<Registry> registry_;
  std::optional<Engine> engine_;
  std::shared_ptr<bridge::ReceivedSegments> received_ = std::make_shared<bridge::ReceivedSegments>();
  std::uint32_t input_id_ = 0;
  std::uint32_t output_id_ = 0;
};

}  // namespace

int serve_adapter() {
  yield_memory_first();
  return AdapterServer(bridge::FileDescriptor(bridge::kServerSocket)).run();
}

}  // namespace assay
