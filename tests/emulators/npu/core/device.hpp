// Making and ending of contexts and streams.
#pragma once

#include "core/process.hpp"

namespace assay::emulator {

Context* make_context(int device, bool is_default);
Stream* make_stream(Context& context);
void end_context(Call& call, Context& context);

}  // namespace assay::emulator
