// Tiny instances of the models, for tests.
#pragma once

#include "model.hpp"

namespace assay::bench {

/// The sizes that the closed-form instances of data/model_oracle.csv have.
inline Sizes tiny_sizes(const std::string& name) {
  Sizes sizes;
  sizes.batch = 2;
  if (name == "resnet50_cifar") {
    sizes.hidden = 8;
    sizes.vocabulary = 10;
    sizes.image = 32;
  } else if (name == "opensora_stdit_xl2") {
    sizes.sequence = 6;
    sizes.hidden = 48;
    sizes.mlp = 192;
    sizes.heads = 4;
    sizes.head_size = 12;
    sizes.depth = 2;
    sizes.frames = 3;
    sizes.image = 8;
    sizes.text = 24;
  } else {
    sizes.sequence = 9;
    sizes.hidden = 64;
    sizes.mlp = name == "bloom" ? 256 : 96;
    sizes.heads = 4;
    sizes.head_size = name == "gemma" ? 24 : 16;
    sizes.vocabulary = 101;
  }
  return sizes;
}

}  // namespace assay::bench
