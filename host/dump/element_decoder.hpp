// One element of a dump entry, positional or keyword alike, from its JSON.
#pragma once

#include "dump/decode_error.hpp"
#include "dump/recorded.hpp"

namespace assay {

class ElementDecoder {
 public:
  /// Throws DecodeError for a wrong type at any level. Kinds that are right but can't be handed on give an OpaqueElement.
  Element decode(const Json& json, const JsonPlace& place);

 private:
  Element tagged(const Json& json, const std::string& type, const JsonPlace& place);
  Element dict(const Json& json, const JsonPlace& place);

  std::size_t count_ = 0;
};

/// A tensor's metadata. Throws DecodeError.
TensorElement decode_tensor(const Json& json, std::string type, const JsonPlace& place);

/// Throws DecodeError when a member's name occurs twice or can't be a C string.
void require_plain_names(const Json& object, const JsonPlace& place);

}  // namespace assay
