#include "worker/frames.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay {

namespace {

/// A result is a few kilobytes; the list of positions of a long dump a few megabytes.
constexpr std::uint32_t kMaxPayload = 256u << 20;

bool write_all(int fd, const char* data, std::size_t size) {
  while (size != 0) {
    const ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_all(int fd, char* data, std::size_t size) {
  while (size != 0) {
    const ssize_t n = ::read(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool known_type(char type) { return std::strchr("HEPSRDLBW", type) != nullptr && type != '\0'; }

std::uint32_t length_of(const char* header) {
  std::uint32_t length;
  std::memcpy(&length, header + 1, sizeof length);
  return length;
}

}  // namespace

bool write_frame(int fd, FrameType type, std::string_view payload) {
  std::string bytes(kFrameHeaderSize, static_cast<char>(type));
  const auto length = static_cast<std::uint32_t>(payload.size());
  std::memcpy(bytes.data() + 1, &length, sizeof length);
  bytes.append(payload);
  return write_all(fd, bytes.data(), bytes.size());
}

std::optional<Frame> read_frame(int fd) {
  char header[kFrameHeaderSize];
  if (!read_all(fd, header, sizeof header)) return std::nullopt;
  const std::uint32_t length = length_of(header);
  if (!known_type(header[0]) || length > kMaxPayload) return std::nullopt;
  Frame frame{static_cast<FrameType>(header[0]), std::string(length, '\0')};
  if (!read_all(fd, frame.payload.data(), length)) return std::nullopt;
  return frame;
}

Result<std::optional<Frame>> FrameBuffer::next() {
  if (bytes_.size() < kFrameHeaderSize) return std::optional<Frame>();
  const std::uint32_t length = length_of(bytes_.data());
  if (!known_type(bytes_[0]) || length > kMaxPayload) return plugin_failure("understand a worker: what it wrote is no message");
  if (bytes_.size() < kFrameHeaderSize + length) return std::optional<Frame>();
  Frame frame{static_cast<FrameType>(bytes_[0]), bytes_.substr(kFrameHeaderSize, length)};
  bytes_.erase(0, kFrameHeaderSize + length);
  return std::optional<Frame>(std::move(frame));
}

}  // namespace assay
