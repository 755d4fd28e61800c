#include "kernels/output_mask.hpp"

namespace assay::emulator {

bool wanted(const Args& args, std::size_t index) { return args.ints("outputMask").at(index) != 0; }

void check_output_mask(const Args& args, std::initializer_list<const char*> outputs) {
  if (args.ints("outputMask").size() != outputs.size()) {
    refuse("'outputMask' must have " + std::to_string(outputs.size()) + " elements");
  }
  std::size_t i = 0;
  for (const char* name : outputs) {
    if (wanted(args, i++) && !args.has(name)) {
      throw Refused(ACLNN_ERR_PARAM_NULLPTR, std::string("'") + name + "' is null though the mask wants it");
    }
  }
}

}  // namespace assay::emulator
