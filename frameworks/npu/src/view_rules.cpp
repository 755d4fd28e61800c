#include <limits>
#include <numeric>

#include "rule_values.hpp"

namespace assay::npu {

namespace {

const DeviceTensor& tensor_at(const DatumList& a) { return as_tensor(a[0], "a viewed tensor"); }

/// Dims moved from their places to others, the rest in order.
Dims moved_order(std::int64_t rank, const Dims& from, const Dims& to) {
  if (from.size() != to.size()) throw Error(ASSAY_INVALID_ARGUMENT, "as many sources as destinations are expected");
  Dims order(static_cast<std::size_t>(rank), -1);
  std::vector<bool> moved(order.size(), false);
  const Dims sources = from.empty() ? Dims() : wrap_dims(from, rank);
  const Dims targets = to.empty() ? Dims() : wrap_dims(to, rank);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    order[static_cast<std::size_t>(targets[i])] = sources[i];
    moved[static_cast<std::size_t>(sources[i])] = true;
  }
  std::int64_t next = 0;
  for (std::int64_t& place : order) {
    if (place != -1) continue;
    while (moved[static_cast<std::size_t>(next)]) ++next;
    place = next++;
  }
  return order;
}

/// The tensor along `dim` in its single steps.
Datum unbound(Runner&, const DatumList& a) {
  const DeviceTensor& tensor = tensor_at(a);
  if (tensor.rank() == 0) throw Error(ASSAY_INVALID_ARGUMENT, "a 0-d tensor can't be unbound");
  const std::int64_t dim = wrap_dim(as_integer(a[1], "dim"), tensor.rank());
  const std::int64_t count = tensor.shape[static_cast<std::size_t>(dim)];
  if (count > kMostParts) throw Error(ASSAY_UNSUPPORTED, "a tensor falls into " + std::to_string(count) + " parts");
  DatumList parts;
  for (std::int64_t i = 0; i < count; ++i) parts.emplace_back(selected(tensor, dim, i));
  return parts;
}

/// A joined tensor taken apart again along `dim`: parts of the tensors' shapes.
Datum split_like(Runner&, const DatumList& a) {
  const DeviceTensor& whole = tensor_at(a);
  const std::int64_t dim = wrap_dim(as_integer(a[2], "dim"), whole.rank());
  DatumList parts;
  std::int64_t start = 0;
  for (const Datum& item : as_list(a[1], "tensors")) {
    const DeviceTensor& tensor = as_tensor(item, "a joined tensor");
    const bool left_out = tensor.rank() != whole.rank();
    const std::int64_t size = left_out ? 0 : tensor.shape[static_cast<std::size_t>(dim)];
    parts.emplace_back(left_out ? reshaped(sliced(whole, dim, 0, 0, 1), {0}) : sliced(whole, dim, start, start + size, 1));
    start += size;
  }
  return parts;
}

Datum flattened(Runner& runner, const DatumList& a) {
  const DeviceTensor& tensor = tensor_at(a);
  if (tensor.rank() == 0) return reshaped(tensor, {1});
  const std::int64_t first = wrap_dim(as_integer(a[1], "start_dim"), tensor.rank());
  const std::int64_t last = wrap_dim(as_integer(a[2], "end_dim"), tensor.rank());
  if (first > last) throw Error(ASSAY_INVALID_ARGUMENT, "start_dim is behind end_dim");
  Dims shape(tensor.shape.begin(), tensor.shape.begin() + first);
  shape.push_back(element_count(Dims(tensor.shape.begin() + first, tensor.shape.begin() + last + 1)));
  shape.insert(shape.end(), tensor.shape.begin() + last + 1, tensor.shape.end());
  return reshaped(compacted(runner, tensor), std::move(shape));
}

}  // namespace

const std::vector<Rule>& view_rules() {
  static const std::vector<Rule> rules = {
      {"transposed", 1, 3,
       [](Runner&, const DatumList& a) {
         if (a.size() == 1) return Datum(tensor_at(a).rank() < 2 ? tensor_at(a) : transposed(tensor_at(a), -2, -1));
         if (a.size() == 2) throw Error(ASSAY_INVALID_ARGUMENT, "transposed takes no dims or two");
         return Datum(transposed(tensor_at(a), as_integer(a[1], "dim0"), as_integer(a[2], "dim1")));
       }},
      {"permuted", 2, 2, [](Runner&, const DatumList& a) { return Datum(permuted(tensor_at(a), as_dims(a[1], "dims"))); }},
      {"unpermuted", 2, 2,
       [](Runner&, const DatumList& a) {
         const Dims order = wrap_dims(as_dims(a[1], "dims"), tensor_at(a).rank());
         Dims inverse(order.size());
         for (std::size_t d = 0; d < order.size(); ++d) inverse[static_cast<std::size_t>(order[d])] = static_cast<std::int64_t>(d);
         return Datum(permuted(tensor_at(a), inverse));
       }},
      {"moved", 3, 3,
       [](Runner&, const DatumList& a) {
         const Dims order = moved_order(tensor_at(a).rank(), as_dims(a[1], "source"), as_dims(a[2], "destination"));
         return Datum(permuted(tensor_at(a), order));
       }},
      {"unsqueezed", 2, 2, [](Runner&, const DatumList& a) { return Datum(unsqueezed(tensor_at(a), as_integer(a[1], "dim"))); }},
      {"squeezed", 2, 2,
       [](Runner&, const DatumList& a) {
         const std::int64_t rank = tensor_at(a).rank();
         if (rank == 0) return Datum(tensor_at(a));
         const Dims dims = a[1].none() ? Dims() : as_dims(a[1], "dim");
         return Datum(squeezed(tensor_at(a), a[1].none() || !dims.empty() ? wrap_dims(dims, rank) : dims));
       }},
      {"expanded", 2, 2, [](Runner&, const DatumList& a) { return Datum(expanded(tensor_at(a), shape_of(a[1]))); }},
      {"sliced", 4, 5,
       [](Runner&, const DatumList& a) {
         const std::int64_t start = a[2].none() ? 0 : as_integer(a[2], "start");
         const std::int64_t stop = a[3].none() ? std::numeric_limits<std::int64_t>::max() : as_integer(a[3], "stop");
         const std::int64_t step = a.size() < 5 || a[4].none() ? 1 : as_integer(a[4], "step");
         return Datum(sliced(tensor_at(a), as_integer(a[1], "dim"), start, stop, step));
       }},
      {"selected", 3, 3,
       [](Runner&, const DatumList& a) {
         return Datum(selected(tensor_at(a), as_integer(a[1], "dim"), as_integer(a[2], "index")));
       }},
      {"viewed", 2, 2,
       [](Runner& runner, const DatumList& a) { return Datum(reshaped(compacted(runner, tensor_at(a)), shape_of(a[1]))); }},
      {"flattened", 3, 3, flattened},
      {"unbound", 2, 2, unbound},
      {"split_like", 3, 3, split_like},
  };
  return rules;
}

}  // namespace assay::npu
