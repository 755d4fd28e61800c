// A planned operator between the two phases, and what phase 1 checks about every parameter.
#pragma once

#include <string>
#include <vector>

#include "core/kernel.hpp"

struct aclOpExecutor : assay::emulator::Object {
  static constexpr auto kKind = assay::emulator::ObjectKind::kExecutor;
  aclOpExecutor() : Object(kKind) {}
  const assay::emulator::Operator* op = nullptr;
  const assay::emulator::Kernel* kernel = nullptr;
  std::vector<assay::emulator::Argument> arguments;
  std::vector<std::string> texts;                 // copies of the char* parameters, by index
  std::vector<assay::emulator::Object*> objects;  // parameter objects, members of lists included
  std::uint64_t workspace = 0;
  bool repeatable = false;
};

namespace assay::emulator {

/// Checks one parameter against the signature and the memory; adds the objects it holds to `objects`. Reports misuse.
aclnnStatus check_parameter(Call& call, const Operator& op, const Argument* arguments, int index, std::vector<Object*>& objects);

/// The arguments as the kernel sees them, with data if `with_data`.
Args bound(const Operator& op, const Kernel& kernel, const std::vector<Argument>& arguments, const std::vector<std::string>& texts,
           bool with_data);

/// The elements a tensor may touch, in bytes from its data pointer; first == last if there are none.
std::pair<std::int64_t, std::int64_t> extent(const aclTensor& tensor);

}  // namespace assay::emulator
