// Every plugin of this build is found by its manifest, loads, and has a schema for each of its components.
#include <gtest/gtest.h>

#include "base/locations.hpp"
#include "config/schema.hpp"
#include "loader/registry.hpp"

namespace assay {
namespace {

TEST(BuiltPlugins, AreFoundAndLoad) {
  Registry registry = Registry::discover({plugin_folder()});
  EXPECT_EQ(registry.problems(), std::vector<std::string>());
  std::size_t folders = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(plugin_folder())) ++folders;
  EXPECT_EQ(registry.plugins().size(), folders);
  for (const PluginManifest& manifest : registry.plugins()) {
    const Result<const assay_plugin*> plugin = registry.load(manifest.id);
    ASSERT_TRUE(plugin) << plugin.failure().message;
    for (std::uint64_t i = 0; i < (*plugin)->component_count; ++i) {
      const assay_component& component = *(*plugin)->components[i];
      ASSERT_NE(component.config_schema, nullptr) << component.id;
      const Result<Schema> schema = Schema::parse(component.config_schema, component.id);
      EXPECT_TRUE(schema) << schema.failure().message;
      ASSERT_NE(component.description, nullptr) << component.id;
      EXPECT_EQ(std::string(component.description).find('\n'), std::string::npos) << component.id;
    }
  }
}

}  // namespace
}  // namespace assay
