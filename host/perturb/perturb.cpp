#include "perturb/perturb.hpp"

#include <algorithm>

#include "base/locations.hpp"

namespace assay {

namespace {

/// A shipped table by name, or a file by path.
std::filesystem::path stability_path(const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".json");
  return is_path ? std::filesystem::path(name) : share_folder() / "standards" / (name + ".json");
}

/// "step3", "rank0" in a path give "3" and "0".
std::string number_in_path(const std::filesystem::path& path, const std::string& prefix) {
  std::string found;
  for (const std::filesystem::path& part : path) {
    const std::string name = part.string();
    if (name.rfind(prefix, 0) != 0 || name.size() == prefix.size()) continue;
    const std::string number = name.substr(prefix.size());
    if (std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; })) found = number;
  }
  return found;
}

}  // namespace

PerturbRun::PerturbRun(PerturbInfo info, std::vector<std::size_t> positions, Perturber perturber)
    : info_(std::move(info)), positions_(std::move(positions)), perturber_(std::move(perturber)) {}

Result<PerturbRun> PerturbRun::prepare(Registry& registry, const PerturbRequest& request) {
  const PerturbConfig& config = request.config;
  Result<Dump> dump = Dump::open(request.dump, request.dump_options);
  if (!dump) return dump.failure();
  std::vector<std::size_t> positions;
  std::vector<std::string> apis;
  for (std::size_t i = 0; i < dump->size(); ++i) {
    const std::string stem = dump->stem(i);
    const std::string api = stem.substr(0, stem.rfind('.'));
    if (!config.selects(stem, api)) continue;
    positions.push_back(i);
    apis.push_back(api);
  }
  Result<StabilityStandard> standard = StabilityStandard::load(stability_path(config.stability));
  if (!standard) return standard.failure();
  std::vector<PerturbationChain> chains;
  for (const PerturbationStage& stage : config.stages) {
    Result<PerturbationChain> chain = PerturbationChain::create(registry, stage);
    if (!chain) return chain.failure();
    chains.push_back(std::move(*chain));
  }
  Result<PerturbationChain> control = PerturbationChain::create(registry, {"no-change", {{"assay.no-change", "{}"}}, {}});
  if (!control) return control.failure();
  Result<PerturbationChain> reference =
      PerturbationChain::create(registry, {"to-cpu", {{"assay.to-cpu", R"({"compat": "msprobe"})"}}, {}});
  if (!reference) return reference.failure();
  Result<Engine> engine = Engine::create(registry, {config.engine.adapter, config.engine.precision, config.engine.config_json});
  if (!engine) return engine.failure();

  PerturbInfo info;
  info.command = request.command;
  info.dump_path = dump->json_path().string();
  info.dump_fingerprint = dump->fingerprint();
  info.header = dump->header();
  info.call_count = positions.size();
  info.apis = std::move(apis);
  info.engine = {engine->spec().component, engine->framework(), engine->version(), engine->spec().precision, engine->details()};
  for (const PerturbationChain& chain : chains) info.perturbations.push_back(chain.name());
  info.seeds = config.seeds;
  info.config_json = config.json;
  const std::filesystem::path folder = std::filesystem::absolute(dump->json_path()).parent_path();
  const bool mindspore = dump->header().framework != Framework::kPyTorch;
  info.rank = number_in_path(folder, "rank");
  // The peer's PyTorch rows always have a rank.
  if (info.rank.empty() && !mindspore) info.rank = "0";
  info.step = number_in_path(folder, "step");
  if (info.step.empty()) info.step = "0";

  PerturberOptions options;
  options.forward = config.forward;
  options.backward = config.backward;
  options.inputs = config.inputs;
  options.handler = config.handler;
  options.seeds = config.seeds;
  options.seed = config.seed;
  options.threads = config.threads;
  options.peer_rows = std::find(config.formats.begin(), config.formats.end(), "msprobe") != config.formats.end();
  options.letter = config.compat;
  options.mindspore = mindspore;
  InputBuilder builder(*dump, config.made_inputs, config.seed);
  Perturber perturber(*dump, std::move(builder), std::move(*engine), std::move(*control), std::move(*reference), std::move(chains),
                      std::move(*standard), options);
  return PerturbRun(std::move(info), std::move(positions), std::move(perturber));
}

}  // namespace assay
