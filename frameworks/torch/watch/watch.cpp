// The C API, and the fallback that LibTorch calls for every outermost operator of a watched thread.
#include "assay/watch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <torch/csrc/api/include/torch/version.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "base/locations.hpp"
#include "call_site.hpp"
#include "session.hpp"

namespace assay::watch {

namespace {

constexpr c10::DispatchKey kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;

void see_operator(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  // What runs inside is not an outermost operator.
  const c10::impl::ExcludeDispatchKeyGuard inside(kKey);
  const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kKey);
  if (Session* session = running()) return session->run_operator(op, below, stack);
  op.redispatchBoxed(below, stack);
}

std::mutex& control() {
  static std::mutex mutex;
  return mutex;
}

void watch_thread(bool on) { c10::impl::tls_set_dispatch_key_included(kKey, on); }

/// A forked process isn't watched: its rows would mix with those of its parent.
void handle_forks() {
  static const int registered = ::pthread_atfork(
      [] {
        control().lock();
        if (Session* session = running()) session->mutex().lock();
      },
      [] {
        if (Session* session = running()) session->mutex().unlock();
        control().unlock();
      },
      [] {
        if (Session* session = running()) session->mutex().unlock();
        set_running(nullptr);
        watch_thread(false);
        control().unlock();
      });
  static_cast<void>(registered);
}

/// The folder with share and lib that this library belongs to, unless ASSAY_HOME says it.
void find_home() {
  Dl_info own{};
  if (::dladdr(reinterpret_cast<void*>(&find_home), &own) == 0 || own.dli_fname == nullptr) return;
  std::error_code error;
  const std::filesystem::path library = std::filesystem::canonical(own.dli_fname, error);
  for (std::filesystem::path folder = library.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (!std::filesystem::is_directory(folder / "share" / "assay" / "pipelines", error)) continue;
    ::setenv("ASSAY_HOME", folder.c_str(), 0);
    return;
  }
}

int32_t report(const Failure& failure, char* message, std::size_t size) {
  if (message != nullptr && size != 0) {
    const std::size_t length = std::min(size - 1, failure.message.size());
    std::memcpy(message, failure.message.data(), length);
    message[length] = 0;
  }
  return failure.kind == FailureKind::kInternal ? ASSAY_WATCH_INTERNAL : ASSAY_WATCH_INVALID_ARGUMENT;
}

template <class Body>
int32_t contained(char* message, std::size_t size, Body&& body) noexcept {
  try {
    const Status status = body();
    return status ? ASSAY_WATCH_OK : report(status.failure(), message, size);
  } catch (const std::exception& e) {
    return report(internal_failure(e.what()), message, size);
  }
}

/// Starts the watch of a program that only has this library preloaded (`assay watch --preload`).
const bool preloaded = [] {
  const char* out = std::getenv("ASSAY_WATCH_OUT");
  if (std::getenv("ASSAY_WATCH_PRELOADED") == nullptr || out == nullptr) return false;
  char message[1024] = "";
  if (assay_watch_start(std::getenv("ASSAY_WATCH_CONFIG"), out, message, sizeof message) != ASSAY_WATCH_OK) {
    std::fprintf(stderr, "assay: watch: %s; the program runs without it\n", message);
    return false;
  }
  std::atexit([] { assay_watch_stop(); });
  return true;
}();

}  // namespace

}  // namespace assay::watch

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&assay::watch::see_operator>());
}

using namespace assay::watch;

const char* assay_watch_torch_version(void) { return TORCH_VERSION; }

int32_t assay_watch_start(const char* config_json, const char* out, char* message, size_t message_size) {
  return contained(message, message_size, [&]() -> assay::Status {
    const std::lock_guard lock(control());
    if (running() != nullptr) return assay::input_failure("start the watch: one is running already; stop it first");
    if (out == nullptr || *out == 0) return assay::input_failure("start the watch: no folder for the results is given");
    find_home();
    assay::Result<std::shared_ptr<Session>> session = Session::start(config_json != nullptr ? config_json : "", out);
    if (!session) return session.failure();
    handle_forks();
    if ((*session)->watches_rank()) {
      set_running(std::move(*session));
      watch_thread(true);
    }
    return assay::Done{};
  });
}

int32_t assay_watch_step(void) {
  return contained(nullptr, 0, [] {
    const std::lock_guard lock(control());
    Session* session = running();
    return session != nullptr ? session->end_step() : assay::Status(assay::Done{});
  });
}

int32_t assay_watch_stop(void) {
  return contained(nullptr, 0, [] {
    const std::lock_guard lock(control());
    watch_thread(false);
    Session* session = running();
    set_running(nullptr);
    return session != nullptr ? session->stop() : assay::Status(assay::Done{});
  });
}

void assay_watch_thread(int32_t on) { watch_thread(on != 0); }

void assay_watch_pause(int32_t on) {
  if (Session* session = running()) session->set_paused(on != 0);
}

void assay_watch_module(const char* name) {
  if (name != nullptr) {
    module_stack().emplace_back(name);
  } else if (!module_stack().empty()) {
    module_stack().pop_back();
  }
}

void assay_watch_set_call_site(assay_watch_call_site function) { set_call_site_source(function); }

void assay_watch_note(const char* text) {
  if (Session* session = running(); session != nullptr && text != nullptr) session->note(text);
}

void assay_watch_get_numbers(assay_watch_numbers* out) {
  Session* session = running();
  assay_watch_numbers numbers{};
  numbers.covered_after = -1;
  if (session != nullptr) numbers = session->numbers();
  const std::uint32_t size = std::min(out->struct_size, static_cast<std::uint32_t>(sizeof numbers));
  numbers.struct_size = out->struct_size;
  std::memcpy(out, &numbers, size);
}
