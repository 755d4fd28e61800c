#include "python_adapter.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "installation.hpp"
#include "values.hpp"

namespace assay::bridge {
namespace {

constexpr double kDefaultLimitSeconds = 300;
constexpr std::int64_t kDefaultKeepMib = 256;
constexpr std::size_t kLongestQuote = 300;

std::uint64_t mebibytes(const Config& config, const char* key, std::int64_t fallback) {
  const std::int64_t value = config.get<std::int64_t>(key, fallback);
  if (value < 0 || value > (std::int64_t{1} << 30))
    throw Error(ASSAY_INVALID_ARGUMENT, std::string("'") + key + "' is " + std::to_string(value) + ", expected 0 to 2^30");
  return static_cast<std::uint64_t>(value) << 20;
}

double seconds(const Config& config, const char* key) {
  const double value = config.get<double>(key, kDefaultLimitSeconds);
  if (!(value > 0 && value <= 1e6))
    throw Error(ASSAY_INVALID_ARGUMENT, std::string("'") + key + "' must be above 0 and at most 1e6");
  return value;
}

std::string seconds_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

std::string settings_json(const std::string& map_text, const std::string& map_name, std::uint64_t keep,
                          std::uint64_t memory_limit) {
  rapidjson::Document settings(rapidjson::kObjectType);
  auto& memory = settings.GetAllocator();
  rapidjson::Document map(&memory);
  map.Parse<rapidjson::kParseIterativeFlag>(map_text.c_str());
  if (map.HasParseError() || !map.IsObject())
    throw Error(ASSAY_INVALID_ARGUMENT, "module map '" + map_name + "' is not a JSON object");
  settings.AddMember("map", map, memory);
  settings.AddMember("keep_bytes", keep, memory);
  settings.AddMember("memory_limit_bytes", memory_limit, memory);
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  settings.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

void write_segment(Writer& out, const SegmentRef& segment) {
  out.u32(segment.id);
  out.u64(segment.size);
  out.u32(segment.flags);
}

SegmentRef read_segment(Reader& in) {
  SegmentRef segment;
  segment.id = in.u32();
  segment.size = in.u64();
  segment.flags = in.u32();
  return segment;
}

Results decode_results(const Frame& frame, OutputSegments& segments) {
  Reader in(frame.payload);
  const SegmentRef segment = read_segment(in);
  std::shared_ptr<OutputSegments::Lease> lease;
  if (segment.id != 0) lease = segments.lease(segment, frame.fd);
  ValueReader values(in, lease);
  Results results;
  results.outputs = values.values();
  results.gradients = values.named();
  results.mutated = values.named();
  results.notes.resize(in.count());
  for (std::string& note : results.notes) note = in.text();
  in.finish();
  return results;
}

}  // namespace

PythonAdapter::PythonAdapter(const Context& context, const Defaults& defaults)
    : log_(context.log),
      call_limit_(seconds(context.config, "call_timeout_s")),
      start_limit_(seconds(context.config, "start_timeout_s")),
      memory_limit_(mebibytes(context.config, "memory_limit_mib", 0)),
      inputs_(mebibytes(context.config, "keep_mib", kDefaultKeepMib)) {
  const std::string map = context.config.get<std::string>("map", defaults.map);
  settings_ = settings_json(read_module_map(map), map, mebibytes(context.config, "keep_mib", kDefaultKeepMib), memory_limit_);
  python_ = find_python(context.config.get<std::string>("python", ""), defaults.python_variables).string();
  try {
    start();
  } catch (const Error& error) {
    // A python that can't even start is a missing framework to the user, not a defect of the adapter.
    throw Error(error.code() == ASSAY_INTERNAL ? ASSAY_UNSUPPORTED : error.code(), error.what());
  }
}

void LastLine::set(const std::string& line) {
  const std::lock_guard lock(mutex_);
  line_ = line.substr(0, kLongestQuote);
}

std::string LastLine::get() const {
  const std::lock_guard lock(mutex_);
  return line_;
}

void PythonAdapter::start() {
  server_ = {};
  inputs_.forget();
  const auto sink = [log = log_, last = server_.last_line](const std::string& line) {
    last->set(line);
    log.debug("python: " + line);
  };
  // faulthandler: a crash leaves the Python stack in the log.
  const std::vector<std::string> command = {python_, "-u", "-X", "faulthandler", server_script().string()};
  server_.process = std::make_unique<ServerProcess>(command, sink);
  Writer payload;
  payload.text(settings_);
  const Frame ready = exchange(FrameKind::kStart, payload.bytes(), -1, start_limit_);
  if (ready.kind == FrameKind::kFailed) fail(ready);
  Reader in(ready.payload);
  info_.framework = in.text();
  info_.version = in.text();
  info_.details = in.text();
  info_.devices = {assay_device{ASSAY_DEVICE_CPU, 0}};
  in.finish();
}

void PythonAdapter::ensure_server() {
  if (server_.process != nullptr) return;
  log_.info("starts a new python server");
  start();
}

Frame PythonAdapter::exchange(FrameKind kind, const std::string& payload, int fd, Seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(limit);
  try {
    return server_.process->channel().exchange(kind, payload, fd, deadline);
  } catch (const ChannelError& error) {
    lose_server(error, limit);
  }
}

void PythonAdapter::lose_server(const ChannelError& error, Seconds limit) {
  const bool closed = error.fault() == ChannelFault::kClosed;
  // A server that closed the stream is on its way out: its own end is the news. The others are ended by us.
  const std::string end = server_.process->stop(std::chrono::milliseconds(closed ? 2000 : 0));
  const std::string said = server_.last_line->get();
  server_ = {};
  switch (error.fault()) {
    case ChannelFault::kTimeout:
      throw Error(ASSAY_INTERNAL, "the python server gave no answer within " + seconds_text(limit.count()) + " and was killed");
    case ChannelFault::kClosed:
      throw Error(ASSAY_INTERNAL, "the python server " + end + (said.empty() ? "" : "; it last said: " + said));
    default: throw Error(ASSAY_INTERNAL, "the python server was stopped: " + error.detail());
  }
}

void PythonAdapter::fail(const Frame& frame) {
  if (frame.kind != FrameKind::kFailed) {
    server_ = {};
    throw Error(ASSAY_INTERNAL, "the python server gave an answer of kind " + std::to_string(static_cast<int>(frame.kind)));
  }
  Reader in(frame.payload);
  const assay_status status = in.i32();
  const std::uint32_t flags = in.u32();
  const std::string message = in.text();
  inputs_.forget();  // the call may have failed before the server mapped them
  if ((flags & kStateDoubtful) != 0) server_ = {};
  throw Error(status >= ASSAY_INVALID_ARGUMENT && status <= ASSAY_INTERNAL ? status : ASSAY_INTERNAL, message);
}

void PythonAdapter::require_support(const std::string& api, std::int32_t direction) {
  ensure_server();
  Writer payload;
  payload.text(api);
  payload.u32(static_cast<std::uint32_t>(direction));
  const Frame answer = exchange(FrameKind::kSupports, payload.bytes(), -1, call_limit_);
  if (answer.kind != FrameKind::kDone) fail(answer);
}

Results PythonAdapter::invoke(const assay_call& call) {
  ensure_server();
  Writer values;
  TensorPlacer placer;
  write_values(values, call.args, call.arg_count, placer);
  write_named(values, call.kwargs, call.kwarg_count, placer);
  write_values(values, call.grad_outputs, call.grad_output_count, placer);
  if (memory_limit_ != 0 && placer.bytes() > memory_limit_) {
    throw Error(ASSAY_OUT_OF_MEMORY, "memory: the call's tensors take " + std::to_string(placer.bytes() >> 20) +
                                         " MiB, the limit is " + std::to_string(memory_limit_ >> 20) + " MiB");
  }
  const InputArena::Room room = inputs_.reserve(placer.bytes());
  placer.copy_to(room.data);

  Writer payload;
  write_segment(payload, room.segment);
  payload.u64(placer.bytes());
  payload.u32(static_cast<std::uint32_t>(call.direction));
  payload.u32(static_cast<std::uint32_t>(call.precision));
  payload.u64(call.seed);
  payload.i32(call.device.type);
  payload.i32(call.device.id);
  const std::vector<std::uint32_t> released = server_.outputs->take_released();
  payload.count(released.size());
  for (const std::uint32_t id : released) payload.u32(id);
  payload.text(call.api);
  const Frame answer = exchange(FrameKind::kCall, payload.bytes() + values.bytes(), room.fd, call_limit_);
  inputs_.finish();
  if (answer.kind != FrameKind::kResults) fail(answer);
  return read_results(answer);
}

Results PythonAdapter::read_results(const Frame& frame) {
  try {
    return decode_results(frame, *server_.outputs);
  } catch (const Error&) {
    server_ = {};  // what it says makes no sense: nothing more is to be trusted
    throw;
  }
}

}  // namespace assay::bridge
