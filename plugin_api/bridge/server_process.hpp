// The process of a server: started in a group of its own, with stdout and stderr going to the log and the protocol on a socket that
// no print can reach. It never outlives us.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bridge/channel.hpp"

namespace assay::bridge {

class ServerProcess {
 public:
  using LineSink = std::function<void(const std::string&)>;

  /// Starts `command` (first entry: path of the program) with its end of the socket as descriptor kServerSocket; `on_line` gets
  /// each line it prints, from another thread. Throws Error(ASSAY_UNSUPPORTED) if the program can't be started.
  ServerProcess(std::vector<std::string> command, LineSink on_line);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  [[nodiscard]] Channel& channel() { return *channel_; }
  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Closes the channel, waits `grace` for the process to leave, kills what is left of its group, and says how the process ended:
  /// "exited with code 1", "was killed by signal 11 (Segmentation fault)".
  std::string stop(std::chrono::milliseconds grace);

 private:
  void pump_lines(const LineSink& on_line) const;
  [[nodiscard]] bool ended_within(std::chrono::milliseconds grace) const;

  std::unique_ptr<Channel> channel_;
  FileDescriptor log_read_;
  FileDescriptor stop_pump_;  // an eventfd
  std::thread keeper_;
  pid_t pid_ = -1;
  int wait_status_ = 0;
  bool reaped_ = false;
};

}  // namespace assay::bridge
