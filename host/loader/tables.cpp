#include "loader/tables.hpp"

#include <algorithm>
#include <cstring>

#include "assay/abi/adapter.h"
#include "assay/abi/comparison.h"
#include "assay/abi/operator.h"
#include "assay/abi/perturbation.h"
#include "assay/sdk/error.hpp"

namespace assay {

namespace {

constexpr std::size_t kHeaderSize = 8;

assay_status left_out(assay_error* err) { return set_error(err, ASSAY_UNSUPPORTED, "the plugin leaves this function out"); }

const assay_adapter kAdapterStubs = {
    sizeof(assay_adapter), 0, [](assay_instance*, assay_adapter_info*, assay_error* err) { return left_out(err); },
    [](assay_instance*, const char*, std::int32_t, assay_error* err) { return left_out(err); },
    [](assay_instance*, const assay_call*, assay_results*, assay_error* err) { return left_out(err); }};

const assay_memory_stats kMemoryStatsStubs = {
    sizeof(assay_memory_stats), 0, [](assay_instance*, std::uint64_t*, std::uint64_t*, assay_error* err) { return left_out(err); },
    [](assay_instance*) {}};

const assay_comparison kComparisonStubs = {
    sizeof(assay_comparison), 0,
    [](const assay_instance*, std::uint64_t* count) -> const assay_metric_info* const* {
      *count = 0;
      return nullptr;
    },
    [](const assay_instance*, const assay_pair*, double*, std::uint8_t*, assay_error* err) { return left_out(err); }};

const assay_perturbation kPerturbationStubs = {
    sizeof(assay_perturbation), 0,
    [](const assay_instance*, const assay_tensor*, assay_perturbed_layout*, assay_error* err) { return left_out(err); },
    [](const assay_instance*, const assay_tensor*, std::uint64_t, std::uint32_t, assay_tensor*, std::uint64_t*, assay_error* err) {
      return left_out(err);
    }};

const assay_operator kOperatorStubs = {
    sizeof(assay_operator), 0,
    [](const assay_instance*, std::uint64_t* count) -> const char* const* {
      *count = 0;
      return nullptr;
    },
    [](assay_instance*, const assay_call*, assay_results*, assay_error* err) { return left_out(err); }};

template <class Table>
TableInfo describe(const char* extension, const char* kind, const Table& stubs, std::vector<TableSlot> slots) {
  static_assert((sizeof(Table) - kHeaderSize) % sizeof(std::uint64_t) == 0, "a table is a header and function pointers");
  const std::size_t size = kHeaderSize + slots.size() * sizeof(std::uint64_t);
  return {extension, kind, size, sizeof(Table), &stubs, std::move(slots)};
}

std::uint32_t size_of(const void* table) {
  std::uint32_t size = 0;
  std::memcpy(&size, table, sizeof size);
  return size;
}

std::uint64_t slot_of(const void* table, std::size_t index) {
  std::uint64_t slot = 0;
  std::memcpy(&slot, static_cast<const char*>(table) + kHeaderSize + index * sizeof slot, sizeof slot);
  return slot;
}

}  // namespace

const std::vector<TableInfo>& known_tables() {
  static const std::vector<TableInfo> tables = {
      describe(ASSAY_EXT_ADAPTER, ASSAY_KIND_ADAPTER, kAdapterStubs, {{"describe", true}, {"supports", true}, {"invoke", true}}),
      describe(ASSAY_EXT_MEMORY_STATS, nullptr, kMemoryStatsStubs, {{"read", false}, {"reset_peak", false}}),
      describe(ASSAY_EXT_COMPARISON, ASSAY_KIND_COMPARISON, kComparisonStubs, {{"metrics", true}, {"compare", true}}),
      describe(ASSAY_EXT_PERTURBATION, ASSAY_KIND_PERTURBATION, kPerturbationStubs, {{"plan", true}, {"apply", true}}),
      describe(ASSAY_EXT_OPERATOR, ASSAY_KIND_OPERATOR, kOperatorStubs, {{"apis", true}, {"invoke", true}})};
  return tables;
}

const TableInfo* find_table(const char* extension) {
  for (const TableInfo& info : known_tables()) {
    if (std::strcmp(info.extension, extension) == 0) return &info;
  }
  return nullptr;
}

const TableInfo* main_table_of_kind(const std::string& kind) {
  for (const TableInfo& info : known_tables()) {
    if (info.kind != nullptr && info.kind == kind) return &info;
  }
  return nullptr;
}

Status check_table(const TableInfo& info, const void* table) {
  const std::string name = "table '" + std::string(info.extension) + "'";
  if (table == nullptr) return plugin_failure(name + " is missing");
  if (size_of(table) < info.first_size) {
    return plugin_failure(name + " has struct_size " + std::to_string(size_of(table)) + ", expected at least " +
                          std::to_string(info.first_size));
  }
  for (std::size_t i = 0; i < info.slots.size(); ++i) {
    if (info.slots[i].required && slot_of(table, i) == 0) {
      return plugin_failure(name + " has no function '" + info.slots[i].name + "'");
    }
  }
  return Done{};
}

std::vector<std::uint64_t> complete_table(const TableInfo& info, const void* table) {
  std::vector<std::uint64_t> full(info.size / sizeof(std::uint64_t));
  std::memcpy(full.data(), info.stubs, info.size);
  const std::size_t given = std::min<std::size_t>(size_of(table), info.size);
  // struct_size stays the full one; the word beside it holds flags.
  std::memcpy(reinterpret_cast<char*>(full.data()) + sizeof(std::uint32_t), static_cast<const char*>(table) + sizeof(std::uint32_t),
              kHeaderSize - sizeof(std::uint32_t));
  for (std::size_t i = 0; kHeaderSize + (i + 1) * sizeof(std::uint64_t) <= given; ++i) {
    if (const std::uint64_t slot = slot_of(table, i); slot != 0) full[i + 1] = slot;
  }
  return full;
}

}  // namespace assay
