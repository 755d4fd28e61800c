#include "pipeline/check.hpp"

#include <chrono>

#include "base/locations.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "pipeline/judge_setup.hpp"

namespace assay {

namespace {

bool has_tensors(const DumpHeader& header) { return header.task != "statistics" && header.task != "structure"; }

/// What "auto" means for this dump.
SourceConfig resolve_target(const SourceConfig& configured, const DumpHeader& header) {
  SourceConfig target = configured;
  if (target.kind != SourceConfig::Kind::kAuto) return target;
  if (has_tensors(header)) {
    target.kind = SourceConfig::Kind::kRecorded;
  } else {
    target.kind = SourceConfig::Kind::kAdapter;
    target.adapter = header.framework == Framework::kPyTorch ? "assay.torch" : "assay.mint";
    target.precision = "as-recorded";
  }
  return target;
}

SideInfo side_info(const Engine& engine) {
  return {engine.spec().component, engine.framework(), engine.version(), engine.spec().precision, engine.details()};
}

std::vector<std::size_t> select(const Dump& dump, const PipelineConfig& config) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < dump.size(); ++i) {
    const std::string stem = dump.stem(i);
    if (config.selects(stem, stem.substr(0, stem.rfind('.')))) positions.push_back(i);
  }
  return positions;
}

}  // namespace

Check::Check(RunInfo info, std::vector<std::size_t> positions, std::vector<Instance> comparisons, Evaluator evaluator)
    : info_(std::move(info)),
      positions_(std::move(positions)),
      comparisons_(std::move(comparisons)),
      evaluator_(std::move(evaluator)) {}

Result<Check> Check::prepare(Registry& registry, const CheckRequest& request) {
  const PipelineConfig& config = request.config;
  Result<Dump> dump = Dump::open(request.dump, request.dump_options);
  if (!dump) return dump.failure();
  std::vector<std::size_t> positions = select(*dump, config);

  Result<JudgeSetup> setup = JudgeSetup::load(registry, config.standard, config.overrides_json, config.comparisons);
  if (!setup) return setup.failure();

  RunInfo info;
  info.command = request.command;
  info.dump_path = dump->json_path().string();
  info.dump_fingerprint = dump->fingerprint();
  info.header = dump->header();
  info.api_count = positions.size();
  info.standard = setup->standard;
  info.metric_names = setup->judge.metric_names();
  info.config_json = config.json;
  info.skipped_keys = dump->skipped_keys();

  std::optional<Engine> target;
  const SourceConfig target_config = resolve_target(config.target, dump->header());
  info.target.source = "recorded";
  if (target_config.kind == SourceConfig::Kind::kAdapter) {
    Result<Engine> engine = Engine::create(registry, {target_config.adapter, target_config.precision, target_config.config_json});
    if (!engine) {
      Failure failure = engine.failure();
      if (config.target.kind == SourceConfig::Kind::kAuto) {
        failure.message +=
            "; a statistics dump has no outputs to compare, so its own framework must run: choose another with --target";
      }
      return failure;
    }
    info.target = side_info(*engine);
    target = std::move(*engine);
  }
  Result<Engine> reference =
      Engine::create(registry, {config.reference.adapter, config.reference.precision, config.reference.config_json});
  if (!reference) return reference.failure();
  info.reference = side_info(*reference);

  EvaluatorOptions options;
  options.seed = config.seed;
  options.threads = config.threads;
  options.summaries = request.summaries;
  options.nudge = setup->wants_nudge;
  InputBuilder inputs(*dump, config.inputs, config.seed);
  Result<SecondMeanings> meanings = SecondMeanings::load(share_folder() / "apis" / "second_meanings.json");
  if (!meanings) return meanings.failure();
  Evaluator evaluator(*dump, std::move(inputs), setup->judge, std::move(*meanings), std::move(target), std::move(*reference),
                      options);
  return Check(std::move(info), std::move(positions), std::move(setup->comparisons), std::move(evaluator));
}

Result<RunSummary> Check::run(const std::vector<std::unique_ptr<ResultSink>>& sinks, const std::atomic<bool>& stop) const {
  const auto start = std::chrono::steady_clock::now();
  for (const auto& sink : sinks) {
    if (Status s = sink->begin(info_); !s) return s.failure();
  }
  log("pipeline")->debug("first call of {}", positions_.size());
  RunSummary summary;
  summary.complete = true;
  for (const std::size_t position : positions_) {
    if (stop.load()) {
      summary.complete = false;
      break;
    }
    const ApiResult result = evaluator_.evaluate(position);
    summary.counts.add(result);
    for (const auto& sink : sinks) {
      if (Status s = sink->add(result); !s) return s.failure();
    }
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const auto& sink : sinks) {
    if (Status s = sink->finish(summary); !s) return s.failure();
  }
  return summary;
}

}  // namespace assay
