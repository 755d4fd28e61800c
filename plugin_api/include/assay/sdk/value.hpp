// assay/sdk/value.hpp: an owned value tree, and the lowering of such trees to what crosses the boundary.
#pragma once

#include <complex>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "assay/abi/call.h"
#include "assay/sdk/tensor.hpp"

namespace assay {

struct Value;

struct None {};
struct Ellipsis {};
struct MemoryFormat {
  std::string name;
};
struct List {
  std::vector<Value> items;
};
struct Tuple {
  std::vector<Value> items;
};
struct Dict {
  std::vector<std::pair<std::string, Value>> items;
};

/// One argument or result, with everything it holds.
struct Value {
  using Storage = std::variant<None, bool, std::int64_t, double, std::complex<double>, std::string, assay_dtype, assay_device,
                               assay_slice, Ellipsis, MemoryFormat, Tensor, List, Tuple, Dict>;
  Storage data;

  Value() = default;
  template <class T, class = std::enable_if_t<std::is_constructible_v<Storage, T&&> && !std::is_same_v<std::decay_t<T>, Value>>>
  Value(T&& value) : data(std::forward<T>(value)) {}

  template <class T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(data);
  }
  template <class T>
  [[nodiscard]] const T& as() const {
    return std::get<T>(data);
  }
  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&data);
  }
};

using NamedValue = std::pair<std::string, Value>;

/// Holds the arrays behind lowered values. The values it gives are borrowed from it and from the trees they were made of.
class ValueArena {
 public:
  assay_value lower(const Value& value) {
    assay_value out{};
    std::visit([&](const auto& v) { fill(out, v); }, value.data);
    return out;
  }

  const assay_value* lower_all(const std::vector<Value>& values) {
    auto& array = arrays_.emplace_back(std::make_unique<assay_value[]>(values.size()));
    assay_value* const out = array.get();
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = lower(values[i]);
    return out;
  }

  const assay_named_value* lower_named(const std::vector<NamedValue>& values) {
    auto& array = named_arrays_.emplace_back(std::make_unique<assay_named_value[]>(values.size()));
    assay_named_value* const out = array.get();
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = {values[i].first.c_str(), lower(values[i].second)};
    return out;
  }

 private:
  void fill(assay_value& out, const None&) { out.kind = ASSAY_VALUE_NONE; }
  void fill(assay_value& out, const Ellipsis&) { out.kind = ASSAY_VALUE_ELLIPSIS; }
  void fill(assay_value& out, bool v) {
    out.kind = ASSAY_VALUE_BOOL;
    out.as.boolean = v ? 1 : 0;
  }
  void fill(assay_value& out, std::int64_t v) {
    out.kind = ASSAY_VALUE_INT;
    out.as.integer = v;
  }
  void fill(assay_value& out, double v) {
    out.kind = ASSAY_VALUE_FLOAT;
    out.as.real = v;
  }
  void fill(assay_value& out, const std::complex<double>& v) {
    out.kind = ASSAY_VALUE_COMPLEX;
    out.as.complex = {v.real(), v.imag()};
  }
  void fill(assay_value& out, const std::string& v) {
    out.kind = ASSAY_VALUE_STRING;
    out.as.string = {v.data(), v.size()};
  }
  void fill(assay_value& out, const MemoryFormat& v) {
    out.kind = ASSAY_VALUE_MEMORY_FORMAT;
    out.as.string = {v.name.data(), v.name.size()};
  }
  void fill(assay_value& out, const assay_dtype& v) {
    out.kind = ASSAY_VALUE_DTYPE;
    out.as.dtype = v;
  }
  void fill(assay_value& out, const assay_device& v) {
    out.kind = ASSAY_VALUE_DEVICE;
    out.as.device = v;
  }
  void fill(assay_value& out, const assay_slice& v) {
    out.kind = ASSAY_VALUE_SLICE;
    out.as.slice = v;
  }
  void fill(assay_value& out, const Tensor& v) {
    out.kind = ASSAY_VALUE_TENSOR;
    out.as.tensor = &v.abi();
  }
  void fill(assay_value& out, const List& v) {
    out.kind = ASSAY_VALUE_LIST;
    out.as.sequence = {lower_all(v.items), v.items.size()};
  }
  void fill(assay_value& out, const Tuple& v) {
    out.kind = ASSAY_VALUE_TUPLE;
    out.as.sequence = {lower_all(v.items), v.items.size()};
  }
  void fill(assay_value& out, const Dict& v) {
    out.kind = ASSAY_VALUE_DICT;
    out.as.dict = {lower_named(v.items), v.items.size()};
  }

  std::deque<std::unique_ptr<assay_value[]>> arrays_;
  std::deque<std::unique_ptr<assay_named_value[]>> named_arrays_;
};

/// The owned results of one call.
struct Results {
  std::vector<Value> outputs;
  std::vector<NamedValue> gradients;  ///< by argument path
  std::vector<NamedValue> mutated;    ///< by argument path
  std::vector<std::string> notes;
};

namespace detail {

struct ResultsHolder {
  Results results;
  ValueArena arena;
  std::vector<assay_path_value> gradients;
  std::vector<assay_path_value> mutated;
  std::vector<const char*> notes;

  const assay_path_value* lower_paths(const std::vector<NamedValue>& values, std::vector<assay_path_value>& out) {
    for (const auto& [path, value] : values) out.push_back({path.c_str(), arena.lower(value)});
    return out.data();
  }
};

}  // namespace detail

/// Moves results into the caller's assay_results, whose `release` frees them.
inline void give_results(Results&& results, assay_results& out) {
  auto holder = std::make_unique<detail::ResultsHolder>();
  holder->results = std::move(results);
  const Results& kept = holder->results;
  out.outputs = holder->arena.lower_all(kept.outputs);
  out.output_count = kept.outputs.size();
  out.gradients = holder->lower_paths(kept.gradients, holder->gradients);
  out.gradient_count = kept.gradients.size();
  out.mutated = holder->lower_paths(kept.mutated, holder->mutated);
  out.mutated_count = kept.mutated.size();
  for (const std::string& note : kept.notes) holder->notes.push_back(note.c_str());
  out.notes = holder->notes.data();
  out.note_count = holder->notes.size();
  out.private_data = holder.release();
  out.release = [](assay_results* self) {
    delete static_cast<detail::ResultsHolder*>(self->private_data);
    self->private_data = nullptr;
    self->release = nullptr;
  };
}

}  // namespace assay
