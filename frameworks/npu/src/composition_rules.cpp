#include <algorithm>

#include "dtypes.hpp"
#include "rule_values.hpp"

namespace assay::npu {

namespace {

Dims broadcast_of(const Datum& left, const Datum& right) { return broadcast_shapes(shape_of(left), shape_of(right)); }

/// left op right, where at most one is a number.
DeviceTensor arithmetic(Runner& runner, const Datum& left, const Datum& right, const char* of_tensors, const char* of_scalar,
                        bool with_alpha) {
  const DeviceTensor out = runner.make(common_dtype({left, right}), broadcast_of(left, right));
  DatumList arguments = {left, right};
  if (with_alpha) arguments.emplace_back(std::int64_t{1});
  arguments.emplace_back(out);
  runner.call(right.is<DeviceTensor>() ? of_tensors : of_scalar, std::move(arguments));
  return out;
}

DeviceTensor times(Runner& runner, const Datum& left, const Datum& right) {
  const bool swap = !left.is<DeviceTensor>();
  return arithmetic(runner, swap ? right : left, swap ? left : right, "aclnnMul", "aclnnMuls", false);
}

DeviceTensor plus(Runner& runner, const Datum& left, const Datum& right) {
  const bool swap = !left.is<DeviceTensor>();
  return arithmetic(runner, swap ? right : left, swap ? left : right, "aclnnAdd", "aclnnAdds", true);
}

Datum minus(Runner& runner, const DatumList& a) {
  if (!a[0].is<DeviceTensor>()) return plus(runner, times(runner, a[1], Datum(std::int64_t{-1})), a[0]);
  return arithmetic(runner, a[0], a[1], "aclnnSub", "aclnnSubs", true);
}

Datum over(Runner& runner, const DatumList& a) {
  if (!a[0].is<DeviceTensor>()) {
    const DeviceTensor& divisor = as_tensor(a[1], "a divisor");
    const DeviceTensor inverse = runner.make(divisor.dtype, divisor.shape);
    runner.call("aclnnReciprocal", {divisor, inverse});
    return times(runner, inverse, a[0]);
  }
  return arithmetic(runner, a[0], a[1], "aclnnDiv", "aclnnDivs", false);
}

/// An operator with one output of the operands' common shape and dtype: applied('aclnnCos', x)
Datum applied(Runner& runner, const DatumList& a) {
  DatumList operands(a.begin() + 1, a.end());
  Dims shape;
  for (const Datum& operand : operands) {
    if (operand.is<DeviceTensor>()) shape = broadcast_shapes(shape, shape_of(operand));
  }
  const DeviceTensor out = runner.make(common_dtype(operands), std::move(shape));
  operands.emplace_back(out);
  runner.call(as_text(a[0], "an operator's name"), std::move(operands));
  return out;
}

/// The same where the output is bool: compared('aclnnGtScalar', x, 0)
Datum compared(Runner& runner, const DatumList& a) {
  DatumList operands(a.begin() + 1, a.end());
  const DeviceTensor out = runner.make(kBool, broadcast_of(operands.at(0), operands.back()));
  operands.emplace_back(out);
  runner.call(as_text(a[0], "an operator's name"), std::move(operands));
  return out;
}

Datum zeros(Runner& runner, const DatumList& a) {
  const DeviceTensor out = runner.make(as_dtype(a[1], "a dtype"), shape_of(a[0]));
  runner.device().fill_zero(out.memory.get(), static_cast<std::size_t>(out.elements) * dtype_size(out.dtype));
  return out;
}

Datum filled(Runner& runner, const DatumList& a) {
  const DeviceTensor out = runner.make(as_dtype(a[2], "a dtype"), shape_of(a[0]));
  if (out.elements != 0) runner.call("aclnnInplaceFillScalar", {out, a[1]});
  return out;
}

/// aclnnInplaceCopy doesn't take 0-d tensors: they are looked at as 1-d ones.
DeviceTensor copy_of(Runner& runner, const DeviceTensor& tensor) {
  DeviceTensor copy = runner.make(tensor.dtype, tensor.shape);
  if (copy.elements == 0) return copy;
  if (tensor.rank() == 0) {
    runner.call("aclnnInplaceCopy", {unsqueezed(copy, 0), unsqueezed(tensor, 0)});
  } else {
    runner.call("aclnnInplaceCopy", {copy, tensor});
  }
  return copy;
}

/// A copy that the device makes, compact whatever the look of the tensor; of each tensor of a list.
Datum copied(Runner& runner, const Datum& datum) {
  if (const auto* list = datum.get_if<DatumList>()) {
    DatumList copies;
    for (const Datum& item : *list) copies.push_back(copied(runner, item));
    return copies;
  }
  return copy_of(runner, as_tensor(datum, "a copied value"));
}

/// The product of matrices with leading dims broadcast; 2-d where both are.
Datum product(Runner& runner, const DatumList& a) {
  const DeviceTensor& left = as_tensor(a[0], "a factor");
  const DeviceTensor& right = as_tensor(a[1], "a factor");
  Dims shape = broadcast_shapes(Dims(left.shape.begin(), left.shape.end() - std::min<std::ptrdiff_t>(2, left.rank())),
                                Dims(right.shape.begin(), right.shape.end() - std::min<std::ptrdiff_t>(2, right.rank())));
  if (left.rank() < 2 || right.rank() < 2) throw Error(ASSAY_INVALID_ARGUMENT, "a product of matrices got a vector");
  shape.push_back(left.shape[left.shape.size() - 2]);
  shape.push_back(right.shape.back());
  const DeviceTensor out = runner.make(common_dtype({left, right}), std::move(shape));
  runner.call("aclnnMatmul", {left, right, out});
  return out;
}

}  // namespace

DeviceTensor compacted(Runner& runner, const DeviceTensor& tensor) {
  return tensor.is_contiguous() ? tensor : copy_of(runner, tensor);
}

DeviceTensor cast(Runner& runner, const DeviceTensor& tensor, assay_dtype dtype) {
  if (tensor.dtype == dtype) return tensor;
  const DeviceTensor out = runner.make(dtype, tensor.shape);
  runner.call("aclnnCast", {tensor, dtype, out});
  return out;
}

DeviceTensor summed_to(Runner& runner, const DeviceTensor& tensor, const Dims& shape) {
  if (tensor.shape == shape) return tensor;
  if (shape.size() > tensor.shape.size()) return expanded(tensor, shape);
  const std::size_t lead = tensor.shape.size() - shape.size();
  Dims axes;
  Dims kept;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    const bool goes = d < lead || (shape[d - lead] == 1 && tensor.shape[d] != 1);
    if (goes) axes.push_back(static_cast<std::int64_t>(d));
    kept.push_back(goes ? 1 : tensor.shape[d]);
  }
  DeviceTensor sum = tensor;
  if (!axes.empty()) {
    sum = runner.make(tensor.dtype, kept);
    runner.call("aclnnReduceSum", {tensor, axes, true, tensor.dtype, sum});
  }
  return reshaped(compacted(runner, sum), shape);
}

const std::vector<Rule>& composition_rules() {
  static const std::vector<Rule> rules = {
      {"times", 2, 2, [](Runner& r, const DatumList& a) { return Datum(times(r, a[0], a[1])); }},
      {"plus", 2, 2, [](Runner& r, const DatumList& a) { return Datum(plus(r, a[0], a[1])); }},
      {"minus", 2, 2, minus},
      {"over", 2, 2, over},
      {"applied", 2, 4, applied},
      {"compared", 3, 3, compared},
      {"zeros", 2, 2, zeros},
      {"filled", 3, 3, filled},
      {"product", 2, 2, product},
      {"copied", 1, 1, [](Runner& r, const DatumList& a) { return copied(r, a[0]); }},
      {"compacted", 1, 1, [](Runner& r, const DatumList& a) { return Datum(compacted(r, as_tensor(a[0], "a tensor"))); }},
      {"cast", 2, 2,
       [](Runner& r, const DatumList& a) { return Datum(cast(r, as_tensor(a[0], "a tensor"), as_dtype(a[1], "a dtype"))); }},
      {"summed_to", 2, 2,
       [](Runner& r, const DatumList& a) { return Datum(summed_to(r, as_tensor(a[0], "a tensor"), shape_of(a[1]))); }},
      {"tensor_of", 2, 2,
       [](Runner& r, const DatumList& a) {
         return a[0].is<DeviceTensor>() ? a[0] : Datum(r.make_scalar(a[0], as_dtype(a[1], "a dtype")));
       }},
  };
  return rules;
}

const Rule* find_rule(std::string_view name) {
  static const auto* const all = [] {
    auto* rules = new std::map<std::string, Rule, std::less<>>();
    for (const auto* group : {&shape_rules(), &type_rules(), &view_rules(), &window_rules(), &composition_rules()}) {
      for (const Rule& rule : *group) rules->emplace(rule.name, rule);
    }
    return rules;
  }();
  const auto found = all->find(name);
  return found != all->end() ? &found->second : nullptr;
}

}  // namespace assay::npu
