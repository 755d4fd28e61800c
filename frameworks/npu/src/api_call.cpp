#include "api_call.hpp"

#include <algorithm>
#include <cstring>

#include "dtypes.hpp"
#include "rule_values.hpp"

namespace assay::npu {

namespace {

bool is_differentiable(const Datum& datum) {
  const auto* tensor = datum.get_if<DeviceTensor>();
  return tensor != nullptr && category_of(tensor->dtype) >= Category::kFloating;
}

bool holds_differentiable(const Datum& datum) {
  const auto* list = datum.get_if<DatumList>();
  if (list == nullptr) return is_differentiable(datum);
  return std::any_of(list->begin(), list->end(), holds_differentiable);
}

/// Shapes of a list of outputs.
std::vector<Dims> shapes_of(const Datum& datum) {
  std::vector<Dims> shapes;
  for (const Datum& item : as_list(datum, "shapes")) shapes.push_back(as_dims(item, "a shape"));
  return shapes;
}

bool is_list_of_lists(const Datum& datum) {
  const auto* list = datum.get_if<DatumList>();
  return list != nullptr && !list->empty() && list->front().is<DatumList>();
}

bool same_elements(const TensorView& left, const TensorView& right) {
  if (left.dtype() != right.dtype() || left.shape() != right.shape()) return false;
  bool same = true;
  right.for_each_offset([&](std::int64_t index, std::int64_t offset) {
    const std::size_t size = dtype_size(left.dtype());
    const auto* const a = static_cast<const unsigned char*>(left.data()) + static_cast<std::size_t>(left.offset_of(index)) * size;
    const auto* const b = static_cast<const unsigned char*>(right.data()) + static_cast<std::size_t>(offset) * size;
    same = same && std::memcmp(a, b, size) == 0;
  });
  return same;
}

Datum compacted_all(Runner& runner, const Datum& datum) {
  if (const auto* tensor = datum.get_if<DeviceTensor>()) return compacted(runner, *tensor);
  const auto* list = datum.get_if<DatumList>();
  if (list == nullptr) return datum;
  DatumList items;
  for (const Datum& item : *list) items.push_back(compacted_all(runner, item));
  return items;
}

}  // namespace

ApiCall::ApiCall(Runner& runner, const ApiTable& table, const ResolvedApi& api, const assay_call& call,
                 const UploadOptions& options)
    : runner_(runner),
      table_(table),
      function_(*api.function),
      call_(call),
      options_(options),
      in_place_(api.in_place),
      slots_(api.function->slot_count),
      paths_(api.function->parameters.size()),
      recorded_(api.function->parameters.size()) {
  bind();
}

void ApiCall::give(std::size_t parameter, Datum datum, std::string path) {
  slots_[function_.parameters[parameter].slot] = std::move(datum);
  paths_[parameter] = std::move(path);
}

void ApiCall::bind_positional(std::size_t parameter, const assay_value& value, std::size_t position) {
  give(parameter, upload(runner_, value, options_), std::to_string(position));
  recorded_[parameter] = &value;
}

void ApiCall::bind_keyword(const std::string& name, const assay_value& value) {
  if (table_.is_ignored(name)) return;
  if (name == "out") {
    if (value.kind != ASSAY_VALUE_NONE) throw Error(ASSAY_UNSUPPORTED, "a call that writes into 'out' is not run on the device");
    return;
  }
  for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
    const std::vector<std::string>& names = function_.parameters[i].names;
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    if (!paths_[i].empty()) throw Error(ASSAY_INVALID_ARGUMENT, "argument '" + name + "' is given twice");
    recorded_[i] = &value;
    return give(i, upload(runner_, value, options_), name);
  }
  throw Error(ASSAY_UNSUPPORTED, "the operator table knows no argument '" + name + "' of " + function_.name);
}

void ApiCall::bind() {
  std::size_t next = 0;
  for (std::size_t i = 0; i < function_.parameters.size() && next < call_.arg_count; ++i) {
    const ApiParameter& parameter = function_.parameters[i];
    if (parameter.keyword_only) break;
    if (!parameter.rest) {
      bind_positional(i, call_.args[next], next);
      ++next;
      continue;
    }
    const bool one_list =
        call_.arg_count == next + 1 && (call_.args[next].kind == ASSAY_VALUE_LIST || call_.args[next].kind == ASSAY_VALUE_TUPLE);
    if (one_list) {
      bind_positional(i, call_.args[next], next);
      ++next;
      continue;
    }
    DatumList rest;
    const std::string path = std::to_string(next);
    for (; next < call_.arg_count; ++next) rest.push_back(upload(runner_, call_.args[next], options_));
    give(i, std::move(rest), path);
  }
  if (next < call_.arg_count) {
    throw Error(ASSAY_UNSUPPORTED, "the operator table's " + function_.name + " takes " + std::to_string(next) +
                                       " positional arguments, the call has " + std::to_string(call_.arg_count));
  }
  for (std::uint64_t i = 0; i < call_.kwarg_count; ++i) bind_keyword(call_.kwargs[i].name, call_.kwargs[i].value);
  for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
    const ApiParameter& parameter = function_.parameters[i];
    if (!paths_[i].empty()) continue;
    if (parameter.required) throw Error(ASSAY_INVALID_ARGUMENT, "argument '" + parameter.names[0] + "' is missing");
    slots_[parameter.slot] = parameter.otherwise;
  }
}

const Form& ApiCall::choose() {
  for (const Form& form : function_.forms) {
    if (!form.when || as_flag(evaluate(*form.when, runner_, slots_), "a condition")) return form;
  }
  throw Error(ASSAY_UNSUPPORTED, "no form of " + function_.name + " in the operator table fits these arguments");
}

Datum ApiCall::make_output(const Target& target) {
  if (target.discard) return {};
  const Datum shape = evaluate(*target.shape, runner_, slots_);
  if (shape.none()) return {};
  const assay_dtype dtype = as_dtype(evaluate(*target.dtype, runner_, slots_), "an output's dtype");
  if (!is_list_of_lists(shape)) return runner_.make(dtype, as_dims(shape, "an output's shape"));
  DatumList tensors;
  for (Dims& one : shapes_of(shape)) tensors.emplace_back(runner_.make(dtype, std::move(one)));
  return tensors;
}

void ApiCall::make_outputs(const Statement& statement) {
  for (const Target& target : statement.targets) {
    if (!target.discard) slots_[target.slot] = make_output(target);
  }
}

void ApiCall::execute_call(const Statement& statement) {
  const std::vector<Parameter>& parameters = statement.operation->parameters();
  DatumList arguments;
  arguments.reserve(parameters.size());
  std::vector<std::size_t> late;
  std::vector<std::pair<std::size_t, std::size_t>> given;  // place among the arguments, target
  std::size_t next_input = 0;
  std::size_t next_output = 0;
  for (const Parameter& parameter : parameters) {
    if (parameter.role == ParameterRole::kOut) {
      const Target& target = statement.targets[next_output];
      if (target.largest) late.push_back(arguments.size());
      given.emplace_back(arguments.size(), next_output++);
      arguments.push_back(make_output(target));
    } else if (parameter.name == kMathModeParameter) {
      arguments.emplace_back(runner_.math_mode(statement.operation->name()));
    } else {
      arguments.push_back(evaluate(statement.arguments[next_input++], runner_, slots_));
    }
  }
  runner_.call(*statement.operation, arguments, late);
  for (const auto& [place, target] : given) {
    if (!statement.targets[target].discard) slots_[statement.targets[target].slot] = std::move(arguments[place]);
  }
}

void ApiCall::execute(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    if (statement.operation != nullptr) {
      execute_call(statement);
    } else {
      slots_[statement.targets[0].slot] = evaluate(statement.value, runner_, slots_);
    }
  }
}

DatumList ApiCall::evaluate_returns(const Form& form) {
  DatumList outputs;
  for (const Expression& value : form.returns) outputs.push_back(evaluate(value, runner_, slots_));
  // A returned list or tuple is as many outputs.
  if (outputs.size() == 1) {
    if (const auto* list = outputs[0].get_if<DatumList>()) return DatumList(*list);
  }
  return outputs;
}

DatumList ApiCall::outputs_of(const Form& form) {
  execute(form.run);
  return evaluate_returns(form);
}

DatumList ApiCall::outputs_for_backward(const Form& form) {
  if (form.backward_needs_run) return outputs_of(form);
  for (const Statement& statement : form.run) {
    if (statement.operation != nullptr) {
      make_outputs(statement);
    } else {
      slots_[statement.targets[0].slot] = evaluate(statement.value, runner_, slots_);
    }
  }
  return evaluate_returns(form);
}

bool ApiCall::writes_first() const {
  if (in_place_) return true;
  for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
    const ApiParameter& parameter = function_.parameters[i];
    if (parameter.names[0] == "inplace" && as_flag(slots_[parameter.slot], "inplace")) return true;
  }
  return false;
}

Results ApiCall::forward() {
  const bool writes = writes_first();
  const Form& form = choose();
  const Datum before = writes ? slots_[function_.parameters[0].slot] : Datum();
  DatumList outputs = outputs_of(form);
  if (writes && !outputs.empty() && before.is<DeviceTensor>() && outputs[0].is<DeviceTensor>())
    outputs[0] = cast(runner_, as_tensor(outputs[0], "a result"), as_tensor(before, "an argument").dtype);
  for (Datum& output : outputs) output = compacted_all(runner_, output);
  runner_.device().synchronize(function_.name);
  Results results;
  for (const Datum& output : outputs) results.outputs.push_back(download(runner_.device(), output));
  if (writes && !results.outputs.empty()) results.mutated.emplace_back(paths_[0], results.outputs[0]);
  report_written(results);
  return results;
}

void ApiCall::report_written(Results& results) {
  for (const std::size_t i : function_.written) {
    const auto* tensor = slots_[function_.parameters[i].slot].get_if<DeviceTensor>();
    if (tensor == nullptr || recorded_[i] == nullptr) continue;
    const Value now = download(runner_.device(), *tensor);
    if (!same_elements(TensorView(*recorded_[i]->as.tensor), now.as<Tensor>().view())) results.mutated.emplace_back(paths_[i], now);
  }
}

void ApiCall::bring_gradients(const Form& form, const DatumList& outputs) {
  if (call_.grad_output_count > function_.gradient_slots.size())
    throw Error(ASSAY_UNSUPPORTED, "gradients arrive at more outputs than the operator table foresees");
  DatumList list;
  for (std::uint64_t i = 0; i < call_.grad_output_count; ++i) {
    Datum gradient = upload(runner_, call_.grad_outputs[i], options_);
    if (!gradient.none() && !form.takes_gradient[i])
      throw Error(ASSAY_UNSUPPORTED, "the operator's backward takes no gradient of output " + std::to_string(i));
    const bool missing = gradient.none() && i < outputs.size() && is_differentiable(outputs[i]);
    if (missing) {
      const DeviceTensor& output = as_tensor(outputs[i], "an output");
      DeviceTensor zeros = runner_.make(output.dtype, output.shape);
      runner_.device().fill_zero(zeros.memory.get(), static_cast<std::size_t>(zeros.elements) * dtype_size(zeros.dtype));
      gradient = std::move(zeros);
    }
    const auto* arrived = gradient.get_if<DeviceTensor>();
    if (arrived != nullptr && i < outputs.size() && outputs[i].is<DeviceTensor>() &&
        arrived->shape != as_tensor(outputs[i], "an output").shape) {
      throw Error(ASSAY_INVALID_ARGUMENT, "the gradient that arrives at output " + std::to_string(i) + " has another shape");
    }
    slots_[function_.gradient_slots[i]] = std::move(gradient);
  }
}

/// Broadcasting and promotion undone: a gradient has the shape and dtype of its argument.
Datum ApiCall::fitted(Datum gradient, const Datum& argument) {
  if (!gradient.is<DeviceTensor>() || !argument.is<DeviceTensor>()) return gradient;
  const DeviceTensor& to = as_tensor(argument, "an argument");
  DeviceTensor fit = summed_to(runner_, as_tensor(gradient, "a gradient"), to.shape);
  if (is_complex(fit.dtype) && !is_complex(to.dtype)) throw Error(ASSAY_UNSUPPORTED, "the gradient of a real argument is complex");
  return cast(runner_, fit, to.dtype);
}

Datum ApiCall::gradient_for(const Form& form, std::size_t parameter) {
  const Datum& argument = slots_[function_.parameters[parameter].slot];
  const auto given =
      std::find_if(form.gives.begin(), form.gives.end(), [&](const Gradient& g) { return g.parameter == parameter; });
  if (given == form.gives.end()) {
    throw Error(ASSAY_UNSUPPORTED,
                "the operator table has no gradient for '" + function_.parameters[parameter].names[0] + "' of " + function_.name);
  }
  Datum gradient = evaluate(given->value, runner_, slots_);
  const auto* gradients = gradient.get_if<DatumList>();
  const auto* arguments = argument.get_if<DatumList>();
  if (gradients == nullptr || arguments == nullptr) return compacted_all(runner_, fitted(std::move(gradient), argument));
  DatumList list;
  for (std::size_t i = 0; i < arguments->size() && i < gradients->size(); ++i)
    list.push_back(compacted_all(runner_, fitted((*gradients)[i], (*arguments)[i])));
  return list;
}

Results ApiCall::backward() {
  const Form& form = choose();
  if (!form.has_backward) throw Error(ASSAY_UNSUPPORTED, "the operator table has no backward of " + function_.name);
  const DatumList outputs = outputs_for_backward(form);
  bring_gradients(form, outputs);
  execute(form.backward);
  std::vector<std::pair<std::size_t, Datum>> gradients;
  for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
    if (!paths_[i].empty() && holds_differentiable(slots_[function_.parameters[i].slot]))
      gradients.emplace_back(i, gradient_for(form, i));
  }
  runner_.device().synchronize(function_.name);
  Results results;
  for (const auto& [parameter, gradient] : gradients) {
    const Datum& argument = slots_[function_.parameters[parameter].slot];
    const auto* arguments = argument.get_if<DatumList>();
    if (arguments == nullptr) {
      results.gradients.emplace_back(paths_[parameter], download(runner_.device(), gradient));
      continue;
    }
    const auto* list = gradient.get_if<DatumList>();
    for (std::size_t i = 0; i < arguments->size(); ++i) {
      if (!is_differentiable((*arguments)[i])) continue;
      results.gradients.emplace_back(paths_[parameter] + "." + std::to_string(i),
                                     list != nullptr && i < list->size() ? download(runner_.device(), (*list)[i]) : Value());
    }
  }
  return results;
}

}  // namespace assay::npu
