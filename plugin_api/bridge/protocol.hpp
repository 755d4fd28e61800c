// The bridge protocol, version 2: a client has an adapter's calls done by a server, another process. The server is a Python program
// (frameworks/mint/server) or assay itself with another plugin (host/worker/adapter_server.hpp).
//
// Transport: a SOCK_STREAM socketpair; the server finds its end as file descriptor kServerSocket. One request at a time: the
// client sends a frame, the server answers with one frame of the same id. Everything is little-endian and unpadded.
//
//   frame    u32 magic, u16 version, u16 kind, u64 id, u32 payload bytes, u32 number of file descriptors (0 or 1), payload
//   text     u32 bytes, UTF-8
//   list     u32 count, items
//
//   kStart    text settings (JSON, as the server wants it)                      answered by kReady or kFailed
//   kReady    text framework, text version, text details
//   kSupports text api, u32 direction                                         answered by kDone or kFailed
//   kDone     (empty)
//   kCall     input segment, u64 bytes of it in use, u32 direction, u32 precision, u64 seed, i32 device type, i32 device id; list
//   of
//             u32 output segments that the client has let go; text api; list of values (positional); list of (text, value)
//             (keyword); list of values (arriving gradients)                  answered by kResults or kFailed
//   kResults  output segment; list of values (outputs); list of (text path, value) (gradients); the same (changed arguments);
//             list of text (notes); u64 most bytes that the framework held for the call beyond what it held before (0: not known)
//   kFailed   i32 status (ASSAY_*), u32 flags (kStateDoubtful), text message
//
//   segment   u32 id (0: none), u64 bytes, u32 flags. Shared memory (memfd) of the sender; its descriptor comes with the frame
//             when the receiver hasn't seen the id, so both sides map each segment once. Input segments are the client's: it uses
//             one at a time, and a new id makes the server forget the one before. Output segments are the server's: with
//             kSegmentPooled it uses the segment again as soon as a later kCall lets it go; without, both sides forget it.
//   value     u8 kind (ASSAY_VALUE_*), then by kind:
//             none, ellipsis: nothing    bool: u8    int: i64    float: f64    complex: f64, f64    string, memory format: text
//             dtype: u8 code, u8 bits, u16 lanes    device: i32, i32    slice: u8 present bits, i64 start, i64 stop, i64 step
//             list, tuple: list of values    dict: list of (text, value)
//             tensor: u8 code, u8 bits, u16 lanes, list of i64 sizes, u64 offset of the compact row-major data in the segment
//
// docs/mint-adapter.md says how the two sides behave when something goes wrong. A server that is lost is replaced before the next call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::bridge {

inline constexpr std::uint32_t kMagic = 0x52425341;  // "ASBR"
inline constexpr std::uint16_t kProtocolVersion = 2;
inline constexpr int kServerSocket = 3;
inline constexpr std::size_t kHeaderSize = 24;
inline constexpr std::uint32_t kMaxPayload = 64u << 20;  // tensors are not in the payload
inline constexpr std::uint64_t kTensorAlignment = 64;    // of tensor data in a segment

enum class FrameKind : std::uint16_t { kStart = 1, kReady = 2, kFailed = 3, kSupports = 4, kDone = 5, kCall = 6, kResults = 7 };

inline constexpr std::uint32_t kStateDoubtful = 1u << 0;  ///< of kFailed: start a new server before the next call
inline constexpr std::uint32_t kSegmentPooled = 1u << 0;

}  // namespace assay::bridge
