#include "table/columns.h"

#include <utility>

#include "table/age.h"
#include "table/table_cells.h"

namespace kinformer::internal::table {
namespace {

using json::Value;

using cells::AccessModes;
using cells::Age;
using cells::Join;
using cells::Labels;
using cells::Name;
using cells::Number;
using cells::OrNone;
using cells::Scalar;

std::string ExternalIp(const Value& service) {
  std::string out;
  for (const Value& ingress : service["status"]["loadBalancer"]["ingress"].items()) {
    const std::string& ip = ingress["ip"].StringOrEmpty();
    Join(out, ip.empty() ? ingress["hostname"].StringOrEmpty() : ip);
  }
  for (const Value& ip : service["spec"]["externalIPs"].items()) Join(out, ip.StringOrEmpty());
  const std::string& type = service["spec"]["type"].StringOrEmpty();
  if (type == "ExternalName") return service["spec"]["externalName"].StringOrEmpty();
  return OrNone(std::move(out), type == "LoadBalancer" ? "<pending>" : "<none>");
}

std::vector<std::string> ServiceRow(const Value& o, WallTime now) {
  std::string ports;
  for (const Value& port : o["spec"]["ports"].items()) {
    std::string text = Number(port["port"]);
    if (port["nodePort"].AsInt64().value_or(0) != 0) text += ":" + Number(port["nodePort"]);
    Join(ports, text + "/" + OrNone(port["protocol"].StringOrEmpty(), "TCP"));
  }
  return {Name(o),
          OrNone(o["spec"]["type"].StringOrEmpty(), "ClusterIP"),
          OrNone(o["spec"]["clusterIP"].StringOrEmpty()),
          ExternalIp(o),
          OrNone(std::move(ports)),
          Age(o, now),
          Labels(o["spec"]["selector"])};
}

std::vector<std::string> NodeRow(const Value& o, WallTime now) {
  std::string status = "Unknown";
  for (const Value& condition : o["status"]["conditions"].items()) {
    if (condition["type"].StringOrEmpty() == "Ready") {
      status = condition["status"].StringOrEmpty() == "True" ? "Ready" : "NotReady";
    }
  }
  if (o["spec"]["unschedulable"].AsBool().value_or(false)) status += ",SchedulingDisabled";
  std::string roles;
  constexpr std::string_view kRole = "node-role.kubernetes.io/";
  for (const auto& [key, value] : o["metadata"]["labels"].members()) {
    if (key.compare(0, kRole.size(), kRole) == 0) Join(roles, key.substr(kRole.size()));
    if (key == "kubernetes.io/role") Join(roles, value.StringOrEmpty());
  }
  std::string internal;
  std::string external;
  for (const Value& address : o["status"]["addresses"].items()) {
    const std::string& type = address["type"].StringOrEmpty();
    if (type == "InternalIP" && internal.empty()) internal = address["address"].StringOrEmpty();
    if (type == "ExternalIP" && external.empty()) external = address["address"].StringOrEmpty();
  }
  const Value& info = o["status"]["nodeInfo"];
  std::string kernel = info["kernelVersion"].StringOrEmpty();
  const std::string& architecture = info["architecture"].StringOrEmpty();
  if (!kernel.empty() && !architecture.empty()) kernel += " (" + architecture + ")";
  return {Name(o),
          status,
          OrNone(std::move(roles)),
          Age(o, now),
          info["kubeletVersion"].StringOrEmpty(),
          OrNone(std::move(internal)),
          OrNone(std::move(external)),
          OrNone(info["osImage"].StringOrEmpty(), "<unknown>"),
          OrNone(std::move(kernel), "<unknown>"),
          OrNone(info["containerRuntimeVersion"].StringOrEmpty(), "<unknown>")};
}

std::vector<std::string> NamespaceRow(const Value& o, WallTime now) {
  return {Name(o), o["status"]["phase"].StringOrEmpty(), Age(o, now)};
}

std::vector<std::string> ConfigMapRow(const Value& o, WallTime now) {
  return {Name(o), std::to_string(o["data"].size() + o["binaryData"].size()), Age(o, now)};
}

std::vector<std::string> SecretRow(const Value& o, WallTime now) {
  return {Name(o), o["type"].StringOrEmpty(), std::to_string(o["data"].size()), Age(o, now)};
}

std::vector<std::string> EndpointSliceRow(const Value& o, WallTime now) {
  std::string ports;
  for (const Value& port : o["ports"].items()) Join(ports, Number(port["port"]));
  std::string addresses;
  for (const Value& endpoint : o["endpoints"].items()) {
    for (const Value& address : endpoint["addresses"].items()) {
      Join(addresses, address.StringOrEmpty());
    }
  }
  return {Name(o), o["addressType"].StringOrEmpty(), OrNone(std::move(ports), "<unset>"),
          OrNone(std::move(addresses), "<unset>"), Age(o, now)};
}

std::vector<std::string> IngressRow(const Value& o, WallTime now) {
  std::string hosts;
  for (const Value& rule : o["spec"]["rules"].items()) {
    Join(hosts, OrNone(rule["host"].StringOrEmpty(), "*"));
  }
  std::string address;
  for (const Value& ingress : o["status"]["loadBalancer"]["ingress"].items()) {
    const std::string& ip = ingress["ip"].StringOrEmpty();
    Join(address, ip.empty() ? ingress["hostname"].StringOrEmpty() : ip);
  }
  return {
      Name(o), OrNone(o["spec"]["ingressClassName"].StringOrEmpty()), OrNone(std::move(hosts), "*"),
      address, o["spec"]["tls"].size() == 0 ? "80" : "80, 443",       Age(o, now)};
}

// "kubelet, node-7"
std::string EventSource(const Value& event) {
  const Value& source = event["source"].is_null() ? event["deprecatedSource"] : event["source"];
  std::string component = source["component"].StringOrEmpty();
  if (component.empty()) component = event["reportingComponent"].StringOrEmpty();
  if (component.empty()) component = event["reportingController"].StringOrEmpty();
  std::string host = source["host"].StringOrEmpty();
  if (host.empty()) host = event["reportingInstance"].StringOrEmpty();
  if (!host.empty()) component += ", " + host;
  return component;
}

// Row for both kinds of Event: the core group's, and that of events.k8s.io with its new names.
std::vector<std::string> EventRow(const Value& o, WallTime now) {
  const auto either = [&o](const char* name, const char* other) -> const Value& {
    return o[name].is_null() ? o[other] : o[name];
  };
  const Value& subject = either("involvedObject", "regarding");
  std::string first = either("firstTimestamp", "deprecatedFirstTimestamp").StringOrEmpty();
  if (first.empty()) first = o["eventTime"].StringOrEmpty();
  std::string last = either("lastTimestamp", "deprecatedLastTimestamp").StringOrEmpty();
  std::int64_t count = either("count", "deprecatedCount").AsInt64().value_or(0);
  const Value& series = o["series"];
  if (!series.is_null()) {
    last = series["lastObservedTime"].StringOrEmpty();
    count = series["count"].AsInt64().value_or(count);
  }
  if (last.empty()) last = first;
  if (count == 0) count = 1;
  std::string kind = subject["kind"].StringOrEmpty();
  for (char& c : kind) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return {AgeOf(last, now),
          o["type"].StringOrEmpty(),
          o["reason"].StringOrEmpty(),
          kind + "/" + subject["name"].StringOrEmpty(),
          subject["fieldPath"].StringOrEmpty(),
          EventSource(o),
          either("message", "note").StringOrEmpty(),
          AgeOf(first, now),
          std::to_string(count),
          Name(o)};
}

std::vector<std::string> LeaseRow(const Value& o, WallTime now) {
  return {Name(o), o["spec"]["holderIdentity"].StringOrEmpty(), Age(o, now)};
}

std::string StorageOf(const Value& capacity) { return Scalar(capacity["storage"]); }

std::vector<std::string> ClaimRow(const Value& o, WallTime now) {
  return {Name(o),
          o["status"]["phase"].StringOrEmpty(),
          o["spec"]["volumeName"].StringOrEmpty(),
          StorageOf(o["status"]["capacity"]),
          AccessModes(o["status"]["accessModes"]),
          o["spec"]["storageClassName"].StringOrEmpty(),
          OrNone(o["spec"]["volumeAttributesClassName"].StringOrEmpty(), "<unset>"),
          Age(o, now),
          OrNone(o["spec"]["volumeMode"].StringOrEmpty(), "<unset>")};
}

std::vector<std::string> CrdRow(const Value& o, WallTime) {
  return {Name(o), o["metadata"]["creationTimestamp"].StringOrEmpty()};
}

std::vector<std::string> PlainRow(const Value& o, WallTime now) { return {Name(o), Age(o, now)}; }

std::vector<Column> EventColumns() {
  return {{"Last Seen"},          {"Type"},         {"Reason"},  {"Object"},
          {"Subobject", true},    {"Source", true}, {"Message"}, {"First Seen", true},
          Literal("Count", true), {"Name", true}};
}

ColumnsByKind MakeTables() {
  ColumnsByKind tables = {
      {"Service.",
       {{{"Name"},
         {"Type"},
         {"Cluster-IP"},
         {"External-IP"},
         {"Port(s)"},
         {"Age"},
         {"Selector", true}},
        ServiceRow}},
      {"Node.",
       {{{"Name"},
         {"Status"},
         {"Roles"},
         {"Age"},
         {"Version"},
         {"Internal-IP", true},
         {"External-IP", true},
         {"OS-Image", true},
         {"Kernel-Version", true},
         {"Container-Runtime", true}},
        NodeRow}},
      {"Namespace.", {{{"Name"}, {"Status"}, {"Age"}}, NamespaceRow}},
      {"ConfigMap.", {{{"Name"}, Literal("Data"), {"Age"}}, ConfigMapRow}},
      {"Secret.", {{{"Name"}, {"Type"}, Literal("Data"), {"Age"}}, SecretRow}},
      {"EndpointSlice.discovery.k8s.io",
       {{{"Name"}, {"AddressType"}, {"Ports"}, {"Endpoints"}, {"Age"}}, EndpointSliceRow}},
      {"Ingress.networking.k8s.io",
       {{{"Name"}, {"Class"}, {"Hosts"}, {"Address"}, {"Ports"}, {"Age"}}, IngressRow}},
      {"Event.", {EventColumns(), EventRow}},
      {"Event.events.k8s.io", {EventColumns(), EventRow}},
      {"Lease.coordination.k8s.io", {{{"Name"}, {"Holder"}, {"Age"}}, LeaseRow}},
      {"PersistentVolumeClaim.",
       {{{"Name"},
         {"Status"},
         {"Volume"},
         {"Capacity"},
         {"Access Modes"},
         {"StorageClass"},
         {"VolumeAttributesClass"},
         {"Age"},
         {"VolumeMode", true}},
        ClaimRow}},
      {"CustomResourceDefinition.apiextensions.k8s.io",
       {{{"Name"}, {"Created At", false, "date"}}, CrdRow}},
  };
  AddWorkloadTables(tables);
  AddClusterTables(tables);
  AddExtensionTables(tables);
  AddRequestTables(tables);
  return tables;
}

const ColumnsByKind& Tables() {
  static const ColumnsByKind kTables = MakeTables();
  return kTables;
}

}  // namespace

const Columns& ColumnsFor(std::string_view group, std::string_view kind) {
  static const Columns kPlain = {{{"Name"}, {"Age"}}, PlainRow};
  const auto found = Tables().find(std::string(kind) + "." + std::string(group));
  return found == Tables().end() ? kPlain : found->second;
}

namespace {

std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

}  // namespace

std::vector<std::string> TitlesOf(const Columns& columns, bool wide) {
  std::vector<std::string> titles;
  for (const Column& column : columns.columns) {
    if (wide || !column.wide) titles.push_back(Upper(column.name));
  }
  return titles;
}

std::vector<std::string> CellsOf(const Columns& columns, const json::Value& object, bool wide,
                                 WallTime now) {
  std::vector<std::string> all = columns.row(object, now);
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < columns.columns.size() && i < all.size(); ++i) {
    if (wide || !columns.columns[i].wide) cells.push_back(std::move(all[i]));
  }
  return cells;
}

}  // namespace kinformer::internal::table
