// Any bytes as the journal of a run: what opens must hold its rows, and take another one.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/journal.hpp"
#include "memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path = "/dev/shm/assay-journal-fuzz-" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  {
    assay::Result<assay::Journal> journal = assay::Journal::open(path);
    if (journal) {
      for (std::size_t position = 0; position < 8; ++position) {
        if (journal->has(position) && !journal->read(position)) std::abort();
      }
      if (!journal->append(3, "row") || !journal->sync() || *journal->read(3) != "row") std::abort();
    }
  }
  std::filesystem::remove(path);
  return 0;
}
