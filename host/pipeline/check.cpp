#include "pipeline/check.hpp"

#include "base/locations.hpp"
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

/// Two builds of one framework bring libraries that clash in one process.
bool clash(const Registry& registry, const std::string& target, const std::string& reference) {
  const PluginManifest* one = registry.owner_of(target);
  const PluginManifest* other = registry.owner_of(reference);
  return one != nullptr && other != nullptr && VersionedId(target).id == VersionedId(reference).id &&
         one->library != other->library;
}

std::vector<std::size_t> select(const Dump& dump, const PipelineConfig& config) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < dump.size(); ++i) {
    const std::string stem = dump.stem(i);
    if (config.selects(stem, stem.substr(0, stem.rfind('.')))) positions.push_back(i);
  }
  return config.sample == 0 ? positions : sample_calls(dump, positions, config.sample, config.seed);
}

}  // namespace

Check::Check(RunInfo info, std::vector<std::size_t> positions, const CheckRequest& request, std::vector<Instance> comparisons,
             Evaluator evaluator)
    : info_(std::move(info)),
      positions_(std::move(positions)),
      dedup_(request.config.dedup),
      shard_(request.shard),
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
  if (request.shard) info.shard = request.shard->text();
  info.standard = setup->standard;
  info.metric_names = setup->judge.metric_names();
  info.config_json = config.json;
  info.skipped_keys = dump->skipped_keys();

  std::optional<Engine> target;
  const SourceConfig target_config = resolve_target(config.target, dump->header());
  info.target.source = "recorded";
  if (target_config.kind == SourceConfig::Kind::kAdapter) {
    const EngineSpec spec{target_config.adapter, target_config.precision, target_config.config_json};
    Result<Engine> engine = clash(registry, spec.component, config.reference.adapter)
                                ? Engine::create_isolated(registry, spec, request.memory_limit)
                                : Engine::create(registry, spec);
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
  // The reference only: a target that lacks an API must say so.
  reference->fall_through_to(std::make_shared<Operators>(registry));
  info.reference = side_info(*reference);

  EvaluatorOptions options;
  options.seed = config.seed;
  options.threads = config.threads;
  options.summaries = request.summaries;
  options.saver = request.saver;
  options.nudge = setup->wants_nudge;
  InputBuilder inputs(*dump, config.inputs, config.seed);
  Result<SecondMeanings> meanings = SecondMeanings::load(share_folder() / "apis" / "second_meanings.json");
  if (!meanings) return meanings.failure();
  Evaluator evaluator(*dump, std::move(inputs), setup->judge, std::move(*meanings), std::move(target), std::move(*reference),
                      options);
  return Check(std::move(info), std::move(positions), request, std::move(setup->comparisons), std::move(evaluator));
}

}  // namespace assay
