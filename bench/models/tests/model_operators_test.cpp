// The operators that a step calls, in order, against the list of the published models.
#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <map>

#include "base/csv_reader.hpp"
#include "tiny_models.hpp"

namespace assay::bench {
namespace {

thread_local int depth = 0;
std::vector<std::string>* recorded = nullptr;

bool has_floating_tensor(const at::RecordFunction& function) {
  for (const c10::IValue& input : function.inputs()) {
    if (input.isTensor() && input.toTensor().defined() && input.toTensor().is_floating_point()) return true;
    if (input.isTensorList() && !input.toTensorVector().empty()) return true;
  }
  return false;
}

/// Outermost operators on floating-point tensors, without their name space.
std::vector<std::string> operators_of(Model& model, const Batch& batch) {
  std::vector<std::string> names;
  recorded = &names;
  const auto start = [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
    if (depth++ == 0 && has_floating_tensor(function)) recorded->push_back(function.name());
    return nullptr;
  };
  const auto end = [](const at::RecordFunction&, at::ObserverContext*) { --depth; };
  const auto handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback(start, end).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  model.loss(batch);
  at::removeCallback(handle);
  for (std::string& name : names) name = name.substr(name.rfind(':') + 1);
  return names;
}

/// What moves data and computes nothing; and what makes constants.
bool is_move(const std::string& name) {
  static const std::vector<std::string> kMoves = {
      "view",   "transpose", "reshape", "split",     "chunk",   "select",  "slice",      "narrow",    "contiguous", "permute",
      "unbind", "unsqueeze", "flatten", "expand_as", "expand",  "t",       "to",         "clone",     "detach",     "empty",
      "full",   "arange",    "zeros",   "ones",      "fill_",   "numpy_T", "is_nonzero", "item",      "copy_",      "triu",
      "repeat", "outer",     "eq",      "ne",        "squeeze", "view_as", "empty_like", "zeros_like"};
  return std::find(kMoves.begin(), kMoves.end(), name) != kMoves.end();
}

/// The names of LibTorch's operators as the list has them.
std::string listed_name(const std::string& name) {
  static const std::map<std::string, std::string> kNames = {{"cross_entropy_loss", "cross_entropy"},
                                                            {"_scaled_dot_product_attention", "scaled_dot_product_attention"}};
  const auto found = kNames.find(name);
  return found == kNames.end() ? name : found->second;
}

std::vector<std::string> expected_operators(const std::string& model, const std::string& form) {
  Result<CsvReader> reader = CsvReader::open(ASSAY_MODEL_DATA "/model_ops.csv");
  EXPECT_TRUE(reader);
  CsvRecord record;
  std::vector<std::string> names;
  std::vector<std::string> block;
  const auto flush = [&](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) names.insert(names.end(), block.begin(), block.end());
    block.clear();
  };
  std::int64_t repeat = 1;
  while (*reader->next(record)) {
    if (record.cells[0] != model || record.cells[1] != form || record.cells[4] != "compute") continue;
    const std::int64_t times = std::stoll(record.cells[8]);
    if (times != repeat) flush(repeat);
    repeat = times;
    // The normalised head is three operators in C++: norm, lower bound, division.
    if (record.cells[3] == "normalize") {
      block.insert(block.end(), {"norm", "clamp_min", "div"});
    } else {
      block.push_back(record.cells[3]);
    }
  }
  flush(repeat);
  return names;
}

std::vector<std::string> measured_operators(const std::string& name) {
  Sizes sizes = tiny_sizes(name);
  if (name == "opensora_stdit_xl2") sizes.depth = 28;
  const auto model = make_model(name, sizes, at::TensorOptions().dtype(at::kFloat));
  model->initialise(1);
  const Batch batch = model->make_batch(2);
  model->loss(batch);  // makes the constants
  std::vector<std::string> names;
  for (const std::string& op : operators_of(*model, batch)) {
    if (!is_move(op)) names.push_back(listed_name(op));
  }
  return names;
}

TEST(ModelOperators, AreThoseOfThePublishedModelsInOrder) {
  for (const std::string& name : model_names()) {
    std::string model = name;
    std::string form = "hf";
    if (name == "resnet50_cifar") form = "mmpretrain";
    if (name == "opensora_stdit_xl2") form = "v1.0";
    if (name == "llama2_megatron") {
      model = "llama2";
      form = "megatron";
    }
    const std::vector<std::string> expected = expected_operators(model, form);
    EXPECT_GT(expected.size(), 20u) << name;
    EXPECT_EQ(measured_operators(name), expected) << name;
  }
}

TEST(ModelOperators, CountConvolutionsLinearLayersAndAttentions) {
  const auto count = [](const std::vector<std::string>& names, const char* name) {
    return std::count(names.begin(), names.end(), name);
  };
  EXPECT_EQ(count(measured_operators("resnet50_cifar"), "conv2d"), 53);
  const std::vector<std::string> video = measured_operators("opensora_stdit_xl2");
  EXPECT_EQ(count(video, "linear"), 258);
  EXPECT_EQ(count(video, "scaled_dot_product_attention"), 84);
  EXPECT_EQ(count(measured_operators("llama2_megatron"), "matmul"), 5);
}

}  // namespace
}  // namespace assay::bench
