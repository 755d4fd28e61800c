// Frames over the socketpair, with a deadline, and at most one file descriptor each.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "bridge/file_descriptor.hpp"
#include "bridge/protocol.hpp"

namespace assay::bridge {

using Deadline = std::chrono::steady_clock::time_point;

struct Frame {
  FrameKind kind = FrameKind::kDone;
  std::string payload;
  FileDescriptor fd;
};

/// What ended an exchange before its answer came.
enum class ChannelFault { kTimeout, kClosed, kProtocol };

class ChannelError {
 public:
  ChannelError(ChannelFault fault, std::string detail) : fault_(fault), detail_(std::move(detail)) {}
  [[nodiscard]] ChannelFault fault() const { return fault_; }
  [[nodiscard]] const std::string& detail() const { return detail_; }

 private:
  ChannelFault fault_;
  std::string detail_;
};

class Channel {
 public:
  explicit Channel(FileDescriptor socket) : socket_(std::move(socket)) {}

  /// Sends a request and waits for its answer; throws ChannelError. `fd` < 0: none.
  Frame exchange(FrameKind kind, const std::string& payload, int fd, Deadline deadline);

  /// The server's side: waits for the next request, as long as it takes; nothing once the client has closed the conversation.
  /// Throws ChannelError.
  std::optional<Frame> next_request();
  /// Answers it; throws ChannelError. `fd` < 0: none.
  void answer(FrameKind kind, const std::string& payload, int fd = -1);

  /// Ends the conversation: a waiting server sees the end of the stream and leaves.
  void close() { socket_.reset(); }

 private:
  void send(FrameKind kind, const std::string& payload, int fd, Deadline deadline);
  /// A whole frame and its id.
  Frame receive(Deadline deadline, std::uint64_t& id);
  std::size_t read_some(char* out, std::size_t size, FileDescriptor* fd, Deadline deadline);
  void wait(short events, Deadline deadline) const;

  FileDescriptor socket_;
  std::uint64_t id_ = 0;  ///< of the request that is being served
};

}  // namespace assay::bridge
