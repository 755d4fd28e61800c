// The table of operators and the kernels belong together.
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/istreamwrapper.h>

#include <fstream>

#include "core/kernel.hpp"

namespace {

TEST(Table, EveryOperatorHasAKernel) {
  std::ifstream file(ASSAY_SOURCE_DIR "/tests/emulators/npu/operators.json");
  rapidjson::IStreamWrapper stream(file);
  rapidjson::Document table;
  table.ParseStream(stream);
  ASSERT_TRUE(table.IsArray());
  EXPECT_GT(table.Size(), 300U);
  for (const auto& op : table.GetArray()) {
    EXPECT_NE(assay::emulator::find_kernel(op["name"].GetString()), nullptr) << op["name"].GetString();
  }
}

}  // namespace
