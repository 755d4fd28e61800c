// Any bytes as a CSV file.
#include "base/csv_reader.hpp"
#include "memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const assay::MemoryFile file(data, size);
  assay::Result<assay::CsvReader> reader = assay::CsvReader::open(file.path());
  if (!reader) return 0;
  assay::CsvRecord record;
  std::size_t line = 0;
  while (true) {
    const assay::Result<bool> more = reader->next(record);
    if (!more || !*more) return 0;
    if (record.line <= line || record.cells.size() > assay::CsvReader::kMaxCells) std::abort();
    line = record.line;
  }
}
