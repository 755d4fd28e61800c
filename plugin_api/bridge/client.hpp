// The client's side of the bridge: starts a server, has it do calls, replaces it when it is lost.
//
//   Client client(log, options);
//   Results results = client.invoke(call);
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "assay/sdk/adapter.hpp"
#include "bridge/server_process.hpp"
#include "bridge/shared_memory.hpp"
#include "bridge/wire.hpp"

namespace assay::bridge {

using Seconds = std::chrono::duration<double>;

struct ClientOptions {
  std::vector<std::string> command;  ///< path of the program, arguments
  std::string settings;              ///< of kStart
  std::string subject;               ///< of messages: "the python server"
  Seconds call_limit{300};
  Seconds start_limit{300};
  std::uint64_t memory_limit = 0;                       ///< bytes that a call's tensors may take; 0: no limit
  std::uint64_t keep_bytes = std::uint64_t{256} << 20;  ///< shared memory kept between calls
};

/// What a server printed last: often why it died.
class LastLine {
 public:
  void set(const std::string& line);
  [[nodiscard]] std::string get() const;

 private:
  mutable std::mutex mutex_;
  std::string line_;
};

class Client {
 public:
  /// Starts the server. Throws Error: what the server says, ASSAY_UNSUPPORTED if the program can't be started, ASSAY_INTERNAL if it
  /// ends or gives no answer.
  Client(const Log& log, ClientOptions options);

  [[nodiscard]] const AdapterInfo& info() const { return info_; }
  void require_support(const std::string& api, std::int32_t direction);
  /// Throws Error: what the server says, or ASSAY_INTERNAL with how it was lost.
  Results invoke(const assay_call& call);
  /// What the framework held for the last call beyond what it held before; 0: not known.
  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  struct Server {
    std::unique_ptr<ServerProcess> process;
    std::shared_ptr<ReceivedSegments> outputs = std::make_shared<ReceivedSegments>();
    std::shared_ptr<LastLine> last_line = std::make_shared<LastLine>();
  };

  void start();
  void ensure_server();
  Frame exchange(FrameKind kind, const std::string& payload, int fd, Seconds limit);
  [[noreturn]] void lose_server(const ChannelError& error, Seconds limit);
  [[noreturn]] void fail(const Frame& frame);
  Results read_results(const Frame& frame);

  Log log_;
  ClientOptions options_;
  AdapterInfo info_;
  InputArena inputs_;
  Server server_;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace assay::bridge
