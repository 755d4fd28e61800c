#include "compare/precision_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/text.hpp"
#include "compare/precision_rules.hpp"

namespace assay {

namespace {

/// "float32" of "torch.float32".
std::string plain_dtype(const std::string& text) { return text.substr(text.rfind('.') + 1); }

/// "matmul" of "Torch.matmul.0.forward.output.0", "fft.rfft" of "Torch.fft.rfft.0.forward.output.0".
std::string api_name(const std::string& name) {
  const std::vector<std::string_view> parts = split(name, '.');
  std::string out(parts[1]);
  for (std::size_t i = 2; i + 4 < parts.size(); ++i) out += "." + std::string(parts[i]);
  return out;
}

PrecisionRow skipped(const TableRow& tested, std::string message) {
  PrecisionRow row;
  row.name = tested.name;
  row.dtype = plain_dtype(tested.dtype);
  row.verdict = Verdict::kSkip;
  row.message = std::move(message);
  row.peer_message = tested.message;
  return row;
}

}  // namespace

ErrorRatio error_ratio(double tested, double baseline, double smallest) {
  if (!std::isfinite(tested) || !std::isfinite(baseline)) {
    const bool same = tested == baseline || (std::isnan(tested) && std::isnan(baseline));
    return {std::numeric_limits<double>::quiet_NaN(), false, same};
  }
  return {std::fabs(tested) / std::max(std::fabs(baseline), smallest), true, true};
}

bool is_details_name(const std::string& name) {
  const std::vector<std::string_view> parts = split(name, '.');
  if (parts.size() != 6 && parts.size() != 7) return false;
  const std::string_view direction = parts[parts.size() - 3];
  return direction == "forward" || direction == "backward";
}

PrecisionRow PrecisionJudge::judge(const TableRow& tested, const TableRow& baseline) const {
  const std::string dtype = plain_dtype(tested.dtype);
  if (dtype.empty()) return skipped(tested, tested.message);
  if (!standard_.judges(dtype, tested.shape)) {
    return skipped(tested, tested.message.empty() ? "outputs of dtype " + dtype + " and shape " + tested.shape + " are not judged"
                                                  : tested.message);
  }
  if (tested.contradicted) return skipped(tested, "the tested table has several rows of this name, with different values");
  if (baseline.contradicted) return skipped(tested, "the baseline has several rows of this name, with different values");
  PrecisionRow row;
  row.name = tested.name;
  row.dtype = dtype;
  row.peer_message = tested.message;
  const std::string api = api_name(tested.name);
  row.algorithm = standard_.choose({api, dtype, tested.metrics[kRelativeRate].has_value()});
  PrecisionRules(standard_, api, dtype, tested, baseline).apply(row);
  return row;
}

std::vector<PrecisionRow> PrecisionJudge::rows(const Table& tested, const Table& baseline) const {
  std::unordered_map<std::string_view, const TableRow*> by_name;
  for (const TableRow& row : baseline.rows) by_name.try_emplace(row.name, &row);
  std::vector<PrecisionRow> out;
  for (const TableRow& row : tested.rows) {
    if (!is_details_name(row.name)) {
      out.push_back(skipped(row, "the name is not Type.name.index.direction.output.position"));
      continue;
    }
    const auto found = by_name.find(row.name);
    if (found != by_name.end()) out.push_back(judge(row, *found->second));
  }
  return out;
}

std::vector<PrecisionResult> PrecisionJudge::results(const std::vector<PrecisionRow>& rows) const {
  struct Gathered {
    PrecisionResult result;
    bool all_unjudged_dtypes = true;
    std::string forward_message;
  };
  std::vector<Gathered> gathered;
  std::unordered_map<std::string, std::size_t> index;
  for (const PrecisionRow& row : rows) {
    const bool named = is_details_name(row.name);
    const OutputName name = named ? parse_output_name(row.name).value_or(OutputName{row.name}) : OutputName{row.name};
    const auto [found, is_new] = index.try_emplace(std::string(name.stem), gathered.size());
    if (is_new) gathered.emplace_back().result.stem = name.stem;
    Gathered& api = gathered[found->second];
    Verdict& verdict = name.backward ? api.result.backward : api.result.forward;
    verdict = std::max(verdict, row.verdict);
    api.all_unjudged_dtypes = api.all_unjudged_dtypes && !row.dtype.empty() && !standard_.judges(row.dtype, "");
    if (!name.backward && row.verdict == Verdict::kSkip && api.forward_message.empty()) {
      api.forward_message = row.peer_message.empty() ? row.message : row.peer_message;
    }
    if (!named) api.result.backward = Verdict::kSkip;
  }
  std::vector<PrecisionResult> out;
  for (Gathered& api : gathered) {
    if (api.all_unjudged_dtypes) api.result.forward = api.result.backward = Verdict::kSkip;
    if (api.result.forward == Verdict::kSkip) api.result.message = api.forward_message;
    if (api.result.forward == Verdict::kError && api_of_stem(api.result.stem).ends_with(".topk")) {
      api.result.message = "devices may order equal values of topk differently: compare the values after sorting them";
    }
    out.push_back(std::move(api.result));
  }
  return out;
}

}  // namespace assay
