#include "validator/validator.hpp"

#include <poll.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <regex>

#include "base/locations.hpp"
#include "base/text.hpp"
#include "config/schema.hpp"
#include "loader/manifest.hpp"
#include "validator/check.hpp"
#include "validator/child.hpp"

namespace assay {

namespace {

namespace fs = std::filesystem;
using validator::Check;
using validator::Child;
using validator::Outcome;
using validator::Subject;
using validator::Verdict;
using Clock = std::chrono::steady_clock;

CheckStatus status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed: return CheckStatus::kPassed;
    case Outcome::kCrashed: return CheckStatus::kCrashed;
    case Outcome::kSkipped: return CheckStatus::kSkipped;
    case Outcome::kWarning: return CheckStatus::kWarning;
    default: return CheckStatus::kFailed;
  }
}

fs::path manifest_path(const fs::path& given) {
  std::error_code error;
  if (fs::is_directory(given, error)) return given / "manifest.json";
  return given.filename() == "manifest.json" ? given : given.parent_path() / "manifest.json";
}

struct Job {
  const Check* check = nullptr;
  Subject subject;
  std::size_t result = 0;  ///< index in the report
};

class Plan {
 public:
  Plan(const ValidatorOptions& options, ValidationReport& report) : options_(options), report_(report) {
    if (!options.include.empty()) include_.assign(options.include);
    if (!options.exclude.empty()) exclude_.assign(options.exclude);
  }

  void add_plugin(const fs::path& given, const Schema& schema) {
    const Result<PluginManifest> manifest = read_manifest(fs::absolute(manifest_path(given)).lexically_normal(), schema);
    if (!manifest) {
      add_unreadable(given, manifest.failure().message);
      return;
    }
    for (const Check& check : validator::all_checks()) {
      if (std::string_view(check.kind) == "plugin") add(check, *manifest, {});
    }
    for (const ComponentEntry& component : manifest->components) {
      for (const Check& check : validator::all_checks()) {
        if (check.kind == component.kind || std::string_view(check.kind) == "component") add(check, *manifest, component);
      }
    }
  }

  std::deque<Job> jobs;

 private:
  [[nodiscard]] bool is_selected(const Check& check) const {
    return (options_.include.empty() || std::regex_search(check.id, include_)) &&
           (options_.exclude.empty() || !std::regex_search(check.id, exclude_));
  }

  CheckResult result_of(const Check& check, const std::string& plugin, const std::string& component) const {
    CheckResult result;
    result.plugin = plugin;
    result.component = component;
    result.check = check.id;
    result.rule = "ASSAY-PLUGIN-" + std::to_string(check.rule);
    result.sentence = check.sentence;
    return result;
  }

  void add(const Check& check, const PluginManifest& manifest, const ComponentEntry& component) {
    if (!is_selected(check)) return;
    jobs.push_back({&check, {manifest, component, options_.config_json}, report_.results.size()});
    report_.results.push_back(result_of(check, manifest.id, component.id));
  }

  /// Without a manifest there is nothing else to check.
  void add_unreadable(const fs::path& given, const std::string& problem) {
    CheckResult result = result_of(validator::all_checks().front(), given.string(), "");
    result.status = CheckStatus::kFailed;
    result.message = problem;
    report_.results.push_back(std::move(result));
  }

  const ValidatorOptions& options_;
  ValidationReport& report_;
  std::regex include_;
  std::regex exclude_;
};

struct Running {
  std::unique_ptr<Child> child;
  std::size_t result;
};

void record(CheckResult& result, const Verdict& verdict, Clock::time_point started) {
  result.status = status_of(verdict.outcome);
  result.message = verdict.message;
  result.seconds = std::chrono::duration<double>(Clock::now() - started).count();
}

/// Waits until a child has something to say or the first of them runs out of time.
void wait_for_any(const std::vector<Running>& running, std::chrono::seconds timeout) {
  std::vector<pollfd> descriptors;
  auto first_deadline = Clock::time_point::max();
  for (const Running& entry : running) {
    descriptors.push_back({entry.child->descriptor(), POLLIN, 0});
    first_deadline = std::min(first_deadline, entry.child->started() + timeout);
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(first_deadline - Clock::now()).count();
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::clamp<long long>(left + 1, 0, 1000)));
}

bool is_readable(int descriptor) {
  pollfd entry{descriptor, POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

void run_in_children(std::deque<Job> jobs, const ValidatorOptions& options, ValidationReport& report) {
  std::vector<Running> running;
  while (!jobs.empty() || !running.empty()) {
    while (!jobs.empty() && running.size() < std::max(1u, options.jobs)) {
      running.push_back({std::make_unique<Child>(*jobs.front().check, jobs.front().subject), jobs.front().result});
      jobs.pop_front();
    }
    wait_for_any(running, options.timeout);
    for (std::size_t i = 0; i < running.size();) {
      Child& child = *running[i].child;
      bool through = is_readable(child.descriptor()) && child.read_more();
      if (!through && Clock::now() - child.started() > options.timeout) {
        child.stop();
        through = true;
      }
      if (!through) {
        ++i;
        continue;
      }
      record(report.results[running[i].result], child.finish(), child.started());
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace

std::size_t ValidationReport::count(CheckStatus status) const {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [&](const CheckResult& result) { return result.status == status; }));
}

bool ValidationReport::conforms() const {
  return count(CheckStatus::kFailed) == 0 && count(CheckStatus::kCrashed) == 0 && count(CheckStatus::kPassed) > 0;
}

Result<ValidationReport> validate_plugins(const ValidatorOptions& options) {
  if (options.plugins.empty()) return input_failure("validate plugins: none given; name a manifest or its folder");
  const Result<Schema> schema = Schema::load(share_folder() / "schemas" / "manifest.schema.json");
  if (!schema) return schema.failure();
  ValidationReport report;
  std::deque<Job> jobs;
  try {
    Plan plan(options, report);
    for (const fs::path& plugin : options.plugins) plan.add_plugin(plugin, *schema);
    jobs = std::move(plan.jobs);
  } catch (const std::regex_error& e) {
    return input_failure(std::string("validate plugins: not a regular expression: ") + e.what());
  }
  if (report.results.empty()) return input_failure("validate plugins: no check selected; see --include and --exclude");
  if (!options.in_process) {
    run_in_children(std::move(jobs), options, report);
    return report;
  }
  for (const Job& job : jobs) {
    const auto started = Clock::now();
    record(report.results[job.result], validator::run_here(*job.check, job.subject), started);
  }
  return report;
}

}  // namespace assay
