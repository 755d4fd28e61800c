// The options of commands that work in supervised processes.
#pragma once

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "worker/supervisor.hpp"

namespace assay {

/// Set by the supervisor when it starts this executable as a worker; not for people.
inline constexpr const char* kWorkerOption = kInternalOption;

/// --jobs, --timeout, --memory, --devices, --max-time and kWorkerOption.
void add_worker_options(po::options_description& options);

/// How many workers; 0: everything in this process.
unsigned worker_count(const po::variables_map& values);

/// --memory in bytes. errors  kInput: not a size
Result<std::optional<std::uint64_t>> memory_limit(const po::variables_map& values);

/// command, arguments  of this process, which its workers are started with
SupervisorOptions supervisor_options(const po::variables_map& values, const std::string& command, const Arguments& arguments);

}  // namespace assay
