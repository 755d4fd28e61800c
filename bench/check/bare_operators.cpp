// The least that any checker of this recording must do: load LibTorch, read the inputs and run the same operators, forward and
// backward, by direct calls. `bench/check/run.py` compares `assay check` with it.
//
// usage: bare_operators DUMP     prints how many calls were run
#include <torch/torch.h>

#include <cstdio>
#include <functional>
#include <map>

#include "dump/inputs.hpp"

namespace {

using assay::operator==;
using assay::operator!=;
using Tensors = std::vector<at::Tensor>;
using Arguments = std::vector<assay::Value>;

at::Tensor to_torch(const assay::Tensor& tensor) {
  const bool is_float = tensor.dtype() == assay::kFloat32;
  if (!is_float && tensor.dtype() != assay::kBool)
    throw std::runtime_error("the recording has a dtype that this benchmark doesn't know");
  void* data = const_cast<void*>(tensor.view().data());
  return torch::from_blob(data, tensor.shape(), is_float ? at::kFloat : at::kBool);
}

std::vector<std::int64_t> integers(const assay::Value& value) {
  std::vector<std::int64_t> out;
  const auto* list = value.get_if<assay::List>();
  for (const assay::Value& item : list != nullptr ? list->items : value.as<assay::Tuple>().items)
    out.push_back(item.as<std::int64_t>());
  return out;
}

using Operator = std::function<at::Tensor(const Tensors&, const Arguments&)>;

const std::map<std::string, Operator>& operators() {
  static const std::map<std::string, Operator> table = {
      {"Mint.square", [](const Tensors& t, const Arguments&) { return at::square(t[0]); }},
      {"Mint.mean",
       [](const Tensors& t, const Arguments& a) {
         return a.size() > 1 ? at::mean(t[0], a[1].as<std::int64_t>(), a[2].as<bool>()) : at::mean(t[0]);
       }},
      {"Mint.add",
       [](const Tensors& t, const Arguments& a) { return t.size() > 1 ? at::add(t[0], t[1]) : at::add(t[0], a[1].as<double>()); }},
      {"Mint.rsqrt", [](const Tensors& t, const Arguments&) { return at::rsqrt(t[0]); }},
      {"Mint.mul",
       [](const Tensors& t, const Arguments& a) { return t.size() > 1 ? at::mul(t[0], t[1]) : at::mul(t[0], a[1].as<double>()); }},
      {"MintFunctional.linear", [](const Tensors& t, const Arguments&) { return at::linear(t[0], t[1]); }},
      {"Mint.reshape", [](const Tensors& t, const Arguments& a) { return at::reshape(t[0], integers(a[1])); }},
      {"Mint.permute", [](const Tensors& t, const Arguments& a) { return at::permute(t[0], integers(a[1])); }},
      {"Mint.transpose",
       [](const Tensors& t, const Arguments& a) { return at::transpose(t[0], a[1].as<std::int64_t>(), a[2].as<std::int64_t>()); }},
      {"Mint.matmul", [](const Tensors& t, const Arguments&) { return at::matmul(t[0], t[1]); }},
      {"Mint.div",
       [](const Tensors& t, const Arguments& a) { return t.size() > 1 ? at::div(t[0], t[1]) : at::div(t[0], a[1].as<double>()); }},
      {"MintFunctional.softmax", [](const Tensors& t, const Arguments&) { return at::softmax(t[0], -1); }},
      {"MintFunctional.silu", [](const Tensors& t, const Arguments&) { return at::silu(t[0]); }},
      {"Mint.log", [](const Tensors& t, const Arguments&) { return at::log(t[0]); }},
      {"Mint.clamp", [](const Tensors& t, const Arguments& a) { return at::clamp(t[0], a[1].as<double>(), a[2].as<double>()); }},
      {"Mint.erf", [](const Tensors& t, const Arguments&) { return at::erf(t[0]); }},
      {"Mint.gt",
       [](const Tensors& t, const Arguments& a) { return t.size() > 1 ? at::gt(t[0], t[1]) : at::gt(t[0], a[1].as<double>()); }},
      {"Mint.where", [](const Tensors& t, const Arguments&) { return at::where(t[0], t[1], t[2]); }},
      {"Mint.maximum", [](const Tensors& t, const Arguments&) { return at::maximum(t[0], t[1]); }},
      {"Mint.neg", [](const Tensors& t, const Arguments&) { return at::neg(t[0]); }},
  };
  return table;
}

Arguments build(const assay::InputBuilder& builder, const std::vector<assay::Element>& elements, const std::string& stem,
                const char* direction) {
  Arguments out;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    assay::Result<assay::Value> value = builder.build(elements[i], stem, direction, std::to_string(i));
    if (!value) throw std::runtime_error(value.failure().message);
    out.push_back(std::move(*value));
  }
  return out;
}

Tensors tensors(const Arguments& arguments) {
  Tensors out;
  for (const assay::Value& value : arguments) {
    if (const auto* tensor = value.get_if<assay::Tensor>()) out.push_back(to_torch(*tensor));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bare_operators DUMP\n");
    return 2;
  }
  assay::Result<assay::Dump> dump = assay::Dump::open(argv[1], {});
  if (!dump) {
    std::fprintf(stderr, "bare_operators: cannot %s\n", dump.failure().message.c_str());
    return 2;
  }
  const assay::InputBuilder builder(*dump, assay::InputRule::kAssay, 0);
  std::size_t calls = 0;
  for (std::size_t i = 0; i < dump->size(); ++i) {
    const assay::RecordedCall call = dump->read(i);
    const Operator& run = operators().at(call.api);
    const Arguments arguments = build(builder, call.forward->inputs, call.stem, "forward");
    Tensors inputs = tensors(arguments);
    run(inputs, arguments);
    ++calls;
    if (!call.backward) continue;
    for (at::Tensor& input : inputs) input.set_requires_grad(input.is_floating_point());
    const at::Tensor output = run(inputs, arguments);
    Tensors leaves;
    for (const at::Tensor& input : inputs) {
      if (input.requires_grad()) leaves.push_back(input);
    }
    torch::autograd::grad({output}, leaves, tensors(build(builder, call.backward->inputs, call.stem, "backward")));
    ++calls;
  }
  std::printf("%zu calls\n", calls);
  return 0;
}
