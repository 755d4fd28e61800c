#include "bridge/channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "bridge/wire.hpp"

namespace assay::bridge {
namespace {

constexpr std::size_t kFirstRead = 4096;

std::string system_message(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

/// Takes the descriptor out of a message's control data.
void take_descriptor(msghdr& message, FileDescriptor* out) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(int))) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(c), sizeof fd);
    FileDescriptor received(fd);
    if (out != nullptr) *out = std::move(received);
  }
}

}  // namespace

Frame Channel::exchange(FrameKind kind, const std::string& payload, int fd, Deadline deadline) {
  ++id_;
  send(kind, payload, fd, deadline);
  std::uint64_t id = 0;
  Frame frame = receive(deadline, id);
  if (id != id_) throw ChannelError(ChannelFault::kProtocol, "the answer is that of another request");
  return frame;
}

std::optional<Frame> Channel::next_request() {
  try {
    return receive(Deadline::max(), id_);
  } catch (const ChannelError& error) {
    if (error.fault() == ChannelFault::kClosed) return std::nullopt;
    throw;
  }
}

void Channel::answer(FrameKind kind, const std::string& payload, int fd) { send(kind, payload, fd, Deadline::max()); }

void Channel::wait(short events, Deadline deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) throw ChannelError(ChannelFault::kTimeout, "no answer in time");
    pollfd p{socket_.get(), events, 0};
    const int ready = ::poll(&p, 1, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready > 0) return;  // an error or hang-up shows in the read or write that follows
    if (ready < 0 && errno != EINTR) throw ChannelError(ChannelFault::kClosed, system_message("poll"));
  }
}

void Channel::send(FrameKind kind, const std::string& payload, int fd, Deadline deadline) {
  if (payload.size() > kMaxPayload)
    throw Error(ASSAY_INVALID_ARGUMENT, "the call's arguments take more than 64 MiB besides tensors");
  Writer header;
  header.u32(kMagic);
  header.u16(kProtocolVersion);
  header.u16(static_cast<std::uint16_t>(kind));
  header.u64(id_);
  header.u32(static_cast<std::uint32_t>(payload.size()));
  header.u32(fd >= 0 ? 1 : 0);

  const std::string bytes = header.bytes() + payload;
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    iovec part{const_cast<char*>(bytes.data()) + sent, bytes.size() - sent};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    if (fd >= 0 && sent == 0) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* c = CMSG_FIRSTHDR(&message);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    const ssize_t n = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      wait(POLLOUT, deadline);
    } else if (errno != EINTR) {
      throw ChannelError(ChannelFault::kClosed, system_message("send"));
    }
  }
}

std::size_t Channel::read_some(char* out, std::size_t size, FileDescriptor* fd, Deadline deadline) {
  for (;;) {
    iovec part{out, size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t n = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n > 0) {
      take_descriptor(message, fd);
      return static_cast<std::size_t>(n);
    }
    if (n == 0) throw ChannelError(ChannelFault::kClosed, "end of stream");
    if (errno == EAGAIN) {
      wait(POLLIN, deadline);
    } else if (errno != EINTR) {
      throw ChannelError(ChannelFault::kClosed, system_message("receive"));
    }
  }
}

Frame Channel::receive(Deadline deadline, std::uint64_t& id) {
  Frame frame;
  // One request at a time: whatever is there belongs to one frame.
  std::array<char, kFirstRead> start{};
  std::size_t got = 0;
  while (got < kHeaderSize) got += read_some(start.data() + got, start.size() - got, &frame.fd, deadline);
  Reader header({start.data(), kHeaderSize});
  const std::uint32_t magic = header.u32();
  const std::uint16_t version = header.u16();
  frame.kind = static_cast<FrameKind>(header.u16());
  id = header.u64();
  const std::uint32_t size = header.u32();
  if (magic != kMagic || size > kMaxPayload || got - kHeaderSize > size)
    throw ChannelError(ChannelFault::kProtocol, "a frame has a wrong header");
  if (version != kProtocolVersion) {
    throw ChannelError(ChannelFault::kProtocol, "the other side speaks version " + std::to_string(version) + " of the protocol, " +
                                                    std::to_string(kProtocolVersion) + " is needed; reinstall assay");
  }
  frame.payload.assign(start.data() + kHeaderSize, got - kHeaderSize);
  frame.payload.resize(size);
  for (got -= kHeaderSize; got < size;) got += read_some(frame.payload.data() + got, size - got, nullptr, deadline);
  return frame;
}

}  // namespace assay::bridge
