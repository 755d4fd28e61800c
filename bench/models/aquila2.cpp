#include "decoder.hpp"
#include "factories.hpp"

namespace assay::bench {

/// Aquila2-7B with one layer: the frame as it is.
std::shared_ptr<Model> make_aquila2(const Sizes& sizes, const at::TensorOptions& options) {
  DecoderTraits traits;
  traits.norm_eps = 1e-5;
  return std::make_shared<Decoder>(sizes, traits, options);
}

}  // namespace assay::bench
