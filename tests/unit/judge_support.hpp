// Short ways to make values and judge them, for the tests of host/judge.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "judge/judge.hpp"

namespace assay::judge_testing {

std::filesystem::path standards_dir();

/// A judge over the real elementwise plugin. Throws std::runtime_error with the failure's message.
Judge judge_by(const std::string& standard, std::string_view overrides = {});

/// A tensor of any real dtype, each value rounded once to it.
Tensor tensor(assay_dtype dtype, std::vector<std::int64_t> shape, const std::vector<double>& values);
/// One dimension.
Tensor row(assay_dtype dtype, const std::vector<double>& values);
Tensor complex_row(assay_dtype dtype, const std::vector<std::complex<double>>& values);
/// The same value everywhere.
Tensor filled(assay_dtype dtype, std::vector<std::int64_t> shape, double value);

/// One call to judge; fields that a case doesn't need stay empty.
struct Case {
  std::string api = {};
  std::vector<Value> actual = {};
  std::vector<Value> expected = {};
  std::vector<Value> args = {};
  std::vector<NamedValue> kwargs = {};
  std::string direction = "forward";
  std::vector<Value> grad_outputs = {};
  std::vector<std::vector<Value>> nudged = {};
};

std::vector<JudgedOutput> judge_all(const Judge& judge, const Case& c);
/// The verdict on the only (or the given) output.
OutputVerdict judge_one(const Judge& judge, const Case& c, std::size_t output = 0);

/// Whether the verdict is the wanted one; says its reason and message otherwise.
::testing::AssertionResult has_verdict(const OutputVerdict& given, Verdict wanted);

/// A metric of the verdict; NaN when it has no value.
double metric(const OutputVerdict& verdict, std::string_view name);

}  // namespace assay::judge_testing
