// Any text as the manifest of a plugin.
#include "base/locations.hpp"
#include "loader/manifest.hpp"
#include "memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const assay::Result<assay::Schema> schema =
      assay::Schema::load(assay::share_folder() / "schemas" / "manifest.schema.json");
  if (!schema) std::abort();
  const assay::MemoryFile file(data, size);
  const assay::Result<assay::PluginManifest> manifest = assay::read_manifest(file.path(), *schema);
  if (manifest) (void)assay::check_compatible(*manifest);
  return 0;
}
