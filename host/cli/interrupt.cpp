#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>

#include "cli/exit_codes.hpp"

namespace assay {

namespace {

std::atomic<bool> g_stop{false};

extern "C" void on_interrupt(int) {
  if (g_stop.exchange(true)) ::_exit(kExitInterrupted);
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  return g_stop;
}

}  // namespace assay
