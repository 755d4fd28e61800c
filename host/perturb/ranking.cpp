#include "perturb/ranking.hpp"

#include <algorithm>

namespace assay {

namespace {

/// Beyond this a perturbation is no small one, and the ratio of the ends says little about conditioning.
constexpr double kSmallChange = 0.1;

}  // namespace

std::string_view finding_name(Finding finding) {
  switch (finding) {
    case Finding::kControl: return "control";
    case Finding::kNonDeterministic: return "non-deterministic";
    case Finding::kStable: return "stable";
    case Finding::kUnstable: return "unstable";
    case Finding::kLeftDomain: return "left the domain";
    case Finding::kDiscrete: return "discrete";
    case Finding::kNotMeasured: return "not measured";
    case Finding::kUnperturbed: return "unperturbed";
    case Finding::kNotEligible: return "not eligible";
    case Finding::kReplaced: return "replaced";
    case Finding::kNotRun: return "not run";
  }
  return "";
}

void Ranking::add(const PerturbReport& report) {
  ++counts_.calls;
  for (const PerturbRow& row : report.rows) {
    ++counts_.rows;
    if (row.damaged) ++counts_.damaged;
    switch (row.finding) {
      case Finding::kControl: plain_ms_ += row.plain_ms; break;
      case Finding::kNonDeterministic: ++counts_.non_deterministic; break;
      case Finding::kStable:
      case Finding::kDiscrete:
      case Finding::kReplaced: ++counts_.stable; break;
      case Finding::kUnstable: ++counts_.unstable; break;
      case Finding::kLeftDomain: ++counts_.left_domain; break;
      case Finding::kNotMeasured:
      case Finding::kUnperturbed:
      case Finding::kNotEligible: ++counts_.unperturbed; break;
      case Finding::kNotRun: ++counts_.not_run; break;
    }
    if (row.seeds > 0 && row.finding != Finding::kControl) {
      const auto [cost, is_new] = costs_.try_emplace(row.perturbation);
      if (is_new) order_.push_back(row.perturbation);
      cost->second.plain_ms += row.plain_ms;
      cost->second.whole_ms += row.plain_ms + row.perturbed_ms + row.overhead_ms;
    }
    if (!row.amplification || row.input_change > kSmallChange) continue;
    RankedOperator entry{row.api,  row.direction, row.dtype,  row.amplification->mean, row.bits_lost.value_or(0), row.perturbation,
                         row.name, row.input,     row.finding};
    const auto [known, is_new] = operators_.try_emplace({row.api, row.direction, row.dtype}, entry);
    if (!is_new && entry.amplification > known->second.amplification) known->second = entry;
  }
}

void Ranking::fill(PerturbSummary& summary) const {
  summary.counts = counts_;
  summary.plain_seconds = plain_ms_ / 1000;
  for (const auto& [key, entry] : operators_) summary.ranking.push_back(entry);
  std::stable_sort(summary.ranking.begin(), summary.ranking.end(),
                   [](const RankedOperator& l, const RankedOperator& r) { return l.amplification > r.amplification; });
  for (const std::string& name : order_) {
    const Cost& cost = costs_.at(name);
    summary.costs.push_back({name, cost.plain_ms > 0 ? cost.whole_ms / cost.plain_ms : 0});
  }
}

}  // namespace assay
