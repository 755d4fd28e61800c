#include "engine.hpp"

#include <limits>
#include <string>

#include "finish.hpp"
#include "second_look.hpp"

namespace assay::engine {
namespace {

std::string shape_text(const assay_dltensor& dl) {
  std::string text = "[";
  for (std::int32_t d = 0; d < dl.ndim; ++d) text += (d == 0 ? "" : ", ") + std::to_string(dl.shape[d]);
  return text + "]";
}

void require_same_shape(const assay_dltensor& actual, const assay_dltensor& expected) {
  bool same = actual.ndim == expected.ndim;
  for (std::int32_t d = 0; same && d < actual.ndim; ++d) same = actual.shape[d] == expected.shape[d];
  if (!same) {
    throw Error(ASSAY_INVALID_ARGUMENT, "actual has shape " + shape_text(actual) + ", expected has " + shape_text(expected));
  }
}

}  // namespace

Engine::Engine(const EngineOptions& options) : options_(options) {
  for (std::size_t m = 0; m < kMetricCount; ++m) {
    if (!options_.metrics[m]) continue;
    order_.push_back(static_cast<Metric>(m));
    infos_.push_back(&metric_info(order_.back()));
  }
}

void Engine::compare(const assay_pair& pair, double* values, std::uint8_t* available) const {
  const Source actual(*pair.actual, "actual");
  const Source expected(*pair.expected, "expected");
  require_same_shape(pair.actual->dl, pair.expected->dl);

  Plan plan = make_plan(options_.metrics, options_.atol, actual.dtype(), expected.dtype());
  const PairReader reader(actual, expected);
  if (plan.scaled) plan.scale_guess = guess_scale(reader);
  const Walk walk = walk_pair(reader, plan, pair.max_threads);
  const SecondLook look = look_again(reader, plan, walk);
  const Outcome outcome{plan, walk, look, actual.dtype(), expected.dtype()};
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint32_t length = infos_[i]->length;
    available[i] = finish_metric(outcome, order_[i], values) ? 1 : 0;
    if (available[i] == 0) {
      for (std::uint32_t k = 0; k < length; ++k) values[k] = std::numeric_limits<double>::quiet_NaN();
    }
    values += length;
  }
}

}  // namespace assay::engine
