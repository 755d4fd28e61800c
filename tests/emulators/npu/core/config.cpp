#include "core/config.hpp"

#include <fcntl.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "acl/error.h"

namespace assay::emulator {
namespace {

using Json = rapidjson::Value;

const std::map<std::string_view, Point> kPoints = {
    {"init", Point::kInit},     {"set_device", Point::kSetDevice},    {"phase1", Point::kPhase1}, {"phase2", Point::kPhase2},
    {"kernel", Point::kKernel}, {"synchronize", Point::kSynchronize}, {"malloc", Point::kMalloc}, {"memcpy", Point::kMemcpy},
};
const std::map<std::string_view, Action> kActions = {
    {"error", Action::kError},
    {"wrong", Action::kWrong},
    {"tail", Action::kTail},
    {"hang", Action::kHang},
    {"device_lost", Action::kDeviceLost},
    {"nondeterministic", Action::kNondeterministic},
    {"crash", Action::kCrash},
};

[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error("ASSAY_NPU_EMULATOR: " + what); }

std::string_view text(const Json& value, std::string_view key) {
  if (!value.IsString()) {
    refuse(std::string(key) + ": expected text");
  }
  return {value.GetString(), value.GetStringLength()};
}

std::int64_t number(const Json& value, std::string_view key) {
  if (!value.IsInt64()) {
    refuse(std::string(key) + ": expected a whole number");
  }
  return value.GetInt64();
}

bool flag(const Json& value, std::string_view key) {
  if (!value.IsBool()) {
    refuse(std::string(key) + ": expected true or false");
  }
  return value.GetBool();
}

template <class T>
T named(const std::map<std::string_view, T>& names, std::string_view name, std::string_view key) {
  const auto found = names.find(name);
  if (found == names.end()) {
    refuse(std::string(key) + ": '" + std::string(name) + "' is not a value of it");
  }
  return found->second;
}

aclError usual_error(Point at) {
  switch (at) {
    case Point::kPhase1: return ACLNN_ERR_INNER_FIND_KERNEL_ERROR;
    case Point::kPhase2: return ACLNN_ERR_RUNTIME_ERROR;
    case Point::kMalloc: return ACL_ERROR_RT_MEMORY_ALLOCATION;
    case Point::kInit: return ACL_ERROR_INTERNAL_ERROR;
    case Point::kSetDevice: return ACL_ERROR_RT_DEV_SETUP_ERROR;
    case Point::kMemcpy: return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    default: return ACL_ERROR_RT_AICORE_EXCEPTION;
  }
}

Fault parse_fault(const Json& json) {
  if (!json.IsObject() || !json.HasMember("at")) {
    refuse("faults: expected objects with \"at\"");
  }
  Fault fault;
  fault.at = named(kPoints, text(json["at"], "at"), "at");
  fault.error = usual_error(fault.at);
  for (const auto& [name, value] : json.GetObject()) {
    const std::string_view key = text(name, "key");
    if (key == "at") {
      continue;
    }
    if (key == "do") {
      fault.action = named(kActions, text(value, key), key);
    } else if (key == "operator") {
      fault.target = text(value, key);
    } else if (key == "shape") {
      if (!value.IsArray()) {
        refuse("shape: expected a list of numbers");
      }
      fault.shape.emplace();
      for (const Json& dim : value.GetArray()) {
        fault.shape->push_back(number(dim, key));
      }
    } else if (key == "nth") {
      fault.nth = static_cast<std::uint64_t>(number(value, key));
    } else if (key == "times") {
      fault.times = static_cast<std::uint64_t>(number(value, key));
    } else if (key == "error") {
      fault.error = static_cast<aclError>(number(value, key));
    } else if (key == "once") {
      fault.once = text(value, key);
    } else {
      refuse("faults: unknown key '" + std::string(key) + "'");
    }
  }
  return fault;
}

// Whether this process is the one that shows a fault which shows once.
bool claim(const std::string& path) {
  if (path.empty()) {
    return true;
  }
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) {
    return false;
  }
  ::close(file);
  return true;
}

std::string environment_text() {
  const char* value = std::getenv("ASSAY_NPU_EMULATOR");
  if (value == nullptr || *value == '\0') {
    return "{}";
  }
  if (*value == '{') {
    return value;
  }
  std::ifstream file(value);
  if (!file) {
    refuse(std::string("cannot read '") + value + "'");
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Config parse_config(std::string_view json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) {
    refuse("expected a JSON object");
  }
  Config result;
  for (const auto& [name, value] : document.GetObject()) {
    const std::string_view key = text(name, "key");
    if (key == "soc") {
      result.soc = text(value, key);
    } else if (key == "version") {
      const std::string_view version = text(value, key);
      if (version != "8.1" && version != "9.1") {
        refuse("version: expected \"8.1\" or \"9.1\"");
      }
      result.old_version = version == "8.1";
    } else if (key == "devices") {
      result.devices = static_cast<int>(number(value, key));
    } else if (key == "memory") {
      result.memory = static_cast<std::uint64_t>(number(value, key));
    } else if (key == "hf32_mantissa") {
      result.hf32_mantissa = static_cast<int>(number(value, key));
    } else if (key == "flush_subnormals") {
      result.flush_subnormals = flag(value, key);
    } else if (key == "missing" && value.IsArray()) {
      for (const Json& function : value.GetArray()) {
        result.missing.emplace_back(text(function, key));
      }
    } else if (key == "faults" && value.IsArray()) {
      for (const Json& fault : value.GetArray()) {
        result.faults.push_back(parse_fault(fault));
      }
    } else {
      refuse("unknown key '" + std::string(key) + "'");
    }
  }
  return result;
}

Config& config() {
  static Config& instance = *new Config(parse_config(environment_text()));
  return instance;
}

const Fault* fault_at(Point at, std::string_view target, const Shape* shape) {
  for (Fault& fault : config().faults) {
    const bool matches = fault.at == at && (fault.target.empty() || fault.target == target) &&
                         (!fault.shape || (shape != nullptr && *fault.shape == *shape));
    if (!matches) {
      continue;
    }
    const std::uint64_t count = ++fault.seen;
    if (count >= fault.nth && (fault.times == 0 || count < fault.nth + fault.times) && claim(fault.once)) {
      return &fault;
    }
  }
  return nullptr;
}

}  // namespace assay::emulator
