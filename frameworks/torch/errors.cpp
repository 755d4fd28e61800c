#include "errors.hpp"

#include <c10/util/Exception.h>
#include <torch/csrc/api/include/torch/version.h>

#include <cctype>

namespace assay::torch_adapter {
namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// The message proper: without C++ frames and TorchScript traceback, on one line.
std::string one_line(std::string text) {
  // The interpreter wraps a message in its own traceback and puts it last.
  if (const auto last = text.rfind("\nRuntimeError: "); last != std::string::npos) text = text.substr(last + 15);
  if (const auto frames = text.find("\nException raised from"); frames != std::string::npos) text.resize(frames);
  std::string out;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '.')) out.pop_back();
  constexpr std::size_t kLongest = 400;
  if (out.size() > kLongest) out = out.substr(0, kLongest) + "...";
  const bool sentence_case = out.size() > 1 && std::isupper(static_cast<unsigned char>(out[0])) != 0 &&
                             std::islower(static_cast<unsigned char>(out[1])) != 0;
  if (sentence_case) out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
  return out;
}

}  // namespace

RunFailure describe_failure(const std::exception& error) {
  if (const auto* ours = dynamic_cast<const Error*>(&error)) return {ours->code(), false, ours->what()};
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return {ASSAY_OUT_OF_MEMORY, false, "out of memory"};
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  RunFailure failure;
  failure.message = one_line(torch_error != nullptr ? torch_error->what_without_backtrace() : error.what());
  failure.no_kernel = contains(failure.message, "not implemented for '") || contains(failure.message, "loating point");
  if (contains(failure.message, "not enough memory") || contains(failure.message, "can't allocate memory")) {
    failure.status = ASSAY_OUT_OF_MEMORY;
  } else if (contains(failure.message, "INTERNAL ASSERT")) {
    failure.status = ASSAY_INTERNAL;
  } else if (contains(failure.message, "not implemented") || contains(failure.message, "ould not run") ||
             contains(failure.message, "not supported") || contains(failure.message, "nsupported")) {
    failure.status = ASSAY_UNSUPPORTED;
  }
  return failure;
}

std::string compile_problem(const std::string& what) {
  const std::string version = std::to_string(TORCH_VERSION_MAJOR) + "." + std::to_string(TORCH_VERSION_MINOR);
  const std::string sign = "nknown builtin op: ";
  if (const auto at = what.find(sign); at != std::string::npos) {
    const auto end = what.find_first_of(".\n ", at + sign.size());
    return "LibTorch " + version + " has no " + what.substr(at + sign.size(), end - at - sign.size());
  }
  return "LibTorch " + version + " can't compile it: " + one_line(what);
}

}  // namespace assay::torch_adapter
