#include "apiserver/columns.h"

#include <utility>

#include "apiserver/age.h"
#include "apiserver/cells.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

using cells::AccessModes;
using cells::Age;
using cells::ContainerField;
using cells::Join;
using cells::Labels;
using cells::Name;
using cells::Number;
using cells::OrNone;
using cells::Scalar;
using cells::Selector;

// Why a container is not running, as a word: "CrashLoopBackOff", "Completed", "ExitCode:3". Empty: it runs.
std::string ContainerTrouble(const Value& status) {
  const Value& waiting = status["state"]["waiting"];
  if (!waiting["reason"].StringOrEmpty().empty()) return waiting["reason"].StringOrEmpty();
  const Value& terminated = status["state"]["terminated"];
  if (terminated.is_null()) return {};
  if (!terminated["reason"].StringOrEmpty().empty()) return terminated["reason"].StringOrEmpty();
  if (terminated["signal"].AsInt64().value_or(0) != 0) {
    return "Signal:" + Number(terminated["signal"]);
  }
  return "ExitCode:" + Number(terminated["exitCode"]);
}

// What stands in a pod's STATUS column: its phase, unless something more telling is known.
std::string PodStatus(const Value& pod) {
  const Value& status = pod["status"];
  std::string text = status["phase"].StringOrEmpty();
  if (!status["reason"].StringOrEmpty().empty()) text = status["reason"].StringOrEmpty();
  bool initializing = false;
  std::size_t done = 0;
  for (const Value& init : status["initContainerStatuses"].items()) {
    const Value& terminated = init["state"]["terminated"];
    if (!terminated.is_null() && terminated["exitCode"].AsInt64().value_or(0) == 0) {
      ++done;
      continue;
    }
    if (init["started"].AsBool().value_or(false)) {  // a sidecar
      ++done;
      continue;
    }
    const std::string trouble = ContainerTrouble(init);
    if (!trouble.empty() && trouble != "PodInitializing") {
      text = "Init:" + trouble;
    } else {
      text = "Init:" + std::to_string(done) + "/" +
             std::to_string(pod["spec"]["initContainers"].size());
    }
    initializing = true;
    break;
  }
  if (!initializing) {
    bool running = false;
    for (const Value& container : status["containerStatuses"].items()) {
      const std::string trouble = ContainerTrouble(container);
      if (!trouble.empty()) text = trouble;
      if (!container["state"]["running"].is_null() && container["ready"].AsBool().value_or(false)) {
        running = true;
      }
    }
    if (text == "Completed" && running) text = "Running";
  }
  if (!pod["metadata"]["deletionTimestamp"].is_null()) {
    text = status["reason"].StringOrEmpty() == "NodeLost" ? "Unknown" : "Terminating";
  }
  return OrNone(std::move(text), "Unknown");
}

// "1/2": how many of the pod's own conditions hold.
std::string ReadinessGates(const Value& pod) {
  const Value& gates = pod["spec"]["readinessGates"];
  if (gates.size() == 0) return "<none>";
  std::size_t ready = 0;
  for (const Value& gate : gates.items()) {
    for (const Value& condition : pod["status"]["conditions"].items()) {
      if (condition["type"].StringOrEmpty() == gate["conditionType"].StringOrEmpty()) {
        ready += condition["status"].StringOrEmpty() == "True" ? 1 : 0;
      }
    }
  }
  return std::to_string(ready) + "/" + std::to_string(gates.size());
}

std::vector<std::string> PodRow(const Value& o, WallTime now) {
  std::size_t ready = 0;
  std::int64_t restarts = 0;
  std::string last_restart;
  for (const Value& container : o["status"]["containerStatuses"].items()) {
    if (container["ready"].AsBool().value_or(false)) ++ready;
    restarts += container["restartCount"].AsInt64().value_or(0);
    const std::string& at = container["lastState"]["terminated"]["finishedAt"].StringOrEmpty();
    if (at > last_restart) last_restart = at;  // all in UTC: the order of text is that of time
  }
  std::string restart_text = std::to_string(restarts);
  if (restarts != 0 && !last_restart.empty()) {
    restart_text += " (" + AgeOf(last_restart, now) + " ago)";
  }
  return {Name(o),
          std::to_string(ready) + "/" + std::to_string(o["spec"]["containers"].size()),
          PodStatus(o),
          std::move(restart_text),
          Age(o, now),
          OrNone(o["status"]["podIP"].StringOrEmpty()),
          OrNone(o["spec"]["nodeName"].StringOrEmpty()),
          OrNone(o["status"]["nominatedNodeName"].StringOrEmpty()),
          ReadinessGates(o)};
}

std::vector<std::string> DeploymentRow(const Value& o, WallTime now) {
  const Value& status = o["status"];
  return {Name(o),
          Number(status["readyReplicas"]) + "/" + Number(o["spec"]["replicas"]),
          Number(status["updatedReplicas"]),
          Number(status["availableReplicas"]),
          Age(o, now),
          ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image"),
          Selector(o["spec"]["selector"])};
}

std::vector<std::string> ReplicaSetRow(const Value& o, WallTime now) {
  return {Name(o),
          Number(o["spec"]["replicas"]),
          Number(o["status"]["replicas"]),
          Number(o["status"]["readyReplicas"]),
          Age(o, now),
          ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image"),
          Selector(o["spec"]["selector"])};
}

std::vector<std::string> StatefulSetRow(const Value& o, WallTime now) {
  return {Name(o), Number(o["status"]["readyReplicas"]) + "/" + Number(o["spec"]["replicas"]),
          Age(o, now), ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image")};
}

std::vector<std::string> DaemonSetRow(const Value& o, WallTime now) {
  const Value& status = o["status"];
  return {Name(o),
          Number(status["desiredNumberScheduled"]),
          Number(status["currentNumberScheduled"]),
          Number(status["numberReady"]),
          Number(status["updatedNumberScheduled"]),
          Number(status["numberAvailable"]),
          Labels(o["spec"]["template"]["spec"]["nodeSelector"]),
          Age(o, now),
          ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image"),
          Selector(o["spec"]["selector"])};
}

std::string JobStatus(const Value& job) {
  for (const char* type :
       {"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    for (const Value& condition : job["status"]["conditions"].items()) {
      if (condition["type"].StringOrEmpty() == type &&
          condition["status"].StringOrEmpty() == "True") {
        return type;
      }
    }
  }
  return job["metadata"]["deletionTimestamp"].is_null() ? "Running" : "Terminating";
}

// "1/3", or what stands for the wanted number where it is not given.
std::string JobCompletions(const Value& job) {
  const std::string done = Number(job["status"]["succeeded"]);
  const Value& wanted = job["spec"]["completions"];
  if (!wanted.is_null()) return done + "/" + Number(wanted);
  const std::int64_t parallel = job["spec"]["parallelism"].AsInt64().value_or(0);
  return done + (parallel > 1 ? "/1 of " + std::to_string(parallel) : "/1");
}

std::vector<std::string> JobRow(const Value& o, WallTime now) {
  const Value& status = o["status"];
  const std::string state = JobStatus(o);
  std::string duration;
  const std::int64_t start = ParseTime(status["startTime"].StringOrEmpty());
  const std::int64_t end = ParseTime(status["completionTime"].StringOrEmpty());
  if (start >= 0 && end >= 0) {
    duration = HumanDuration(std::chrono::seconds(end - start));
  } else if (start >= 0) {
    duration = AgeOf(status["startTime"].StringOrEmpty(), now);
  }
  return {Name(o),
          state,
          JobCompletions(o),
          duration,
          Age(o, now),
          ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image"),
          Selector(o["spec"]["selector"])};
}

std::vector<std::string> CronJobRow(const Value& o, WallTime now) {
  const std::string& last = o["status"]["lastScheduleTime"].StringOrEmpty();
  return {Name(o),
          o["spec"]["schedule"].StringOrEmpty(),
          OrNone(o["spec"]["timeZone"].StringOrEmpty()),
          o["spec"]["suspend"].AsBool().value_or(false) ? "True" : "False",
          std::to_string(o["status"]["active"].size()),
          last.empty() ? "<none>" : AgeOf(last, now),
          Age(o, now),
          ContainerField(o["spec"]["jobTemplate"]["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["jobTemplate"]["spec"]["template"]["spec"], "image"),
          Selector(o["spec"]["jobTemplate"]["spec"]["selector"])};
}

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

// Both kinds of Event: that of the core group, and events.k8s.io with its new names.
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
      {"Pod.",
       {{{"Name"},
         {"Ready"},
         {"Status"},
         {"Restarts"},
         {"Age"},
         {"IP", true},
         {"Node", true},
         {"Nominated Node", true},
         {"Readiness Gates", true}},
        PodRow}},
      {"Deployment.apps",
       {{{"Name"},
         {"Ready"},
         Literal("Up-to-date"),
         Literal("Available"),
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        DeploymentRow}},
      {"ReplicaSet.apps",
       {{{"Name"},
         Integer("Desired"),
         Integer("Current"),
         Integer("Ready"),
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        ReplicaSetRow}},
      {"StatefulSet.apps",
       {{{"Name"}, {"Ready"}, {"Age"}, {"Containers", true}, {"Images", true}}, StatefulSetRow}},
      {"DaemonSet.apps",
       {{{"Name"},
         Integer("Desired"),
         Integer("Current"),
         Integer("Ready"),
         Integer("Up-to-date"),
         Integer("Available"),
         {"Node Selector"},
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        DaemonSetRow}},
      {"Job.batch",
       {{{"Name"},
         {"Status"},
         {"Completions"},
         {"Duration"},
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        JobRow}},
      {"CronJob.batch",
       {{{"Name"},
         {"Schedule"},
         {"Timezone"},
         Boolean("Suspend"),
         Integer("Active"),
         {"Last Schedule"},
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        CronJobRow}},
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
  AddClusterTables(tables);
  AddExtensionTables(tables);
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

}  // namespace kinformer::apiserver
