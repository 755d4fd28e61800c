// A value or the failure that kept it from being made, for work where failing is part of the job (load, parse, run, compare).
//
//   Result<Dump> dump = Dump::open(path);
//   if (!dump) return dump.failure();
//   use(*dump);
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace assay {

/// Which exit code and row class a failure leads to.
enum class FailureKind {
  kInput,        ///< the user's file, option or config is wrong (exit code 2)
  kUnsupported,  ///< right, but not possible here (a SKIP row)
  kPlugin,       ///< a plugin or worker failed (exit code 3)
  kInternal,     ///< our own mistake (exit code 70)
};

struct Failure {
  FailureKind kind = FailureKind::kInput;
  std::string message;  ///< lowercase fragment: subject, observed, expected, remedy; fits after "cannot ...:"
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  [[nodiscard]] const Failure& failure() const { return std::get<1>(state_); }

 private:
  std::variant<T, Failure> state_;
};

/// The result of work that gives nothing but success.
struct Done {};
using Status = Result<Done>;

inline Failure input_failure(std::string message) { return {FailureKind::kInput, std::move(message)}; }
inline Failure unsupported(std::string message) { return {FailureKind::kUnsupported, std::move(message)}; }
inline Failure plugin_failure(std::string message) { return {FailureKind::kPlugin, std::move(message)}; }
inline Failure internal_failure(std::string message) { return {FailureKind::kInternal, std::move(message)}; }

}  // namespace assay
