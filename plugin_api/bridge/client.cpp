#include "bridge/client.hpp"

#include "bridge/values.hpp"

namespace assay::bridge {
namespace {

constexpr std::size_t kLongestQuote = 300;

std::string seconds_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

}  // namespace

void LastLine::set(const std::string& line) {
  const std::lock_guard lock(mutex_);
  line_ = line.substr(0, kLongestQuote);
}

std::string LastLine::get() const {
  const std::lock_guard lock(mutex_);
  return line_;
}

Client::Client(const Log& log, ClientOptions options) : log_(log), options_(std::move(options)), inputs_(options_.keep_bytes) {
  start();
}

void Client::start() {
  server_ = {};
  inputs_.forget();
  const auto sink = [log = log_, last = server_.last_line, who = options_.subject](const std::string& line) {
    last->set(line);
    log.debug(who + ": " + line);
  };
  server_.process = std::make_unique<ServerProcess>(options_.command, sink);
  Writer payload;
  payload.text(options_.settings);
  const Frame ready = exchange(FrameKind::kStart, payload.bytes(), -1, options_.start_limit);
  if (ready.kind != FrameKind::kReady) fail(ready);
  Reader in(ready.payload);
  info_.framework = in.text();
  info_.version = in.text();
  info_.details = in.text();
  info_.devices = {assay_device{ASSAY_DEVICE_CPU, 0}};
  in.finish();
}

void Client::ensure_server() {
  if (server_.process != nullptr) return;
  log_.info("starts " + options_.subject + " again");
  start();
}

Frame Client::exchange(FrameKind kind, const std::string& payload, int fd, Seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(limit);
  try {
    return server_.process->channel().exchange(kind, payload, fd, deadline);
  } catch (const ChannelError& error) {
    lose_server(error, limit);
  }
}

void Client::lose_server(const ChannelError& error, Seconds limit) {
  const bool closed = error.fault() == ChannelFault::kClosed;
  // A server that closed the stream is on its way out: its own end is the news. The others are ended by us.
  const std::string end = server_.process->stop(std::chrono::milliseconds(closed ? 2000 : 0));
  const std::string said = server_.last_line->get();
  server_ = {};
  const std::string& who = options_.subject;
  switch (error.fault()) {
    case ChannelFault::kTimeout:
      throw Error(ASSAY_INTERNAL, who + " gave no answer within " + seconds_text(limit.count()) + " and was killed");
    case ChannelFault::kClosed: throw Error(ASSAY_INTERNAL, who + " " + end + (said.empty() ? "" : "; it last said: " + said));
    default: throw Error(ASSAY_INTERNAL, who + " was stopped: " + error.detail());
  }
}

void Client::fail(const Frame& frame) {
  if (frame.kind != FrameKind::kFailed) {
    server_ = {};
    throw Error(ASSAY_INTERNAL, options_.subject + " gave an answer of kind " + std::to_string(static_cast<int>(frame.kind)));
  }
  Reader in(frame.payload);
  const assay_status status = in.i32();
  const std::uint32_t flags = in.u32();
  const std::string message = in.text();
  inputs_.forget();  // the call may have failed before the server mapped them
  if ((flags & kStateDoubtful) != 0) server_ = {};
  throw Error(status >= ASSAY_INVALID_ARGUMENT && status <= ASSAY_INTERNAL ? status : ASSAY_INTERNAL, message);
}

void Client::require_support(const std::string& api, std::int32_t direction) {
  ensure_server();
  Writer payload;
  payload.text(api);
  payload.u32(static_cast<std::uint32_t>(direction));
  const Frame answer = exchange(FrameKind::kSupports, payload.bytes(), -1, options_.call_limit);
  if (answer.kind != FrameKind::kDone) fail(answer);
}

Results Client::invoke(const assay_call& call) {
  ensure_server();
  Writer values;
  TensorPlacer placer;
  write_values(values, call.args, call.arg_count, placer);
  write_named(values, call.kwargs, call.kwarg_count, placer);
  write_values(values, call.grad_outputs, call.grad_output_count, placer);
  if (options_.memory_limit != 0 && placer.bytes() > options_.memory_limit) {
    throw Error(ASSAY_OUT_OF_MEMORY, "memory: the call's tensors take " + std::to_string(placer.bytes() >> 20) +
                                         " MiB, the limit is " + std::to_string(options_.memory_limit >> 20) + " MiB");
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
  const Frame answer = exchange(FrameKind::kCall, payload.bytes() + values.bytes(), room.fd, options_.call_limit);
  inputs_.finish();
  if (answer.kind != FrameKind::kResults) fail(answer);
  return read_results(answer);
}

Results Client::read_results(const Frame& frame) {
  try {
    Reader in(frame.payload);
    const SegmentRef segment = read_segment(in);
    std::shared_ptr<ReceivedSegments::Lease> lease;
    if (segment.id != 0) lease = server_.outputs->lease(segment, frame.fd);
    ValueReader values(in, lease);
    Results results;
    results.outputs = values.values();
    results.gradients = values.named();
    results.mutated = values.named();
    results.notes.resize(in.count());
    for (std::string& note : results.notes) note = in.text();
    peak_bytes_ = in.u64();
    in.finish();
    return results;
  } catch (const Error&) {
    server_ = {};  // what it says makes no sense: nothing more is to be trusted
    throw;
  }
}

}  // namespace assay::bridge
