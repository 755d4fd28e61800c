// One function for each model, defined in the model's own file.
#pragma once

#include <memory>

#include "model.hpp"

namespace assay::bench {

std::shared_ptr<Model> make_llama2(const Sizes& sizes, const at::TensorOptions& options);
std::shared_ptr<Model> make_llama2_megatron(const Sizes& sizes, const at::TensorOptions& options);
std::shared_ptr<Model> make_aquila2(const Sizes& sizes, const at::TensorOptions& options);
std::shared_ptr<Model> make_baichuan2(const Sizes& sizes, const at::TensorOptions& options);
std::shared_ptr<Model> make_bloom(const Sizes& sizes, const at::TensorOptions& options);
std::shared_ptr<Model> make_internlm(const Sizes& sizes, const at::TensorOptions& options);
std::shared_ptr<Model> make_qwen(const Sizes& sizes, const at::TensorOptions& options);
std::shared_ptr<Model> make_gemma(const Sizes& sizes, const at::TensorOptions& options);
std::shared_ptr<Model> make_resnet50_cifar(const Sizes& sizes, const at::TensorOptions& options);
std::shared_ptr<Model> make_opensora_stdit_xl2(const Sizes& sizes, const at::TensorOptions& options);

}  // namespace assay::bench
