#include "apiserver/table.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "apiserver/object_rules.h"
#include "apiserver/status.h"

namespace kinformer::apiserver {
namespace {

struct Row {
  const json::Value& object;
  WallTime now;
  [[nodiscard]] const std::string& Text(std::string_view pointer) const {
    return object.At(pointer).StringOrEmpty();
  }
  [[nodiscard]] std::int64_t Int(std::string_view pointer) const {
    return object.At(pointer).AsInt64().value_or(0);
  }
};

struct BuiltinColumn {
  std::string_view name;
  std::string_view type;
  int priority;
  std::function<json::Value(const Row&)> cell;
};

std::string AgeOf(const std::string& time, WallTime now) {
  if (time.empty()) return "<unknown>";
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  return HumanDuration(std::max<std::int64_t>(0, seconds - ParseTimeSeconds(time)));
}

json::Value Name(const Row& row) { return row.Text("/metadata/name"); }
json::Value Age(const Row& row) { return AgeOf(row.Text("/metadata/creationTimestamp"), row.now); }

std::string OrNone(const std::string& text) { return text.empty() ? "<none>" : text; }

std::string Joined(const json::Value& items, const char* member) {
  std::string out;
  for (const json::Value& item : items.items()) {
    out += (out.empty() ? "" : ",") + item[member].StringOrEmpty();
  }
  return out;
}

std::string ConditionStatus(const json::Value& object, std::string_view type) {
  for (const json::Value& condition : object.At("/status/conditions").items()) {
    if (condition["type"].StringOrEmpty() == type) return condition["status"].StringOrEmpty();
  }
  return {};
}

std::string Counts(std::int64_t have, std::int64_t want) {
  return std::to_string(have) + "/" + std::to_string(want);
}

json::Value PodReady(const Row& row) {
  std::int64_t ready = 0;
  for (const json::Value& status : row.object.At("/status/containerStatuses").items()) {
    if (status["ready"].AsBool().value_or(false)) ++ready;
  }
  return Counts(ready, static_cast<std::int64_t>(row.object.At("/spec/containers").size()));
}

json::Value PodStatus(const Row& row) {
  if (!row.object.At("/metadata/deletionTimestamp").is_null()) return "Terminating";
  for (const json::Value& status : row.object.At("/status/containerStatuses").items()) {
    const std::string& waiting = status.At("/state/waiting/reason").StringOrEmpty();
    if (!waiting.empty()) return waiting;
  }
  const std::string& reason = row.Text("/status/reason");
  if (!reason.empty()) return reason;
  const std::string& phase = row.Text("/status/phase");
  return phase == "Succeeded" ? "Completed" : phase;
}

json::Value PodRestarts(const Row& row) {
  std::int64_t restarts = 0;
  for (const json::Value& status : row.object.At("/status/containerStatuses").items()) {
    restarts += status["restartCount"].AsInt64().value_or(0);
  }
  return std::to_string(restarts);
}

json::Value NodeStatus(const Row& row) {
  std::string status = ConditionStatus(row.object, "Ready") == "True" ? "Ready" : "NotReady";
  if (row.object.At("/spec/unschedulable").AsBool().value_or(false))
    status += ",SchedulingDisabled";
  return status;
}

json::Value NodeRoles(const Row& row) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::string roles;
  for (const auto& [key, value] : row.object.At("/metadata/labels").members()) {
    if (key.starts_with(kPrefix)) roles += (roles.empty() ? "" : ",") + key.substr(kPrefix.size());
  }
  return OrNone(roles);
}

json::Value ServicePorts(const Row& row) {
  std::string ports;
  for (const json::Value& port : row.object.At("/spec/ports").items()) {
    ports += ports.empty() ? "" : ",";
    ports += std::to_string(port["port"].AsInt64().value_or(0));
    if (const auto node_port = port["nodePort"].AsInt64())
      ports += ":" + std::to_string(*node_port);
    const std::string& protocol = port["protocol"].StringOrEmpty();
    ports += "/" + (protocol.empty() ? std::string("TCP") : protocol);
  }
  return OrNone(ports);
}

std::string SelectorText(const json::Value& labels) {
  std::string text;
  for (const auto& [key, value] : labels.members()) {
    text += (text.empty() ? "" : ",") + key + "=" + value.StringOrEmpty();
  }
  return OrNone(text);
}

BuiltinColumn Number(std::string_view name, std::string_view pointer) {
  return {name, "integer", 0,
          [pointer](const Row& row) -> json::Value { return row.Int(pointer); }};
}

BuiltinColumn Text(std::string_view name, std::string_view pointer, int priority = 0) {
  return {name, "string", priority,
          [pointer](const Row& row) -> json::Value { return OrNone(row.Text(pointer)); }};
}

std::vector<BuiltinColumn> BuiltinColumns(const ServedResource& resource) {
  const BuiltinColumn name{"Name", "string", 0, Name};
  const BuiltinColumn age{"Age", "string", 0, Age};
  const std::string& plural = resource.plural;
  if (plural == "pods") {
    return {name,
            {"Ready", "string", 0, PodReady},
            {"Status", "string", 0, PodStatus},
            {"Restarts", "string", 0, PodRestarts},
            age,
            Text("IP", "/status/podIP", 1),
            Text("Node", "/spec/nodeName", 1),
            Text("Nominated Node", "/status/nominatedNodeName", 1)};
  }
  if (plural == "deployments" || plural == "statefulsets") {
    const BuiltinColumn ready{"Ready", "string", 0, [](const Row& row) -> json::Value {
                                return Counts(row.Int("/status/readyReplicas"),
                                              row.Int("/spec/replicas"));
                              }};
    if (plural == "statefulsets") return {name, ready, age};
    return {name,
            ready,
            Number("Up-to-date", "/status/updatedReplicas"),
            Number("Available", "/status/availableReplicas"),
            age,
            {"Containers", "string", 1,
             [](const Row& row) -> json::Value {
               return Joined(row.object.At("/spec/template/spec/containers"), "name");
             }},
            {"Images", "string", 1,
             [](const Row& row) -> json::Value {
               return Joined(row.object.At("/spec/template/spec/containers"), "image");
             }},
            {"Selector", "string", 1, [](const Row& row) -> json::Value {
               return SelectorText(row.object.At("/spec/selector/matchLabels"));
             }}};
  }
  if (plural == "replicasets" || plural == "replicationcontrollers") {
    return {name, Number("Desired", "/spec/replicas"), Number("Current", "/status/replicas"),
            Number("Ready", "/status/readyReplicas"), age};
  }
  if (plural == "daemonsets") {
    return {name,
            Number("Desired", "/status/desiredNumberScheduled"),
            Number("Current", "/status/currentNumberScheduled"),
            Number("Ready", "/status/numberReady"),
            Number("Up-to-date", "/status/updatedNumberScheduled"),
            Number("Available", "/status/numberAvailable"),
            age};
  }
  if (plural == "services") {
    return {name,
            Text("Type", "/spec/type"),
            Text("Cluster-IP", "/spec/clusterIP"),
            {"External-IP", "string", 0,
             [](const Row& row) -> json::Value {
               return OrNone(Joined(row.object.At("/status/loadBalancer/ingress"), "ip"));
             }},
            {"Port(s)", "string", 0, ServicePorts},
            age,
            {"Selector", "string", 1, [](const Row& row) -> json::Value {
               return SelectorText(row.object.At("/spec/selector"));
             }}};
  }
  if (plural == "nodes") {
    return {name,
            {"Status", "string", 0, NodeStatus},
            {"Roles", "string", 0, NodeRoles},
            age,
            Text("Version", "/status/nodeInfo/kubeletVersion"),
            {"Internal-IP", "string", 1, [](const Row& row) -> json::Value {
               for (const json::Value& address : row.object.At("/status/addresses").items()) {
                 if (address["type"].StringOrEmpty() == "InternalIP") return address["address"];
               }
               return "<none>";
             }}};
  }
  if (plural == "namespaces") return {name, Text("Status", "/status/phase"), age};
  const BuiltinColumn data{"Data", "integer", 0, [](const Row& row) -> json::Value {
                             return row.object["data"].size() + row.object["binaryData"].size();
                           }};
  if (plural == "configmaps") return {name, data, age};
  if (plural == "secrets") return {name, Text("Type", "/type"), data, age};
  if (plural == "leases") return {name, Text("Holder", "/spec/holderIdentity"), age};
  if (plural == "customresourcedefinitions") {
    return {name, {"Created At", "date", 0, [](const Row& row) -> json::Value {
                     return row.Text("/metadata/creationTimestamp");
                   }}};
  }
  if (plural == "jobs") {
    return {name,
            {"Status", "string", 0,
             [](const Row& row) -> json::Value {
               if (ConditionStatus(row.object, "Complete") == "True") return "Complete";
               return ConditionStatus(row.object, "Failed") == "True" ? "Failed" : "Running";
             }},
            {"Completions", "string", 0,
             [](const Row& row) -> json::Value {
               return Counts(row.Int("/status/succeeded"), row.Int("/spec/completions"));
             }},
            age};
  }
  if (plural == "events" && resource.group.empty()) {
    return {{"Last Seen", "string", 0,
             [](const Row& row) -> json::Value {
               const std::string& last = row.Text("/lastTimestamp");
               return AgeOf(last.empty() ? row.Text("/eventTime") : last, row.now);
             }},
            Text("Type", "/type"),
            Text("Reason", "/reason"),
            {"Object", "string", 0,
             [](const Row& row) -> json::Value {
               std::string kind = row.Text("/involvedObject/kind");
               std::transform(kind.begin(), kind.end(), kind.begin(), [](char c) {
                 return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
               });
               return kind + "/" + row.Text("/involvedObject/name");
             }},
            Text("Message", "/message"),
            {"Name", "string", 1, Name}};
  }
  return {name, age};
}

// ".spec.size" and ".status.conditions[0].type", or null.
const json::Value& Follow(const json::Value& object, std::string_view path) {
  static const json::Value kNull;
  std::string pointer;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (c == '\\' && i + 1 < path.size()) {
      pointer += path[++i];
    } else if (c == '.' || c == '[') {
      pointer += '/';
    } else if (c == '/') {
      pointer += "~1";
    } else if (c != ']') {
      pointer += c;
    }
  }
  const json::Value* found = object.FindPointer(pointer);
  return found == nullptr ? kNull : *found;
}

json::Value CustomCell(const PrinterColumn& column, const json::Value& object, WallTime now) {
  const json::Value& value = Follow(object, column.path);
  if (value.is_null()) return nullptr;
  if (column.type == "date") return AgeOf(value.StringOrEmpty(), now);
  if (column.type == "integer")
    return value.AsInt64() ? json::Value(*value.AsInt64()) : json::Value();
  if (column.type == "number") return value.is_number() ? value : json::Value();
  if (column.type == "boolean") return value.is_bool() ? value : json::Value();
  return value.is_string() ? value : json::Value(value.Dump());
}

}  // namespace

std::string HumanDuration(std::int64_t s) {
  const auto part = [](std::int64_t count, char unit) { return std::to_string(count) + unit; };
  const auto two = [&](std::int64_t major, char major_unit, std::int64_t minor, char minor_unit) {
    return part(major, major_unit) + (minor == 0 ? std::string() : part(minor, minor_unit));
  };
  const std::int64_t minutes = s / 60;
  const std::int64_t hours = s / 3600;
  const std::int64_t days = hours / 24;
  if (s < 120) return part(s, 's');
  if (minutes < 10) return two(minutes, 'm', s % 60, 's');
  if (hours < 3) return part(minutes, 'm');
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return part(hours, 'h');
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return part(days, 'd');
  if (days < 365 * 8) return two(days / 365, 'y', days % 365, 'd');
  return part(days / 365, 'y');
}

std::string ColumnDefinitionsJson(const ResourceAt& at) {
  json::Value columns = json::Value::MakeArray();
  const auto add = [&](std::string_view name, std::string_view type, std::string_view description,
                       int priority) {
    columns.Append(json::Value::MakeObject({{"name", name},
                                            {"type", type},
                                            {"format", name == "Name" ? "name" : ""},
                                            {"description", description},
                                            {"priority", priority}}));
  };
  if (!at.resource->custom) {
    for (const BuiltinColumn& column : BuiltinColumns(*at.resource)) {
      add(column.name, column.type, column.name, column.priority);
    }
    return columns.Dump();
  }
  add("Name", "string", "Name", 0);
  for (const PrinterColumn& column : at.version->columns) {
    add(column.name, column.type, column.description, column.priority);
  }
  if (at.version->columns.empty()) add("Age", "date", "Age", 0);
  return columns.Dump();
}

json::Value TableCells(const ResourceAt& at, const json::Value& object, WallTime now) {
  const Row row{.object = object, .now = now};
  json::Value cells = json::Value::MakeArray();
  if (!at.resource->custom) {
    for (const BuiltinColumn& column : BuiltinColumns(*at.resource)) cells.Append(column.cell(row));
    return cells;
  }
  cells.Append(Name(row));
  for (const PrinterColumn& column : at.version->columns)
    cells.Append(CustomCell(column, object, now));
  if (at.version->columns.empty()) cells.Append(Age(row));
  return cells;
}

}  // namespace kinformer::apiserver
