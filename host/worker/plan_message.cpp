#include "worker/plan_message.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "config/json.hpp"

namespace assay {

namespace {

using Json = rapidjson::Value;

bool holds_numbers(const Json& plan, const char* key) {
  const auto list = plan.FindMember(key);
  if (list == plan.MemberEnd() || !list->value.IsArray()) return false;
  for (const Json& number : list->value.GetArray()) {
    if (!number.IsUint64()) return false;
  }
  return true;
}

bool is_order(const Json& order) { return order.IsArray() && order.Size() == 2 && order[0].IsUint64() && order[1].IsString(); }

}  // namespace

std::string plan_to_json(const CallPlan& plan) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  writer.StartObject();
  writer.Key("positions");
  writer.StartArray();
  for (const std::size_t position : plan.positions) writer.Uint64(position);
  writer.EndArray();
  writer.Key("costs");
  writer.StartArray();
  for (const std::uint64_t cost : plan.costs) writer.Uint64(cost);
  writer.EndArray();
  writer.Key("orders");
  writer.StartArray();
  for (const auto& [position, order] : plan.orders) {
    writer.StartArray();
    writer.Uint64(position);
    writer.String(order);
    writer.EndArray();
  }
  writer.EndArray();
  writer.EndObject();
  return text.GetString();
}

Result<CallPlan> plan_from_json(std::string_view text) {
  Result<rapidjson::Document> json = parse_json(text, "the plan of a run");
  if (!json) return json.failure();
  if (!json->IsObject() || !holds_numbers(*json, "positions") || !holds_numbers(*json, "costs") || !json->HasMember("orders") ||
      !(*json)["orders"].IsArray()) {
    return input_failure("understand the plan of a run: expected lists of positions, costs and orders");
  }
  CallPlan plan;
  for (const Json& position : (*json)["positions"].GetArray()) plan.positions.push_back(position.GetUint64());
  for (const Json& cost : (*json)["costs"].GetArray()) plan.costs.push_back(cost.GetUint64());
  for (const Json& order : (*json)["orders"].GetArray()) {
    if (!is_order(order)) return input_failure("understand the plan of a run: expected an order of a position and a text");
    plan.orders[order[0].GetUint64()] = std::string(order[1].GetString(), order[1].GetStringLength());
  }
  if (!plan.costs.empty() && plan.costs.size() != plan.positions.size()) {
    return input_failure("understand the plan of a run: it has " + std::to_string(plan.costs.size()) + " costs for " +
                         std::to_string(plan.positions.size()) + " calls");
  }
  return plan;
}

}  // namespace assay
