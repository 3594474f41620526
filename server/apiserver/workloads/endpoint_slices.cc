#include "apiserver/workloads/endpoint_slices.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr std::size_t kMostEndpoints = 100;
constexpr const char* kServiceName = "kubernetes.io/service-name";
constexpr const char* kManagedBy = "endpointslice.kubernetes.io/managed-by";
constexpr const char* kManager = "endpointslice-controller.k8s.io";

// Returns the number of a port of the pod; null if the pod has no port of that name.
json::Value PortOf(const json::Value& service_port, const json::Value& pod) {
  const json::Value& target = service_port["targetPort"];
  if (target.is_number() && target.AsInt64() != 0) return target;
  const std::string& name = target.StringOrEmpty();
  if (name.empty()) return service_port["port"];
  for (const json::Value& container : pod["spec"]["containers"].items()) {
    for (const json::Value& port : container["ports"].items()) {
      if (port["name"].StringOrEmpty() == name) return port["containerPort"];
    }
  }
  return {};
}

json::Value PortsOf(const json::Value& service, const json::Value& pod) {
  json::Value ports = json::Value::MakeArray();
  for (const json::Value& port : service["spec"]["ports"].items()) {
    const json::Value number = PortOf(port, pod);
    if (number.is_null()) continue;
    const std::string& protocol = port["protocol"].StringOrEmpty();
    json::Value made = json::Value::MakeObject({{"name", port["name"].StringOrEmpty()},
                                                {"port", number},
                                                {"protocol", protocol.empty() ? "TCP" : protocol}});
    if (!port["appProtocol"].is_null()) made.Set("appProtocol", port["appProtocol"]);
    ports.Append(std::move(made));
  }
  return ports;
}

json::Value EndpointOf(const Scene& scene, const json::Value& service, const json::Value& pod) {
  const bool serving = IsPodReady(pod);
  const bool terminating = IsTerminating(pod);
  const bool ready = Flag(service, "/spec/publishNotReadyAddresses") || (serving && !terminating);
  json::Value endpoint = json::Value::MakeObject(
      {{"addresses", json::Value::MakeArray({Text(pod, "/status/podIP")})},
       {"conditions", json::Value::MakeObject(
                          {{"ready", ready}, {"serving", serving}, {"terminating", terminating}})},
       {"nodeName", Text(pod, "/spec/nodeName")},
       {"targetRef", json::Value::MakeObject({{"kind", "Pod"},
                                              {"namespace", NamespaceOf(pod)},
                                              {"name", NameOf(pod)},
                                              {"uid", UidOf(pod)}})}});
  const json::Value* node = scene.cluster.Find(Kind::kNode, Text(pod, "/spec/nodeName"));
  const std::string zone =
      node == nullptr ? std::string() : Label(*node, "topology.kubernetes.io/zone");
  if (!zone.empty()) endpoint.Set("zone", zone);
  if (!Text(pod, "/spec/hostname").empty() && Text(pod, "/spec/subdomain") == NameOf(service)) {
    endpoint.Set("hostname", Text(pod, "/spec/hostname"));
  }
  return endpoint;
}

// Returns the key of a set of ports, whatever the order of members.
std::string PortsText(const json::Value& ports) {
  return ports.size() == 0 ? "[]" : ports.Dump({.sort_keys = true});
}

// The endpoints of one set of ports, by the uid of the pod.
struct Group {
  json::Value ports{};
  std::map<std::string, json::Value> endpoints{};
};

std::map<std::string, Group> GroupsOf(const Scene& scene, const json::Value& service) {
  const LabelSelector selector = SelectorOf(service["spec"]["selector"]);
  std::map<std::string, Group> groups;
  for (const json::Value* pod : scene.cluster.In(Kind::kPod, NamespaceOf(service))) {
    if (!Selects(selector, *pod) || IsPodFinished(*pod)) continue;
    if (Text(*pod, "/status/podIP").empty()) continue;
    json::Value ports = PortsOf(service, *pod);
    Group& group = groups[PortsText(ports)];
    group.ports = std::move(ports);
    group.endpoints.emplace(UidOf(*pod), EndpointOf(scene, service, *pod));
  }
  if (groups.empty()) groups["[]"].ports = json::Value::MakeArray();
  return groups;
}

json::Value LabelsFor(const json::Value& service) {
  json::Value labels = LabelsOf(service).is_null() ? json::Value::MakeObject() : LabelsOf(service);
  labels.Set(kServiceName, NameOf(service));
  labels.Set(kManagedBy, kManager);
  if (Text(service, "/spec/clusterIP") == "None") {
    labels.Set("service.kubernetes.io/headless", "");
  }
  return labels;
}

json::Value NewSlice(const Scene& scene, const json::Value& service, const json::Value& ports) {
  return json::Value::MakeObject(
      {{"metadata",
        json::Value::MakeObject({{"name", NameOf(service) + "-" + scene.dice.Letters()},
                                 {"generateName", NameOf(service) + "-"},
                                 {"namespace", NamespaceOf(service)},
                                 {"labels", LabelsFor(service)},
                                 {"ownerReferences", OwnersOf(Kind::kService, service)}})},
       {"addressType", "IPv4"},
       {"ports", ports},
       {"endpoints", json::Value::MakeArray()}});
}

// Takes from `left` the endpoints that stay in the slice.
json::Value Filled(const json::Value& slice, std::map<std::string, json::Value>& left) {
  json::Value endpoints = json::Value::MakeArray();
  for (const json::Value& endpoint : slice["endpoints"].items()) {
    const auto found = left.find(Text(endpoint, "/targetRef/uid"));
    if (found == left.end()) continue;
    endpoints.Append(std::move(found->second));
    left.erase(found);
  }
  return endpoints;
}

void FillUp(json::Value& endpoints, std::map<std::string, json::Value>& left) {
  while (!left.empty() && endpoints.size() < kMostEndpoints) {
    // By name, so that the order does not depend on uids.
    auto next = left.begin();
    for (auto at = left.begin(); at != left.end(); ++at) {
      if (Text(at->second, "/targetRef/name") < Text(next->second, "/targetRef/name")) next = at;
    }
    endpoints.Append(std::move(next->second));
    left.erase(next);
  }
}

// Has an event tell it if the last write is refused. `action`: "update web-x7k2p ".
void TellRefusal(const json::Value& service, const std::string& action, Plan& plan) {
  plan.Remember();
  const std::string name = NamespaceOf(service) + "/" + NameOf(service);
  plan.EventIfRefused(Kind::kService, service, "endpoint-slice-controller",
                      "FailedToUpdateEndpointSlices",
                      "Error updating Endpoint Slices for Service " + name + ": failed to " +
                          action + "EndpointSlice for Service " + name + ": ");
}

}  // namespace

void SyncEndpointSlices(const Scene& scene, const json::Value& service, Plan& plan) {
  if (service["spec"]["selector"].size() == 0 || IsTerminating(service) ||
      Text(service, "/spec/type") == "ExternalName") {
    return;
  }
  if (!scene.refusal.empty() || !scene.delete_refusal.empty()) return;
  std::map<std::string, Group> groups = GroupsOf(scene, service);
  Objects slices;
  for (const json::Value* slice : scene.cluster.OwnedBy(Kind::kEndpointSlice, UidOf(service))) {
    if (Label(*slice, kManagedBy) == kManager && !IsTerminating(*slice)) slices.push_back(slice);
  }
  std::map<const json::Value*, json::Value> kept;
  for (const json::Value* slice : slices) {
    const auto group = groups.find(PortsText((*slice)["ports"]));
    if (group == groups.end()) {
      plan.Delete(Kind::kEndpointSlice, *slice);
      TellRefusal(service, "delete " + NameOf(*slice) + " ", plan);
    } else {
      kept.emplace(slice, Filled(*slice, group->second.endpoints));
    }
  }
  for (auto& [key, group] : groups) {
    std::size_t of_group = 0;
    for (const json::Value* slice : slices) {
      const auto found = kept.find(slice);
      if (found == kept.end() || PortsText((*slice)["ports"]) != key) continue;
      ++of_group;
      FillUp(found->second, group.endpoints);
      json::Value next = *slice;
      next.Set("endpoints", std::move(found->second));
      next.Ensure("metadata").Set("labels", LabelsFor(service));
      if (next == *slice) continue;
      plan.Update(Kind::kEndpointSlice, std::move(next));
      TellRefusal(service, "update " + NameOf(*slice) + " ", plan);
    }
    while (!group.endpoints.empty() || of_group == 0) {
      json::Value slice = NewSlice(scene, service, group.ports);
      FillUp(slice.Ensure("endpoints"), group.endpoints);
      plan.Create(Kind::kEndpointSlice, std::move(slice));
      TellRefusal(service, "create ", plan);
      ++of_group;
    }
  }
}

}  // namespace kinformer::apiserver::workloads
