#include "model.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "factories.hpp"

namespace assay::bench {

namespace {

using Factory = std::shared_ptr<Model> (*)(const Sizes&, const at::TensorOptions&);

struct Entry {
  Factory make;
  Sizes full;
};

Sizes decoder_sizes(std::int64_t sequence, std::int64_t hidden, std::int64_t mlp, std::int64_t heads, std::int64_t head_size,
                    std::int64_t vocabulary) {
  Sizes sizes;
  sizes.sequence = sequence;
  sizes.hidden = hidden;
  sizes.mlp = mlp;
  sizes.heads = heads;
  sizes.head_size = head_size;
  sizes.vocabulary = vocabulary;
  return sizes;
}

Sizes resnet_sizes() {
  Sizes sizes;
  sizes.batch = 512;
  sizes.hidden = 64;
  sizes.vocabulary = 10;
  sizes.image = 32;
  return sizes;
}

Sizes stdit_sizes() {
  Sizes sizes;
  sizes.sequence = 120;
  sizes.hidden = 1152;
  sizes.mlp = 4608;
  sizes.heads = 16;
  sizes.head_size = 72;
  sizes.depth = 28;
  sizes.frames = 16;
  sizes.image = 32;
  sizes.text = 4096;
  return sizes;
}

const std::map<std::string, Entry>& entries() {
  static const std::map<std::string, Entry> kEntries = {
      {"llama2", {make_llama2, decoder_sizes(4096, 4096, 11008, 32, 128, 32000)}},
      {"llama2_megatron", {make_llama2_megatron, decoder_sizes(4096, 4096, 11008, 32, 128, 32000)}},
      {"aquila2", {make_aquila2, decoder_sizes(2048, 4096, 11008, 32, 128, 100008)}},
      {"baichuan2", {make_baichuan2, decoder_sizes(4096, 4096, 11008, 32, 128, 125696)}},
      {"bloom", {make_bloom, decoder_sizes(2048, 4096, 16384, 32, 128, 250880)}},
      {"internlm", {make_internlm, decoder_sizes(2048, 4096, 11008, 32, 128, 103168)}},
      {"qwen", {make_qwen, decoder_sizes(4096, 4096, 11008, 32, 128, 151936)}},
      {"gemma", {make_gemma, decoder_sizes(2048, 3072, 24576, 16, 256, 256000)}},
      {"resnet50_cifar", {make_resnet50_cifar, resnet_sizes()}},
      {"opensora_stdit_xl2", {make_opensora_stdit_xl2, stdit_sizes()}},
  };
  return kEntries;
}

const Entry& entry(const std::string& name) {
  const auto found = entries().find(name);
  if (found == entries().end()) throw std::invalid_argument("there is no model '" + name + "'");
  return found->second;
}

}  // namespace

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& item : entries()) names.push_back(item.first);
    return names;
  }();
  return kNames;
}

Sizes full_sizes(const std::string& name) { return entry(name).full; }

Sizes scaled(const std::string& name, const Sizes& full, std::int64_t scale) {
  Sizes sizes = full;
  sizes.hidden /= scale;
  sizes.text /= scale;
  if (name == "resnet50_cifar") return sizes;
  sizes.mlp /= scale;
  sizes.head_size /= scale;
  sizes.sequence /= scale;
  sizes.vocabulary /= scale;
  if (name == "opensora_stdit_xl2") {
    // Shrunk less than the widths, so that both kinds of attention still see several tokens: 4 frames of 16 x 16 at a scale of 8.
    sizes.frames = std::clamp<std::int64_t>(full.frames * 2 / scale, 2, full.frames);
    sizes.image = std::clamp<std::int64_t>(full.image * 4 / scale, 4, full.image);
  }
  return sizes;
}

std::shared_ptr<Model> make_model(const std::string& name, const Sizes& sizes, at::TensorOptions options) {
  return entry(name).make(sizes, options.requires_grad(c10::nullopt));
}

}  // namespace assay::bench
