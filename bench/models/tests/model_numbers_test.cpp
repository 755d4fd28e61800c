// Parameter counts at full size, and losses and gradients of tiny instances whose weights have a closed form.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/csv_reader.hpp"
#include "tiny_models.hpp"

namespace assay::bench {
namespace {

std::int64_t parameter_count(const std::string& name, const Sizes& sizes) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : make_model(name, sizes, at::TensorOptions().device(at::kMeta))->parameters()) {
    count += parameter.numel();
  }
  return count;
}

TEST(ModelParameters, CountThoseOfThePublishedModels) {
  const std::map<std::string, std::int64_t> published = {
      {"llama2", 464531456},        {"llama2_megatron", 464531456},    {"aquila2", 1021652992}, {"baichuan2", 1232089088},
      {"bloom", 1229000704},        {"internlm", 1047556096},          {"qwen", 1447059456},    {"gemma", 1063265280},
      {"resnet50_cifar", 23520842}, {"opensora_stdit_xl2", 759620768},
  };
  EXPECT_EQ(published.size(), model_names().size());
  for (const auto& [name, count] : published) EXPECT_EQ(parameter_count(name, full_sizes(name)), count) << name;
  Sizes hundred = full_sizes("resnet50_cifar");
  hundred.vocabulary = 100;
  EXPECT_EQ(parameter_count("resnet50_cifar", hundred), 23705252);
}

TEST(ModelParameters, ShrinkWithTheScale) {
  EXPECT_EQ(parameter_count("llama2", scaled("llama2", full_sizes("llama2"), 8)), 7259648);
  EXPECT_EQ(parameter_count("bloom", scaled("bloom", full_sizes("bloom"), 8)), 19210752);
  EXPECT_EQ(parameter_count("gemma", scaled("gemma", full_sizes("gemma"), 8)), 16614528);
  EXPECT_EQ(parameter_count("resnet50_cifar", scaled("resnet50_cifar", full_sizes("resnet50_cifar"), 2)), 5899050);
  EXPECT_EQ(parameter_count("opensora_stdit_xl2", scaled("opensora_stdit_xl2", full_sizes("opensora_stdit_xl2"), 8)), 11990192);
}

/// f(i, c) = 2 ((31 i^2 + 7919 i + 104729 c) mod 65521) / 65521 - 1 over the flat index i.
at::Tensor closed_form(at::IntArrayRef shape, std::int64_t c) {
  at::Tensor out = at::empty(shape, at::TensorOptions().dtype(at::kDouble));
  double* data = out.data_ptr<double>();
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    data[i] = 2 * static_cast<double>((31 * i * i + 7919 * i + 104729 * c) % 65521) / 65521 - 1;
  }
  return out;
}

void fill(at::Tensor parameter, std::int64_t c, double amplitude, double offset = 0) {
  const at::NoGradGuard no_grad;
  parameter.copy_(closed_form(parameter.sizes(), c) * amplitude + offset);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void fill_decoder(const std::string& name, Model& model) {
  const std::map<std::string, std::int64_t> number = {
      {"emb.weight", 0},   {"emb_norm.weight", 1}, {"emb_norm.bias", 2}, {"norm1.weight", 3}, {"norm1.bias", 4},
      {"norm2.weight", 5}, {"norm2.bias", 6},      {"norm_f.weight", 7}, {"norm_f.bias", 8},  {"qkv.weight", 9},
      {"q.weight", 9},     {"qkv.bias", 10},       {"q.bias", 10},       {"k.weight", 11},    {"k.bias", 12},
      {"v.weight", 13},    {"v.bias", 14},         {"o.weight", 15},     {"o.bias", 16},      {"gate.weight", 17},
      {"up.weight", 18},   {"up.bias", 19},        {"down.weight", 20},  {"down.bias", 21},   {"head.weight", 22},
  };
  for (const auto& item : model.named_parameters()) {
    const std::string& key = item.key();
    const bool norm_weight = key.find("norm") != std::string::npos && ends_with(key, "weight");
    const double amplitude = item.value().dim() > 1 ? 0.2 : 0.1;
    fill(item.value(), number.at(key), amplitude, norm_weight && name != "gemma" ? 1 : 0);
  }
}

Batch decoder_batch(const Sizes& sizes) {
  at::Tensor ids = at::empty({sizes.batch, sizes.sequence}, at::TensorOptions().dtype(at::kLong));
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    for (std::int64_t t = 0; t < sizes.sequence; ++t) ids[b][t] = (7 * b + 3 * t * t + 5) % 101;
  }
  return {{ids}};
}

/// Weights of every layer by kind, numbered in the order of the parameters.
std::map<std::string, at::Tensor> fill_resnet(Model& model) {
  std::map<std::string, at::Tensor> named;
  std::int64_t convs = 0, norms = 0;
  for (const auto& item : model.named_parameters()) {
    const std::string& key = item.key();
    at::Tensor parameter = item.value();
    if (parameter.dim() == 4) {
      named["conv" + std::to_string(convs) + ".weight"] = parameter;
      fill(parameter, convs++, std::sqrt(6.0 / double(parameter.numel() / parameter.size(0))));
    } else if (key.rfind("fc.", 0) == 0) {
      named[key] = parameter;
      fill(parameter, ends_with(key, "weight") ? 300 : 301, 0.1);
    } else if (ends_with(key, "weight")) {
      fill(parameter, 100 + norms, 0.1, 1);
    } else {
      fill(parameter, 200 + norms++, 0.1);
    }
  }
  named["convs"] = at::scalar_tensor(double(convs));
  return named;
}

void fill_stdit(Model& model) {
  const std::map<std::string, std::int64_t> fixed = {
      {"x_embedder.weight", 0},        {"x_embedder.bias", 1},      {"t_embedder.fc1.weight", 2},  {"t_embedder.fc1.bias", 3},
      {"t_embedder.fc2.weight", 4},    {"t_embedder.fc2.bias", 5},  {"t_block.weight", 6},         {"t_block.bias", 7},
      {"y_embedder.fc1.weight", 8},    {"y_embedder.fc1.bias", 9},  {"y_embedder.fc2.weight", 10}, {"y_embedder.fc2.bias", 11},
      {"final_scale_shift_table", 12}, {"final_linear.weight", 13}, {"final_linear.bias", 14},
  };
  const std::map<std::string, std::int64_t> of_block = {
      {"attn.qkv", 0},         {"attn.proj", 2},   {"attn_temp.qkv", 4}, {"attn_temp.proj", 6}, {"cross.q_linear", 8},
      {"cross.kv_linear", 10}, {"cross.proj", 12}, {"mlp.fc1", 14},      {"mlp.fc2", 16},
  };
  for (const auto& item : model.named_parameters()) {
    const std::string& key = item.key();
    if (key.rfind("block", 0) != 0) {
      fill(item.value(), fixed.at(key), 0.2);
      continue;
    }
    const std::int64_t first = 20 + 20 * (key[5] - '0');
    const std::string rest = key.substr(key.find('.') + 1);
    const std::size_t dot = rest.rfind('.');
    const std::int64_t c =
        rest == "scale_shift_table" ? 18 : of_block.at(rest.substr(0, dot)) + (rest.substr(dot) == ".bias" ? 1 : 0);
    fill(item.value(), first + c, 0.2);
  }
}

Batch stdit_batch(const Sizes& s) {
  const std::vector<std::int64_t> latent = {s.batch, 4, s.frames, s.image, s.image};
  const at::Tensor dropped = at::zeros({s.batch}, at::TensorOptions().dtype(at::kBool));
  const at::Tensor timesteps = at::tensor(std::vector<std::int64_t>{3, 700}, at::TensorOptions().dtype(at::kLong));
  return {{closed_form(latent, 500), closed_form({s.batch, s.sequence, s.text}, 501), dropped,
           closed_form({s.sequence, s.text}, 503), timesteps, closed_form(latent, 502)}};
}

/// The names of the oracle's file that differ from the module's.
std::string own_name(std::string name) {
  const std::map<std::string, std::string> names = {
      {"y fc1.weight", "y_embedder.fc1.weight"},       {"block1.fc2.weight", "block1.mlp.fc2.weight"},
      {"final.linear.weight", "final_linear.weight"},  {"final.scale_shift_table", "final_scale_shift_table"},
      {"running_mean L2 bn0", "stem_bn.running_mean"}, {"running_var L2 bn0", "stem_bn.running_var"},
  };
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

/// Everything the oracle asks of one model.
class Answers {
 public:
  explicit Answers(const std::string& name) : model_(make_model(name, tiny_sizes(name), at::TensorOptions().dtype(at::kDouble))) {
    if (name == "resnet50_cifar") {
      extra_ = fill_resnet(*model_);
      const at::Tensor picture = closed_form({2, 3, 32, 32}, 400);
      batch_ = {{picture, at::tensor(std::vector<std::int64_t>{1, 4}, at::TensorOptions().dtype(at::kLong))}};
    } else if (name == "opensora_stdit_xl2") {
      fill_stdit(*model_);
      batch_ = stdit_batch(model_->sizes());
    } else {
      fill_decoder(name, *model_);
      batch_ = decoder_batch(model_->sizes());
    }
    loss_ = model_->loss(batch_);
    loss_.backward();
  }

  double operator()(const std::string& quantity) {
    if (quantity == "loss") return loss_.item<double>();
    if (quantity == "convs") return extra_.at("convs").item<double>();
    if (quantity == "logits L2 norm") return logits().norm().item<double>();
    if (quantity == "logits[0,0,0]") return logits()[0][0][0].item<double>();
    if (quantity == "logits[1,8,100]") return logits()[1][8][100].item<double>();
    const std::string gradient = "grad L2 ";
    if (quantity.rfind(gradient, 0) != 0) return model_->named_buffers()[own_name(quantity)].norm().item<double>();
    const std::string name = quantity.substr(gradient.size());
    const auto extra = extra_.find(name);
    return (extra != extra_.end() ? extra->second : model_->named_parameters()[own_name(name)]).grad().norm().item<double>();
  }

 private:
  at::Tensor logits() {
    const at::NoGradGuard no_grad;
    return model_->output(batch_);
  }

  std::shared_ptr<Model> model_;
  std::map<std::string, at::Tensor> extra_;
  Batch batch_;
  at::Tensor loss_;
};

TEST(ModelOracle, LossesLogitsAndGradientsHaveTheirValues) {
  Result<CsvReader> reader = CsvReader::open(ASSAY_MODEL_DATA "/model_oracle.csv");
  ASSERT_TRUE(reader) << reader.failure().message;
  CsvRecord record;
  std::map<std::string, std::unique_ptr<Answers>> models;
  std::size_t rows = 0;
  while (true) {
    const Result<bool> more = reader->next(record);
    ASSERT_TRUE(more) << more.failure().message;
    if (!*more) break;
    if (rows++ == 0) continue;
    auto& answers = models[record.cells[0]];
    if (!answers) answers = std::make_unique<Answers>(record.cells[0]);
    const double expected = std::stod(record.cells[2]);
    EXPECT_NEAR((*answers)(record.cells[1]), expected, 1e-9 * std::abs(expected)) << record.cells[0] << " " << record.cells[1];
  }
  EXPECT_EQ(rows, 139u);
  EXPECT_EQ(models.size(), 9u);
}

TEST(ModelMegatron, GivesTheLogitsOfThePublishedArrangement) {
  const Sizes sizes = tiny_sizes("llama2");
  const auto options = at::TensorOptions().dtype(at::kDouble);
  const auto plain = make_model("llama2", sizes, options);
  const auto arranged = make_model("llama2_megatron", sizes, options);
  plain->initialise(3);
  const at::NoGradGuard no_grad;
  auto from = plain->named_parameters();
  for (auto& item : arranged->named_parameters()) {
    const std::string& key = item.key();
    at::Tensor value;
    if (key == "qkv.weight") {
      const std::vector<std::int64_t> by_head = {sizes.heads, sizes.head_size, sizes.hidden};
      value = at::stack({from["q.weight"].view(by_head), from["k.weight"].view(by_head), from["v.weight"].view(by_head)}, 1)
                  .reshape({-1, sizes.hidden});
    } else if (key == "gate_up.weight") {
      value = at::cat({from["gate.weight"], from["up.weight"]});
    } else {
      value = from[key];
    }
    item.value().copy_(value);
  }
  const Batch batch = plain->make_batch(1);
  const at::Tensor expected = plain->output(batch);
  const at::Tensor actual = arranged->output(batch).transpose(0, 1);
  EXPECT_LT((actual - expected).abs().max().item<double>(), 1e-12);
}

}  // namespace
}  // namespace assay::bench
