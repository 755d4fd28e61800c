#include "dtypes.hpp"
#include "rule_values.hpp"

namespace assay::npu {

namespace {

constexpr assay_dtype kUndefined{0, 0, 0};

assay_dtype promote_defined(assay_dtype left, assay_dtype right) {
  if (left == kUndefined) return right;
  return right == kUndefined ? left : promote(left, right);
}

/// What a number counts as: Python's float is a float32, unless a tensor says otherwise.
assay_dtype dtype_of_number(const Datum& number) {
  if (number.is<bool>()) return kBool;
  if (number.is<std::int64_t>()) return kInt64;
  return number.is<double>() ? kFloat32 : kComplex64;
}

/// The stronger group decides unless the weaker one is of a higher kind.
assay_dtype combine(assay_dtype strong, assay_dtype weak) {
  if (strong == kUndefined) return weak;
  if (weak == kUndefined || category_of(weak) <= category_of(strong)) return strong;
  if (category_of(strong) == Category::kFloating) return make_dtype(ASSAY_DTYPE_COMPLEX, 2 * strong.bits);
  return promote(strong, weak);
}

assay_dtype dtype_of(const Datum& datum) {
  if (const auto* tensor = datum.get_if<DeviceTensor>()) return tensor->dtype;
  if (datum.number()) return dtype_of_number(datum);
  return as_dtype(datum, "a value with a dtype");
}

assay_dtype floating(assay_dtype dtype) { return category_of(dtype) < Category::kFloating ? kFloat32 : dtype; }

bool has_category(const Datum& datum, Category category) {
  const bool typed = datum.is<DeviceTensor>() || datum.is<assay_dtype>() || datum.number();
  return typed && category_of(dtype_of(datum)) == category;
}

}  // namespace

assay_dtype common_dtype(const DatumList& operands) {
  assay_dtype with_dims = kUndefined;
  assay_dtype without_dims = kUndefined;
  assay_dtype numbers = kUndefined;
  for (const Datum& operand : operands) {
    if (operand.none()) continue;
    const auto* tensor = operand.get_if<DeviceTensor>();
    assay_dtype& group = tensor == nullptr && operand.number()      ? numbers
                         : tensor != nullptr && tensor->rank() == 0 ? without_dims
                                                                    : with_dims;
    group = promote_defined(group, dtype_of(operand));
  }
  return combine(with_dims, combine(without_dims, numbers));
}

const std::vector<Rule>& type_rules() {
  static const std::vector<Rule> rules = {
      {"dtype", 1, 1, [](Runner&, const DatumList& a) { return a[0].none() ? Datum() : Datum(dtype_of(a[0])); }},
      {"promote", 1, -1, [](Runner&, const DatumList& a) { return Datum(common_dtype(a)); }},
      {"floating", 1, -1, [](Runner&, const DatumList& a) { return Datum(floating(common_dtype(a))); }},
      {"summed", 1, 1,
       [](Runner&, const DatumList& a) {
         const assay_dtype dtype = dtype_of(a[0]);
         return Datum(category_of(dtype) < Category::kFloating ? kInt64 : dtype);
       }},
      {"real", 1, 1,
       [](Runner&, const DatumList& a) {
         const assay_dtype dtype = dtype_of(a[0]);
         return Datum(is_complex(dtype) ? make_dtype(ASSAY_DTYPE_FLOAT, dtype.bits / 2) : dtype);
       }},
      {"either", 1, -1,
       [](Runner&, const DatumList& a) {
         for (const Datum& one : a) {
           if (!one.none()) return one;
         }
         return Datum();
       }},
      {"given", 1, 1, [](Runner&, const DatumList& a) { return Datum(!a[0].none()); }},
      {"is_tensor", 1, 1, [](Runner&, const DatumList& a) { return Datum(a[0].is<DeviceTensor>()); }},
      {"is_number", 1, 1, [](Runner&, const DatumList& a) { return Datum(a[0].number()); }},
      {"is_list", 1, 1, [](Runner&, const DatumList& a) { return Datum(a[0].is<DatumList>()); }},
      {"is_dtype", 1, 1, [](Runner&, const DatumList& a) { return Datum(a[0].is<assay_dtype>()); }},
      {"common_type", 1, 1, [](Runner&, const DatumList& a) { return Datum(common_dtype(as_list(a[0], "tensors"))); }},
      {"is_text", 1, 1, [](Runner&, const DatumList& a) { return Datum(a[0].is<std::string>()); }},
      {"is_bool", 1, 1, [](Runner&, const DatumList& a) { return Datum(has_category(a[0], Category::kBool)); }},
      {"is_integer", 1, 1, [](Runner&, const DatumList& a) { return Datum(has_category(a[0], Category::kInteger)); }},
      {"is_floating", 1, 1, [](Runner&, const DatumList& a) { return Datum(has_category(a[0], Category::kFloating)); }},
      {"is_complex", 1, 1, [](Runner&, const DatumList& a) { return Datum(has_category(a[0], Category::kComplex)); }},
      // The code of a word: its place in a list, as 'none', 'mean', 'sum' of a loss. Numbers are codes already.
      {"code", 2, 2,
       [](Runner&, const DatumList& a) {
         if (a[0].number()) return a[0];
         const std::string& word = as_text(a[0], "an option");
         const DatumList& words = as_list(a[1], "options");
         for (std::size_t i = 0; i < words.size(); ++i) {
           if (as_text(words[i], "an option") == word) return Datum(static_cast<std::int64_t>(i));
         }
         throw Error(ASSAY_UNSUPPORTED, "option '" + word + "' is not one the operator knows");
       }},
  };
  return rules;
}

}  // namespace assay::npu
