#include "validator/elf_exports.hpp"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "base/files.hpp"

namespace assay::validator {

namespace {

/// A bounds-checked copy out of the file: nothing in it is trusted.
template <class T>
std::optional<T> read_at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::optional<std::string> text_at(std::string_view file, std::uint64_t offset) {
  if (offset >= file.size()) return std::nullopt;
  const std::size_t end = file.find('\0', offset);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(file.substr(offset, end - offset));
}

bool is_exported(const Elf64_Sym& symbol) {
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);
  const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && binding != STB_LOCAL && (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

}  // namespace

Result<std::vector<std::string>> exported_symbols(const std::filesystem::path& library) {
  const Result<MappedFile> mapped = MappedFile::open(library);
  if (!mapped) return mapped.failure();
  const std::string_view file = mapped->text();
  const auto damaged = [&](const char* what) { return input_failure("read symbols of '" + library.string() + "': " + what); };

  const auto header = read_at<Elf64_Ehdr>(file, 0);
  const unsigned char order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != order) {
    return damaged("no 64-bit ELF file of this machine");
  }
  std::vector<std::string> names;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(file, header->e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
    if (!section) return damaged("a section header lies outside of the file");
    if (section->sh_type != SHT_DYNSYM) continue;
    const auto strings = read_at<Elf64_Shdr>(file, header->e_shoff + std::uint64_t{section->sh_link} * sizeof(Elf64_Shdr));
    if (!strings || section->sh_size > file.size()) return damaged("the symbol table lies outside of the file");
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section->sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(file, section->sh_offset + at);
      if (!symbol) return damaged("a symbol lies outside of the file");
      if (!is_exported(*symbol)) continue;
      const std::optional<std::string> name = text_at(file, strings->sh_offset + symbol->st_name);
      if (!name) return damaged("a symbol's name lies outside of the file");
      names.push_back(*name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace assay::validator
