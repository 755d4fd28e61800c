#include "call_site.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace assay::watch {

namespace {

std::atomic<assay_watch_call_site> source{nullptr};

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string from_stack() {
  std::array<void*, 64> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  Dl_info own{};
  if (::dladdr(reinterpret_cast<void*>(&from_stack), &own) == 0) return {};
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    void* frame = frames[static_cast<std::size_t>(i)];
    if (::dladdr(frame, &info) == 0 || info.dli_fname == nullptr || info.dli_fbase == own.dli_fbase) continue;
    const std::string_view file = file_name(info.dli_fname);
    if (file.rfind("libtorch", 0) == 0 || file.rfind("libc10", 0) == 0) continue;
    std::string name;
    if (info.dli_sname != nullptr) {
      int status = 0;
      const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), std::free);
      name = plain ? plain.get() : info.dli_sname;
      if (name.rfind("at::", 0) == 0 || name.rfind("c10::", 0) == 0 || name.rfind("torch::", 0) == 0) continue;
    }
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%zx",
                  static_cast<std::size_t>(static_cast<char*>(frame) - static_cast<char*>(info.dli_fbase)));
    return std::string(file) + offset + (name.empty() ? "" : " (" + name.substr(0, 200) + ")");
  }
  return {};
}

}  // namespace

void set_call_site_source(assay_watch_call_site function) { source = function; }

std::string current_call_site() {
  if (const assay_watch_call_site function = source) {
    std::array<char, 512> text{};
    function(text.data(), text.size());
    text.back() = 0;
    return text.data();
  }
  return from_stack();
}

}  // namespace assay::watch
