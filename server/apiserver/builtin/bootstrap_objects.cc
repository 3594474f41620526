#include "apiserver/builtin/bootstrap_objects.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "kinformer/object/time.h"

#include "apiserver/builtin/service_addresses.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

// ---- Data, as of kube-apiserver 1.37.

struct PriorityClassRow {
  std::string_view name;
  std::int64_t value;
  std::string_view description;
};
constexpr std::array kPriorityClasses = {
    PriorityClassRow{"system-node-critical", 2000001000,
                     "Used for system critical pods that must not be moved from their current "
                     "node."},
    PriorityClassRow{"system-cluster-critical", 2000000000,
                     "Used for system critical pods that must run in the cluster, but can be moved "
                     "to another node if necessary."},
};

// `queues` 0: excess requests are rejected.
struct PriorityLevelRow {
  std::string_view name;
  std::int64_t shares;
  std::int64_t lendable_percent;
  std::int64_t queues;
  std::int64_t hand_size;
  std::int64_t queue_length;
};
constexpr std::string_view kExemptLevel = "exempt";
constexpr std::array kPriorityLevels = {
    PriorityLevelRow{"system", 30, 33, 64, 6, 50},
    PriorityLevelRow{"node-high", 40, 25, 64, 6, 50},
    PriorityLevelRow{"leader-election", 10, 0, 16, 4, 50},
    PriorityLevelRow{"workload-high", 40, 50, 128, 6, 50},
    PriorityLevelRow{"workload-low", 100, 90, 128, 6, 50},
    PriorityLevelRow{"global-default", 20, 50, 128, 6, 50},
    PriorityLevelRow{"catch-all", 5, 0, 0, 0, 0},
    PriorityLevelRow{kExemptLevel, 0, 0, 0, 0, 0},
};

// subjects: "Group name", "User name", "ServiceAccount namespace", separated by commas. rules, if
// not everything: "group/resource,resource: verbs", "/path,/path: verbs".
struct FlowSchemaRow {
  std::string_view name;
  std::int64_t precedence;
  std::string_view level;
  std::string_view distinguisher;  // empty: none
  std::string_view subjects;
  std::string_view rules;  // empty: everything
};
constexpr std::string_view kEverybody = "Group system:unauthenticated,Group system:authenticated";
constexpr std::array kFlowSchemas = {
    FlowSchemaRow{"system-nodes", 500, "system", "ByUser", "Group system:nodes", ""},
    FlowSchemaRow{"system-node-high", 400, "node-high", "ByUser", "Group system:nodes",
                  "core/nodes,nodes/status:*;coordination.k8s.io/leases:*"},
    FlowSchemaRow{"probes", 2, "exempt", "", kEverybody, "/healthz,/readyz,/livez:get"},
    FlowSchemaRow{"system-leader-election", 100, "leader-election", "ByUser",
                  "User system:kube-controller-manager,User system:kube-scheduler,ServiceAccount "
                  "kube-system",
                  "coordination.k8s.io/leases:get,create,update"},
    FlowSchemaRow{"kube-controller-manager", 800, "workload-high", "ByNamespace",
                  "User system:kube-controller-manager", ""},
    FlowSchemaRow{"kube-scheduler", 800, "workload-high", "ByNamespace",
                  "User system:kube-scheduler", ""},
    FlowSchemaRow{"kube-system-service-accounts", 900, "workload-high", "ByNamespace",
                  "ServiceAccount kube-system", ""},
    FlowSchemaRow{"service-accounts", 9000, "workload-low", "ByUser",
                  "Group system:serviceaccounts", ""},
    FlowSchemaRow{"global-default", 9900, "global-default", "ByUser", kEverybody, ""},
    FlowSchemaRow{"catch-all", 10000, "catch-all", "ByUser", kEverybody, ""},
    FlowSchemaRow{"exempt", 1, "exempt", "", "Group system:masters", ""},
};

// A real server asks the scheduler and the controller-manager for their health; this one does not.
struct ComponentRow {
  std::string_view name;
  std::string_view healthy;
  std::string_view message;
};
constexpr std::array kComponents = {
    ComponentRow{"etcd-0", "True", "ok"},
    ComponentRow{"scheduler", "Unknown", "this server does not ask it"},
    ComponentRow{"controller-manager", "Unknown", "this server does not ask it"},
};

constexpr std::int64_t kLeaseSeconds = 3600;

// ---- Objects made from the data.

// Removes and returns the text before the next `separator`.
std::string_view TakePart(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

Value Words(std::string_view text) {
  Value words = Value::MakeArray();
  while (!text.empty()) words.EnsureArray().push_back(TakePart(text, ','));
  return words;
}

Value Named(std::string_view name) {
  return Value::MakeObject({{"metadata", Value::MakeObject({{"name", name}})}});
}

Value PriorityLevel(const PriorityLevelRow& row) {
  Value object = Named(row.name);
  object.Ensure("metadata")
      .Set("annotations", Value::MakeObject({{"apf.kubernetes.io/autoupdate-spec", "true"}}));
  Value bounds = Value::MakeObject(
      {{"nominalConcurrencyShares", row.shares}, {"lendablePercent", row.lendable_percent}});
  if (row.name == kExemptLevel) {
    object.Set("spec", Value::MakeObject({{"type", "Exempt"}, {"exempt", std::move(bounds)}}));
    return object;
  }
  Value response = Value::MakeObject({{"type", row.queues > 0 ? "Queue" : "Reject"}});
  if (row.queues > 0) {
    response.Set("queuing", Value::MakeObject({{"queues", row.queues},
                                               {"handSize", row.hand_size},
                                               {"queueLengthLimit", row.queue_length}}));
  }
  bounds.Set("limitResponse", std::move(response));
  object.Set("spec", Value::MakeObject({{"type", "Limited"}, {"limited", std::move(bounds)}}));
  return object;
}

Value Subjects(std::string_view text) {
  Value subjects = Value::MakeArray();
  while (!text.empty()) {
    std::string_view name = TakePart(text, ',');
    const std::string_view kind = TakePart(name, ' ');
    Value who = Value::MakeObject({{"name", name}});
    std::string_view member = kind == "User" ? "user" : "group";
    if (kind == "ServiceAccount") {
      member = "serviceAccount";
      who = Value::MakeObject({{"name", "*"}, {"namespace", name}});
    }
    subjects.EnsureArray().push_back(Value::MakeObject({{"kind", kind}, {member, std::move(who)}}));
  }
  return subjects;
}

Value ResourceRule(std::string_view group, std::string_view resources, std::string_view verbs,
                   bool cluster) {
  Value rule = Value::MakeObject({{"apiGroups", Words(group)},
                                  {"resources", Words(resources)},
                                  {"verbs", Words(verbs)},
                                  {"namespaces", Words("*")}});
  if (group.empty()) rule.Set("apiGroups", Value::MakeArray({Value("")}));
  if (cluster) rule.Set("clusterScope", true);
  return rule;
}

// Returns one rule for everything in `text`, with the subjects.
Value Rules(std::string_view text, std::string_view subjects) {
  Value rule = Value::MakeObject({{"subjects", Subjects(subjects)}});
  Value resource_rules = Value::MakeArray();
  Value other_rules = Value::MakeArray();
  if (text.empty()) {
    resource_rules.EnsureArray().push_back(ResourceRule("*", "*", "*", true));
    other_rules.EnsureArray().push_back(
        Value::MakeObject({{"verbs", Words("*")}, {"nonResourceURLs", Words("*")}}));
  }
  while (!text.empty()) {
    std::string_view verbs = TakePart(text, ';');
    std::string_view what = TakePart(verbs, ':');
    if (what.starts_with('/')) {
      other_rules.EnsureArray().push_back(
          Value::MakeObject({{"verbs", Words(verbs)}, {"nonResourceURLs", Words(what)}}));
      continue;
    }
    const std::string_view group = TakePart(what, '/');
    const bool core = group == "core";
    resource_rules.EnsureArray().push_back(ResourceRule(core ? "" : group, what, verbs, core));
  }
  if (!resource_rules.items().empty()) rule.Set("resourceRules", std::move(resource_rules));
  if (!other_rules.items().empty()) rule.Set("nonResourceRules", std::move(other_rules));
  return Value::MakeArray({std::move(rule)});
}

Value FlowSchema(const FlowSchemaRow& row, const std::string& now) {
  Value object = Named(row.name);
  object.Ensure("metadata")
      .Set("annotations", Value::MakeObject({{"apf.kubernetes.io/autoupdate-spec", "true"}}));
  Value spec =
      Value::MakeObject({{"priorityLevelConfiguration", Value::MakeObject({{"name", row.level}})},
                         {"matchingPrecedence", row.precedence},
                         {"rules", Rules(row.rules, row.subjects)}});
  if (!row.distinguisher.empty()) {
    spec.Set("distinguisherMethod", Value::MakeObject({{"type", row.distinguisher}}));
  }
  object.Set("spec", std::move(spec));
  const std::string message =
      "This FlowSchema references the PriorityLevelConfiguration object "
      "named \"" +
      std::string(row.level) + "\" and it exists";
  Value dangling = Value::MakeObject({{"type", "Dangling"},
                                      {"status", "False"},
                                      {"lastTransitionTime", now},
                                      {"reason", "Found"},
                                      {"message", message}});
  object.Set("status",
             Value::MakeObject({{"conditions", Value::MakeArray({std::move(dangling)})}}));
  return object;
}

Value ServiceCidr(const std::string& range, const std::string& now) {
  Value object = Named("kubernetes");
  object.Set("spec", Value::MakeObject({{"cidrs", Value::MakeArray({Value(range)})}}));
  Value ready = Value::MakeObject({{"type", "Ready"},
                                   {"status", "True"},
                                   {"lastTransitionTime", now},
                                   {"reason", ""},
                                   {"message", "Kubernetes default Service CIDR is ready"}});
  object.Set("status", Value::MakeObject({{"conditions", Value::MakeArray({std::move(ready)})}}));
  return object;
}

// ---- default/kubernetes

Value KubernetesNamed(Value labels) {
  Value object = Named("kubernetes");
  object.Ensure("metadata").Set("namespace", "default");
  if (!labels.members().empty()) object.Ensure("metadata").Set("labels", std::move(labels));
  return object;
}

Value KubernetesService(const std::string& address, std::int64_t port) {
  Value object =
      KubernetesNamed(Value::MakeObject({{"component", "apiserver"}, {"provider", "kubernetes"}}));
  Value https = Value::MakeObject(
      {{"name", "https"}, {"protocol", "TCP"}, {"port", 443}, {"targetPort", port}});
  object.Set("spec", Value::MakeObject({{"type", "ClusterIP"},
                                        {"clusterIP", address},
                                        {"clusterIPs", Value::MakeArray({Value(address)})},
                                        {"sessionAffinity", "None"},
                                        {"ipFamilyPolicy", "SingleStack"},
                                        {"ports", Value::MakeArray({std::move(https)})}}));
  return object;
}

Value KubernetesEndpoints(const std::string& address, std::int64_t port) {
  Value object =
      KubernetesNamed(Value::MakeObject({{"endpointslice.kubernetes.io/skip-mirror", "true"}}));
  Value subset = Value::MakeObject(
      {{"addresses", Value::MakeArray({Value::MakeObject({{"ip", address}})})},
       {"ports", Value::MakeArray({Value::MakeObject(
                     {{"name", "https"}, {"port", port}, {"protocol", "TCP"}})})}});
  object.Set("subsets", Value::MakeArray({std::move(subset)}));
  return object;
}

Value KubernetesSlice(const std::string& address, std::int64_t port) {
  Value object = KubernetesNamed(Value::MakeObject({{"kubernetes.io/service-name", "kubernetes"}}));
  object.Set("addressType", "IPv4");
  object.Set("endpoints", Value::MakeArray({Value::MakeObject(
                              {{"addresses", Value::MakeArray({Value(address)})},
                               {"conditions", Value::MakeObject({{"ready", true}})}})}));
  object.Set("ports", Value::MakeArray({Value::MakeObject(
                          {{"name", "https"}, {"port", port}, {"protocol", "TCP"}})}));
  return object;
}

Value ServerLease(const std::string& identity, const ApiServerOptions& options, WallTime now) {
  Value object = Named("apiserver-" + identity);
  Value& metadata = object.Ensure("metadata");
  metadata.Set("namespace", "kube-system");
  metadata.Set("labels", Value::MakeObject({{"apiserver.kubernetes.io/identity", "kube-apiserver"},
                                            {"kubernetes.io/hostname", "kinformer"}}));
  const std::string address =
      options.advertise_address + ":" + std::to_string(options.advertise_port);
  metadata.Set("annotations",
               Value::MakeObject({{"kubernetes.io/peer-advertise-address", address}}));
  object.Set("spec", Value::MakeObject({{"holderIdentity", "apiserver-" + identity},
                                        {"leaseDurationSeconds", kLeaseSeconds},
                                        {"renewTime", LeaseTime(now)}}));
  return object;
}

}  // namespace

std::optional<std::int64_t> SystemPriority(std::string_view name) {
  for (const PriorityClassRow& row : kPriorityClasses) {
    if (row.name == name) return row.value;
  }
  return std::nullopt;
}

std::string LeaseTime(WallTime now) {
  const auto since = now.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds);
  return metav1::MicroTime(metav1::Time(seconds.count(), static_cast<std::int32_t>(nanos.count())))
      .ToString();
}

std::vector<BootstrapObject> BootstrapObjects(const ApiServerOptions& options, WallTime now,
                                              const std::string& identity) {
  const std::string time =
      metav1::Time(std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count())
          .ToString();
  std::vector<BootstrapObject> made;
  const auto add = [&made](std::string_view group, std::string_view plural, Value object) {
    made.push_back(
        {.group = group, .version = "v1", .plural = plural, .object = std::move(object)});
  };
  for (const PriorityClassRow& row : kPriorityClasses) {
    Value object = Named(row.name);
    object.Set("value", row.value);
    object.Set("description", row.description);
    object.Set("preemptionPolicy", "PreemptLowerPriority");
    add("scheduling.k8s.io", "priorityclasses", std::move(object));
  }
  constexpr std::string_view kFlowControl = "flowcontrol.apiserver.k8s.io";
  for (const PriorityLevelRow& row : kPriorityLevels) {
    add(kFlowControl, "prioritylevelconfigurations", PriorityLevel(row));
  }
  for (const FlowSchemaRow& row : kFlowSchemas) {
    add(kFlowControl, "flowschemas", FlowSchema(row, time));
  }
  for (const ComponentRow& row : kComponents) {
    Value object = Named(row.name);
    object.Set("conditions",
               Value::MakeArray({Value::MakeObject(
                   {{"type", "Healthy"}, {"status", row.healthy}, {"message", row.message}})}));
    add("", "componentstatuses", std::move(object));
  }
  const std::string& range = options.service_cluster_ip_range;
  if (ServiceAddresses::IsRange(range)) {
    add("networking.k8s.io", "servicecidrs", ServiceCidr(range, time));
    add("", "services",
        KubernetesService(ServiceAddresses::OfServer(range), options.advertise_port));
    add("", "endpoints", KubernetesEndpoints(options.advertise_address, options.advertise_port));
    add("discovery.k8s.io", "endpointslices",
        KubernetesSlice(options.advertise_address, options.advertise_port));
  }
  add("coordination.k8s.io", "leases", ServerLease(identity, options, now));
  return made;
}

}  // namespace kinformer::apiserver
