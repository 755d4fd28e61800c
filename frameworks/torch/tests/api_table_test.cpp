// The API table's format and the function library, without a call.
#include "api_table.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "assay/abi/adapter.h"
#include "assay/sdk/error.hpp"
#include "torch_adapter_support.hpp"

namespace assay::test {
namespace {

using torch_adapter::ApiTable;

std::string write_table(const std::string& json) {
  const std::string path = testing::TempDir() + "/api_table.json";
  std::ofstream(path) << json;
  return path;
}

std::string problem_of(const std::string& json) {
  try {
    ApiTable::load(write_table(json));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(ApiTable, ReadsEntries) {
  const ApiTable table = ApiTable::load(write_table(
      R"({"format": 1, "apis": {"Tensor.__rpow__": {"operator": "pow", "order": [1, 0]}, "Tensor.__add__": "add"}, "as_recorded": ["Tensor.__add__"]})"));
  ASSERT_NE(table.find("Tensor.__rpow__"), nullptr);
  EXPECT_EQ(table.find("Tensor.__rpow__")->order, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(table.find("Tensor.__add__")->operators, std::vector<std::string>{"add"});
  EXPECT_TRUE(table.find("Tensor.__add__")->as_recorded);
  EXPECT_EQ(table.find("Torch.sin"), nullptr);
}

TEST(ApiTable, NamesFilePointerAndProblem) {
  EXPECT_NE(problem_of(R"({"apis": {"Torch.x": {"order": [-1]}}})").find("/apis/Torch.x/order: expected a non-negative integer"),
            std::string::npos);
  EXPECT_NE(problem_of(R"({"apis": {"Torch.x": {"ordre": [1]}}})").find("/apis/Torch.x/ordre: unknown key"), std::string::npos);
  EXPECT_NE(problem_of(R"({"format": 2})").find("/format: expected 1"), std::string::npos);
  EXPECT_NE(problem_of(R"({"apis": )").find("byte "), std::string::npos);
  EXPECT_THROW(ApiTable::load("/nonexistent/torch.json"), Error);
}

class FunctionLibrary : public TorchAdapter {};

TEST_F(FunctionLibrary, CompilesOrSaysWhichOperatorIsMissing) {
  const std::filesystem::path folder = std::string(ASSAY_SOURCE_DIR) + "/configs/apis/torch";
  const std::regex definition(R"(^def (Functional|Torch|Tensor|Mint|MintFunctional)_(\w+)\()");
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, definition)) continue;
      ++seen;
      const std::string api = match[1].str() + "." + match[2].str();
      const auto* table = adapter().extension<assay_adapter>(ASSAY_EXT_ADAPTER);
      ErrorSlot error;
      if (table->supports(adapter().get(), api.c_str(), ASSAY_FORWARD, error.get()) != ASSAY_OK) {
        EXPECT_NE(error.message().find("has no aten::"), std::string::npos) << api << ": " << error.message();
      }
    }
  }
  EXPECT_GT(seen, 100u);
}

}  // namespace
}  // namespace assay::test
