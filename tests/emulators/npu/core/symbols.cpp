// Hides exported functions of the library this file is linked into, before anybody can look them up: for a library that lacks an
// operator, or an old version. It is compiled into each of them.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "core/config.hpp"
#include "newer_operators.hpp"

namespace {

// What is not in CANN 8.1 beside the operators of kNewerOperators, which generate.py makes.
constexpr std::array<std::string_view, 11> kNewer = {"aclFinalizeReference",
                                                     "aclsysGetVersionStr",
                                                     "aclsysGetVersionNum",
                                                     "aclrtGetDeviceInfo",
                                                     "aclrtSetDeviceResLimit",
                                                     "aclrtGetDeviceResLimit",
                                                     "aclrtCtxGetCurrentDefaultStream",
                                                     "aclrtGetPrimaryCtxState",
                                                     "aclrtGetStreamAvailableNum",
                                                     "aclrtLaunchHostFunc",
                                                     "aclrtGetMemUsageInfo"};

// "aclnnErf" hides both of its functions.
bool is_hidden(std::string_view symbol) {
  const assay::emulator::Config& config = assay::emulator::config();
  constexpr std::string_view kPhase1 = "GetWorkspaceSize";
  std::string_view plain = symbol;
  if (plain.size() > kPhase1.size() && plain.substr(plain.size() - kPhase1.size()) == kPhase1) {
    plain.remove_suffix(kPhase1.size());
  }
  const auto names = [&](const auto& list) {
    return std::any_of(std::begin(list), std::end(list), [&](const auto& name) { return name == symbol || name == plain; });
  };
  return names(config.missing) || (config.old_version && (names(kNewer) || names(kNewerOperators)));
}

struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::size_t count = 0;
};

// The number of symbols: the end of the last chain of the GNU hash table.
std::size_t count_symbols(const std::uint32_t* table) {
  const std::uint32_t buckets = table[0];
  const std::uint32_t first = table[1];
  const std::uint32_t bloom_words = table[2];
  const std::uint32_t* bucket = table + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
  const std::uint32_t* chains = bucket + buckets;
  const std::uint32_t last = *std::max_element(bucket, bucket + buckets);
  if (last < first) {
    return first;
  }
  std::uint32_t index = last;
  while ((chains[index - first] & 1U) == 0) {
    ++index;
  }
  return index + 1;
}

Tables tables_of(const link_map& library) {
  Tables tables;
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto address = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) {
      tables.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
    } else if (entry->d_tag == DT_STRTAB) {
      tables.names = reinterpret_cast<const char*>(address);
    } else if (entry->d_tag == DT_GNU_HASH) {
      tables.count = count_symbols(reinterpret_cast<const std::uint32_t*>(address));
    }
  }
  return tables;
}

void hide(const ElfW(Sym) & symbol) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(&symbol);
  const std::uintptr_t first = address / page * page;
  const std::size_t size = (address + sizeof symbol + page - 1) / page * page - first;
  ::mprotect(reinterpret_cast<void*>(first), size, PROT_READ | PROT_WRITE);
  auto& writable = const_cast<ElfW(Sym)&>(symbol);
  writable.st_shndx = SHN_UNDEF;
  writable.st_value = 0;
  ::mprotect(reinterpret_cast<void*>(first), size, PROT_READ);
}

__attribute__((constructor)) void hide_symbols() {
  const assay::emulator::Config& config = assay::emulator::config();
  if (config.missing.empty() && !config.old_version) {
    return;
  }
  Dl_info info;
  void* library = nullptr;
  if (::dladdr1(reinterpret_cast<const void*>(&hide_symbols), &info, &library, RTLD_DL_LINKMAP) == 0) {
    return;
  }
  const Tables tables = tables_of(*static_cast<const link_map*>(library));
  for (std::size_t i = 0; i < tables.count; ++i) {
    const ElfW(Sym)& symbol = tables.symbols[i];
    if (symbol.st_shndx != SHN_UNDEF && is_hidden(tables.names + symbol.st_name)) {
      hide(symbol);
    }
  }
}

}  // namespace
