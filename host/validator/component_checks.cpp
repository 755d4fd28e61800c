// Checks of every component, whatever its kind: configuration, errors, instances, capabilities.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "config/json.hpp"
#include "config/schema.hpp"
#include "loader/host_table.hpp"
#include "loader/tables.hpp"
#include "validator/check.hpp"

namespace assay::validator {

namespace {

Result<Schema> schema_of(const assay_component& component) {
  require(component.config_schema != nullptr, "config_schema is NULL");
  return Schema::parse(component.config_schema, "config_schema");
}

void schema_is_valid(const Subject& subject) {
  const Live live(subject);
  const Result<Schema> schema = schema_of(live.component());
  require(static_cast<bool>(schema), schema ? "" : schema.failure().message);
  const Result<rapidjson::Document> wrong = parse_json("[]", "configuration");
  require(!schema->problems(*wrong, "configuration").empty(), "config_schema accepts a list; say \"type\": \"object\"");
}

void creates(const Subject& subject) {
  const Live live(subject);
  const Result<Schema> schema = schema_of(live.component());
  const Result<rapidjson::Document> config = parse_json(subject.config_json, "configuration");
  require(static_cast<bool>(config), config ? "" : config.failure().message);
  if (schema) {
    const Status valid = schema->check(*config, "configuration");
    if (!valid) skip("needs a configuration, give one with --config: " + valid.failure().message);
  }
  const auto instance = live.create();
}

/// For each key of the schema, configurations with every other type of value.
std::vector<std::string> wrong_configurations(const assay_component& component) {
  std::vector<std::string> wrong;
  const Result<rapidjson::Document> schema = parse_json(component.config_schema != nullptr ? component.config_schema : "{}", "");
  if (!schema || !schema->IsObject() || !schema->HasMember("properties") || !(*schema)["properties"].IsObject()) return wrong;
  for (const auto& property : (*schema)["properties"].GetObject()) {
    for (const char* value : {"null", "true", "-1", "1e300", "\"\"", "\"nonsense\"", "[]", "[[1]]", "{}"}) {
      wrong.push_back("{" + json_text(property.name) + ": " + value + "}");
    }
  }
  return wrong;
}

void survives_wrong_configuration(const Subject& subject) {
  const Live live(subject);
  const Result<Schema> schema = schema_of(live.component());
  require(static_cast<bool>(schema), schema ? "" : schema.failure().message);
  for (const std::string& config : wrong_configurations(live.component())) {
    assay_instance* instance = nullptr;
    const assay_status status = call("create with " + config, [&](assay_error* err) {
      return live.component().create(host_table(), config.c_str(), &instance, err);
    });
    if (status != ASSAY_OK) {
      require(instance == nullptr, "create with " + config + " fails and writes its out-parameter");
    } else {
      require(instance != nullptr, "create with " + config + " returns ASSAY_OK without an instance");
      instance->destroy(instance);
    }
  }
}

void accepts_callers_without_error_detail(const Subject& subject) {
  const Live live(subject);
  for (const std::string& config : wrong_configurations(live.component())) {
    assay_instance* instance = nullptr;
    const assay_status status = live.component().create(host_table(), config.c_str(), &instance, nullptr);
    if (status == ASSAY_OK && instance != nullptr) instance->destroy(instance);

    // A caller of an older ABI: nothing beyond its struct_size may be written.
    assay_error shorter{};
    shorter.struct_size = 8;
    instance = nullptr;
    const assay_status again = live.component().create(host_table(), config.c_str(), &instance, &shorter);
    if (again == ASSAY_OK && instance != nullptr) instance->destroy(instance);
    require(shorter.message == nullptr && shorter.release == nullptr, "create writes beyond the error's struct_size");
  }
}

void creates_a_thousand_times(const Subject& subject) {
  constexpr int kTimes = 1000;
  constexpr std::chrono::seconds kEnough(10);
  const Live live(subject);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes && std::chrono::steady_clock::now() - start < kEnough; ++i) const auto instance = live.create();
}

void instances_are_independent(const Subject& subject) {
  const Live live(subject);
  auto first = live.create();
  auto second = live.create();
  require(first != second, "two calls of create give one instance");
  first.reset();
  const TableInfo* info = main_table_of_kind(subject.component.kind);
  require(second->get_extension(second.get(), info->extension) != nullptr,
          "an instance loses its table when another one is destroyed");
}

void has_its_kinds_table(const Subject& subject) {
  Live live(subject);
  const auto instance = live.create();
  const TableInfo* info = main_table_of_kind(subject.component.kind);
  const void* table = instance->get_extension(instance.get(), info->extension);
  const Status sound = check_table(*info, table);
  require(static_cast<bool>(sound), sound ? "" : sound.failure().message);
  require(instance->get_extension(instance.get(), info->extension) == table, "get_extension gives another table the second time");
  require(instance->reserved0 == 0, "reserved0 of the instance is not 0");
}

void knows_only_whole_extension_ids(const Subject& subject) {
  const Live live(subject);
  const auto instance = live.create();
  const std::string own = main_table_of_kind(subject.component.kind)->extension;
  for (const std::string& id : {std::string(), std::string("assay"), std::string("com.example.unknown/1"), own + "x", own + "1",
                                own + "/", own.substr(0, own.size() - 1), own.substr(0, own.size() - 1) + "2"}) {
    require(instance->get_extension(instance.get(), id.c_str()) == nullptr, "get_extension gives a table for '" + id + "'");
  }
}

void keeps_standard_output_clean(const Subject& subject) {
  std::fflush(stdout);
  std::FILE* file = std::tmpfile();
  require(file != nullptr, "no temporary file to catch the output in");
  const int kept = ::dup(STDOUT_FILENO);
  ::dup2(::fileno(file), STDOUT_FILENO);
  const auto restore = [&] {
    std::fflush(stdout);
    ::dup2(kept, STDOUT_FILENO);
    ::close(kept);
  };
  try {
    const Live live(subject);
    const auto instance = live.create();
  } catch (const Verdict&) {
    restore();
    std::fclose(file);
    throw;
  }
  restore();
  struct stat info {};
  const bool measured = ::fstat(::fileno(file), &info) == 0;
  std::fclose(file);
  require(measured && info.st_size == 0,
          "loading and creating write " + std::to_string(info.st_size) + " bytes to standard output; use the host's log");
}

}  // namespace

std::vector<Check> component_checks() {
  return {
      {"component.schema-is-valid", 8, "component", "config_schema is a JSON Schema of an object", schema_is_valid},
      {"component.creates", 9, "component", "an instance can be created and destroyed", creates},
      {"component.survives-wrong-configuration", 10, "component",
       "a configuration of wrong types is accepted or refused with a status", survives_wrong_configuration},
      {"component.accepts-callers-without-error-detail", 11, "component", "err may be NULL or of an older ABI",
       accepts_callers_without_error_detail},
      {"component.creates-a-thousand-times", 12, "component", "creating and destroying can be repeated", creates_a_thousand_times},
      {"component.instances-are-independent", 13, "component", "instances live and die independently", instances_are_independent},
      {"component.has-its-kinds-table", 14, "component", "the table of the component's kind is there and complete",
       has_its_kinds_table},
      {"component.knows-only-whole-extension-ids", 15, "component", "an unknown or mutilated extension id gives NULL",
       knows_only_whole_extension_ids},
      {"component.keeps-standard-output-clean", 16, "component", "nothing is written to standard output",
       keeps_standard_output_clean}};
}

}  // namespace assay::validator
