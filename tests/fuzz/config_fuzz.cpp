// Any text as a user's pipeline configuration, configuration of a perturbation run, and standard.
#include "config/pipeline_config.hpp"
#include "judge/judge.hpp"
#include "memory_file.hpp"
#include "perturb/perturb_config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const assay::MemoryFile file(data, size);
  (void)assay::PipelineConfig::load("check", file.path(), {});
  (void)assay::PerturbConfig::load(file.path(), {});
  (void)assay::Standard::load(file.path());
  return 0;
}
