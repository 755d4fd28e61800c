#include "worker/in_process.hpp"

#include <chrono>

#include "config/json.hpp"
#include "pipeline/evaluator.hpp"

namespace assay {

Status InProcess::start(Job& job) {
  Result<rapidjson::Document> description = parse_json(run_.description, "the run");
  if (!description) return description.failure();
  plan_ = run_.plan ? run_.plan(false) : CallPlan{run_.positions, {}, {}};
  return job.describe(*description);
}

Result<bool> InProcess::run(Job& job, const std::vector<std::size_t>& positions, const std::atomic<bool>& stop) {
  /// How long what is done may wait for the disk.
  constexpr std::chrono::milliseconds kCommitDelay{250};
  auto committed = std::chrono::steady_clock::now();
  std::vector<std::size_t> done;
  const auto hand_on = [&]() -> Status {
    if (Status s = job.commit(); !s) return s;
    for (const std::size_t position : done) {
      if (Status s = job.pass_on(position); !s) return s;
    }
    done.clear();
    committed = std::chrono::steady_clock::now();
    return Done{};
  };
  for (const std::size_t position : positions) {
    if (stop.load()) break;
    if (!job.known(position)) {
      std::string stem;
      const auto order = plan_.orders.find(position);
      const std::string text = order == plan_.orders.end() ? job.order(position) : order->second;
      const Started started = [&](const RecordedCall& call, const char*) { stem = call.stem; };
      std::vector<std::string> results;
      for (unsigned directions = kBothDirections; directions != 0;) {
        results.push_back(run_.evaluate(position, directions, text, started));
        directions = run_.breakdown ? run_.breakdown().left : 0;
      }
      if (Status s = job.keep({position, stem, {}, {}, std::move(results)}); !s) return s.failure();
    }
    done.push_back(position);
    if (std::chrono::steady_clock::now() - committed < kCommitDelay) continue;
    if (Status s = hand_on(); !s) return s.failure();
  }
  if (Status s = hand_on(); !s) return s.failure();
  return !stop.load();
}

}  // namespace assay
