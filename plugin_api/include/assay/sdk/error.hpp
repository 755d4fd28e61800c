// assay/sdk/error.hpp: the exception that plugin code throws, and the guard that turns it into a status at the boundary.
#pragma once

#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "assay/abi/base.h"

namespace assay {

/// A failure with the status that crosses the boundary; the message is a lowercase fragment that fits after "cannot ...:".
class Error : public std::runtime_error {
 public:
  Error(assay_status code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] assay_status code() const noexcept { return code_; }

 private:
  assay_status code_;
};

/// Fills `err` (may be null) and returns `code`, so that a callback can `return set_error(...)`.
inline assay_status set_error(assay_error* err, assay_status code, const char* message) noexcept {
  if (err != nullptr && ASSAY_HAS(assay_error, err, release)) {
    const std::size_t size = std::strlen(message) + 1;
    char* copy = new (std::nothrow) char[size];
    if (copy != nullptr) std::memcpy(copy, message, size);
    err->code = code;
    err->message = copy != nullptr ? copy : "out of memory";
    err->private_data = copy;
    err->release = [](assay_error* self) {
      delete[] static_cast<char*>(self->private_data);
      self->private_data = nullptr;
      self->message = nullptr;
      self->release = nullptr;
    };
  }
  return code;
}

/// Runs `body`; whatever it throws becomes a status. Every callback in a table is one guard() call.
template <class Body>
assay_status guard(assay_error* err, Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return ASSAY_OK;
  } catch (const Error& e) {
    return set_error(err, e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return set_error(err, ASSAY_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return set_error(err, ASSAY_INTERNAL, e.what());
  } catch (...) {
    return set_error(err, ASSAY_INTERNAL, "unknown exception");
  }
}

/// An error slot for calls in the other direction: `ErrorSlot err; table->f(..., err.get())`.
class ErrorSlot {
 public:
  ErrorSlot() { error_.struct_size = sizeof error_; }
  ~ErrorSlot() {
    if (error_.release != nullptr) error_.release(&error_);
  }
  ErrorSlot(const ErrorSlot&) = delete;
  ErrorSlot& operator=(const ErrorSlot&) = delete;

  assay_error* get() noexcept { return &error_; }
  [[nodiscard]] std::string message() const { return error_.message != nullptr ? error_.message : "no message given"; }

 private:
  assay_error error_{};
};

}  // namespace assay
