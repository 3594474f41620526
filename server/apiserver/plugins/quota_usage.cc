#include "apiserver/plugins/quota_usage.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "apiserver/builtin/pod_subresources.h"

namespace kinformer::apiserver {
namespace {

using resource::Quantity;

constexpr std::string_view kRequests = "requests.";
constexpr std::string_view kLimits = "limits.";
constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kOfClass = ".storageclass.storage.k8s.io/";
constexpr auto kCompute = std::to_array<std::string_view>({"cpu", "memory", "ephemeral-storage"});
// Resources that have had names of their own since before count/... existed.
constexpr auto kPlainCounts = std::to_array<std::string_view>(
    {"configmaps", "resourcequotas", "replicationcontrollers", "secrets"});

bool Has(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string CountName(const ServedResource& resource) {
  return "count/" + resource.plural + (resource.group.empty() ? "" : "." + resource.group);
}

// Whether a resource of nodes has a name of another domain: "nvidia.com/gpu".
bool IsExtended(std::string_view name) {
  return name.find('/') != std::string_view::npos &&
         name.find("kubernetes.io/") == std::string_view::npos;
}

// Returns whether pods use something of the quota's resource.
bool IsOfPods(std::string_view name) {
  if (name == "pods" || Has(kCompute, name) || name.starts_with(kHugePages)) return true;
  const bool request = name.starts_with(kRequests);
  if (!request && !name.starts_with(kLimits)) return false;
  const std::string_view bare = name.substr(request ? kRequests.size() : kLimits.size());
  if (Has(kCompute, bare)) return true;
  return request && (bare.starts_with(kHugePages) || IsExtended(bare));
}

bool IsOfClaims(std::string_view name) {
  if (const std::size_t at = name.find(kOfClass); at != std::string_view::npos) {
    name.remove_prefix(at + kOfClass.size());
  }
  return name == "persistentvolumeclaims" || name == "requests.storage";
}

bool IsOf(const ServedResource& resource, std::string_view name) {
  if (name == CountName(resource)) return true;
  if (resource.custom || !resource.group.empty()) return false;
  if (resource.plural == "pods") return IsOfPods(name);
  if (resource.plural == "persistentvolumeclaims") return IsOfClaims(name);
  if (resource.plural == "services") {
    return name == "services" || name == "services.nodeports" || name == "services.loadbalancers";
  }
  return name == resource.plural && Has(kPlainCounts, name);
}

// ---- Usage

void AddPod(const json::Value& pod, ResourceList& usage) {
  const std::string& phase = pod.At("/status/phase").StringOrEmpty();
  if (phase == "Failed" || phase == "Succeeded") return;
  usage["pods"] = Quantity::FromInt(1);
  const json::Value& spec = pod["spec"];
  for (const auto& [name, amount] : ResourcesOfPod(spec, "requests", /*with_overhead=*/true)) {
    const bool huge = name.starts_with(kHugePages);
    if (Has(kCompute, name) || huge) usage[name] = amount;
    if (Has(kCompute, name) || huge || IsExtended(name)) {
      usage[std::string(kRequests) + name] = amount;
    }
  }
  for (const auto& [name, amount] : ResourcesOfPod(spec, "limits", /*with_overhead=*/true)) {
    if (Has(kCompute, name)) usage[std::string(kLimits) + name] = amount;
  }
}

void AddClaim(const json::Value& claim, ResourceList& usage) {
  usage["persistentvolumeclaims"] = Quantity::FromInt(1);
  std::string of_class =
      claim.At("/metadata/annotations")["volume.beta.kubernetes.io/storage-class"].StringOrEmpty();
  if (of_class.empty()) of_class = claim.At("/spec/storageClassName").StringOrEmpty();
  if (!of_class.empty()) {
    of_class += kOfClass;
    usage[of_class + "persistentvolumeclaims"] = Quantity::FromInt(1);
  }
  ResourceList requested = ResourceListOf(claim.At("/spec/resources/requests"));
  const auto storage = requested.find("storage");
  if (storage == requested.end()) return;
  Quantity amount = storage->second;
  const ResourceList allocated = ResourceListOf(claim.At("/status/allocatedResources"));
  if (const auto more = allocated.find("storage");
      more != allocated.end() && more->second > amount) {
    amount = more->second;
  }
  // Whole bytes.
  if (const Quantity whole = Quantity::FromInt(amount.Value(), amount.format()); whole > amount) {
    amount = whole;
  }
  usage["requests.storage"] = amount;
  if (!of_class.empty()) usage[of_class + "requests.storage"] = amount;
}

void AddService(const json::Value& service, ResourceList& usage) {
  const json::Value& spec = service["spec"];
  const std::string& type = spec["type"].StringOrEmpty();
  std::int64_t node_ports = 0;
  if (type == "NodePort" || type == "LoadBalancer") {
    const bool all =
        type == "NodePort" || spec["allocateLoadBalancerNodePorts"].AsBool().value_or(true);
    for (const json::Value& port : spec["ports"].items()) {
      if (all || port["nodePort"].AsInt64().value_or(0) != 0) ++node_ports;
    }
  }
  usage["services"] = Quantity::FromInt(1);
  usage["services.loadbalancers"] = Quantity::FromInt(type == "LoadBalancer" ? 1 : 0);
  usage["services.nodeports"] = Quantity::FromInt(node_ports);
}

// ---- Scopes

// Returns whether a text, which may be missing (empty), satisfies the scope's selector.
bool Selects(const QuotaScope& scope, std::string_view value) {
  if (scope.operation == "In") return !value.empty() && Has(scope.values, value);
  if (scope.operation == "NotIn") return value.empty() || !Has(scope.values, value);
  return value.empty() == (scope.operation == "DoesNotExist");
}

bool HasForeignTerm(const json::Value& affinity) {
  const auto foreign = [](const json::Value& term) {
    return term["namespaces"].size() > 0 || !term["namespaceSelector"].is_null();
  };
  for (const json::Value& term :
       affinity["requiredDuringSchedulingIgnoredDuringExecution"].items()) {
    if (foreign(term)) return true;
  }
  for (const json::Value& weighted :
       affinity["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
    if (foreign(weighted["podAffinityTerm"])) return true;
  }
  return false;
}

bool IsPodIn(const QuotaScope& scope, const json::Value& pod) {
  const json::Value& spec = pod["spec"];
  if (scope.name == "Terminating") return HasDeadline(pod);
  if (scope.name == "NotTerminating") return !HasDeadline(pod);
  if (scope.name == "BestEffort") return QosClassOf(spec) == "BestEffort";
  if (scope.name == "NotBestEffort") return QosClassOf(spec) != "BestEffort";
  if (scope.name == "PriorityClass") {
    return Selects(scope, spec["priorityClassName"].StringOrEmpty());
  }
  if (scope.name == "CrossNamespacePodAffinity") {
    return HasForeignTerm(spec.At("/affinity/podAffinity")) ||
           HasForeignTerm(spec.At("/affinity/podAntiAffinity"));
  }
  return false;
}

bool IsClaimIn(const QuotaScope& scope, const json::Value& claim) {
  if (scope.name != "VolumeAttributesClass") return false;
  bool any = false;
  for (const char* place :
       {"/spec/volumeAttributesClassName", "/status/currentVolumeAttributesClassName",
        "/status/modifyVolumeStatus/targetVolumeAttributesClassName"}) {
    const std::string& name = claim.At(place).StringOrEmpty();
    if (name.empty()) continue;
    any = true;
    if (Selects(scope, name)) return true;
  }
  return !any && Selects(scope, {});
}

}  // namespace

Quota::Quota(const json::Value& object)
    : name(object.At("/metadata/name").StringOrEmpty()),
      wanted(ResourceListOf(object.At("/spec/hard"))),
      hard(ResourceListOf(object.At("/status/hard"))),
      used(ResourceListOf(object.At("/status/used"))) {
  for (const json::Value& scope : object.At("/spec/scopes").items()) {
    scopes.push_back({.name = scope.StringOrEmpty()});
  }
  for (const json::Value& term : object.At("/spec/scopeSelector/matchExpressions").items()) {
    QuotaScope& scope = scopes.emplace_back();
    scope.name = term["scopeName"].StringOrEmpty();
    scope.operation = term["operator"].StringOrEmpty();
    for (const json::Value& value : term["values"].items()) {
      scope.values.push_back(value.StringOrEmpty());
    }
  }
}

std::vector<std::string> Quota::NamesFor(const ServedResource& resource, const ResourceList& hard) {
  std::vector<std::string> names;
  for (const auto& [name, amount] : hard) {
    if (IsOf(resource, name)) names.push_back(name);
  }
  return names;
}

bool Quota::Covers(const ServedResource& resource, const json::Value& object) const {
  const bool pod = resource.Is("", "pods");
  const bool claim = resource.Is("", "persistentvolumeclaims");
  return std::all_of(scopes.begin(), scopes.end(), [&](const QuotaScope& scope) {
    return pod ? IsPodIn(scope, object) : claim && IsClaimIn(scope, object);
  });
}

bool IsCounted(const ServedResource& resource) {
  return resource.namespaced && (resource.custom || resource.plural != "events");
}

bool IsOnlyCounted(const ServedResource& resource) {
  return !resource.Is("", "pods") && !resource.Is("", "services") &&
         !resource.Is("", "persistentvolumeclaims");
}

ResourceList UsageOf(const ServedResource& resource, const json::Value& object) {
  ResourceList usage;
  usage[CountName(resource)] = Quantity::FromInt(1);
  if (resource.Is("", "pods")) {
    AddPod(object, usage);
  } else if (resource.Is("", "persistentvolumeclaims")) {
    AddClaim(object, usage);
  } else if (resource.Is("", "services")) {
    AddService(object, usage);
  } else if (!resource.custom && resource.group.empty() && Has(kPlainCounts, resource.plural)) {
    usage[resource.plural] = Quantity::FromInt(1);
  }
  return usage;
}

ResourceList Masked(const ResourceList& list, const std::vector<std::string>& names) {
  ResourceList out;
  for (const std::string& name : names) {
    const auto found = list.find(name);
    if (found != list.end() && !found->second.IsZero()) out.insert(*found);
  }
  return out;
}

bool HasDeadline(const json::Value& pod) {
  return pod.At("/spec/activeDeadlineSeconds").AsInt64().value_or(-1) >= 0;
}

}  // namespace kinformer::apiserver
