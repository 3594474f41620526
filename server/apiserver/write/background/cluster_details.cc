#include "apiserver/write/background/cluster_details.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/registry/custom_resource_definition.h"
#include "apiserver/registry/object_rules.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

constexpr const char* kManagedLabel = "kube-aggregator.kubernetes.io/automanaged";
constexpr const char* kAtStart = "onstart";
constexpr const char* kWhileDefined = "true";

// The ranks of built-in groups, as of kube-apiserver 1.37. `version`: empty for all versions.
struct Rank {
  std::string_view group;
  std::string_view version;
  std::int64_t of_group;
  std::int64_t of_version;
};
constexpr auto kRanks = std::to_array<Rank>({
    {"", "", 18000, 1},
    {"admissionregistration.k8s.io", "", 16700, 15},
    {"apiextensions.k8s.io", "", 16700, 15},
    {"apps", "", 17800, 15},
    {"authentication.k8s.io", "", 17700, 15},
    {"authorization.k8s.io", "", 17600, 15},
    {"autoscaling", "v2", 17500, 30},
    {"autoscaling", "", 17500, 15},
    {"batch", "", 17400, 15},
    {"certificates.k8s.io", "", 17300, 15},
    {"coordination.k8s.io", "", 16500, 15},
    {"discovery.k8s.io", "", 16200, 15},
    {"events.k8s.io", "", 17750, 15},
    {"flowcontrol.apiserver.k8s.io", "", 16100, 21},
    {"networking.k8s.io", "", 17200, 15},
    {"node.k8s.io", "", 16300, 15},
    {"policy", "", 17100, 15},
    {"rbac.authorization.k8s.io", "", 17000, 15},
    {"resource.k8s.io", "", 16200, 21},
    {"scheduling.k8s.io", "", 16600, 15},
    {"storage.k8s.io", "", 16800, 15},
    {"storagemigration.k8s.io", "", 15800, 15},
});

// Returns null for what a definition serves.
const Rank* RankOf(const GroupVersionEntry& served) {
  const auto found = std::find_if(kRanks.begin(), kRanks.end(), [&](const Rank& rank) {
    return rank.group == served.group && (rank.version.empty() || rank.version == served.version);
  });
  return found == kRanks.end() ? nullptr : &*found;
}

Value ApiServiceOf(const GroupVersionEntry& served, std::string_view name, WallTime now) {
  const Rank* const rank = RankOf(served);
  Value spec = Value::MakeObject({{"version", served.version}});
  if (!served.group.empty()) spec.Set("group", served.group);
  spec.Set("groupPriorityMinimum", rank == nullptr ? 1000 : rank->of_group);
  spec.Set("versionPriority", rank == nullptr ? 100 : rank->of_version);
  return Value::MakeObject(
      {{"metadata",
        Value::MakeObject(
            {{"name", name},
             {"labels",
              Value::MakeObject({{kManagedLabel, rank == nullptr ? kWhileDefined : kAtStart}})}})},
       {"spec", std::move(spec)},
       {"status",
        Value::MakeObject(
            {{"conditions", Value::MakeArray({Value::MakeObject(
                                {{"type", "Available"},
                                 {"status", "True"},
                                 {"lastTransitionTime", FormatTime(now)},
                                 {"reason", "Local"},
                                 {"message", "Local APIServices are always available"}})})}})}});
}

// Returns the cluster addresses of a Service, without those that are none.
std::set<std::string> AddressesOf(const Value& service) {
  std::set<std::string> out;
  for (const Value& address : service["spec"]["clusterIPs"].items()) {
    const std::string& text = address.StringOrEmpty();
    if (!text.empty() && text != "None") out.insert(text);
  }
  return out;
}

}  // namespace

ClusterDetails::ClusterDetails(ServerState& state, ObjectWriter& writer)
    : state_(state), writer_(writer) {
  writer.AddObserver(*this);
}

void ClusterDetails::Register() {
  const ResourceAt services = state_.resources.Find("apiregistration.k8s.io", "v1", "apiservices");
  if (!services) return;
  std::set<std::string> served;
  for (const GroupVersionEntry& each : state_.resources.GroupVersions()) {
    if (each.group == "apiregistration.k8s.io") continue;
    std::string name = each.version + "." + each.group;
    if (services.resource->Find({}, name) == nullptr) {
      // Another program may have taken the name meanwhile.
      (void)writer_
          .Create({.at = services, .name = name, .keep_status = true},
                  ApiServiceOf(each, name, state_.env.WallNow()))
          .ok();
    }
    served.insert(std::move(name));
  }
  std::vector<std::string> gone;
  services.resource->store->Walk(
      {}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
        const std::string name(stored->name());
        if (served.contains(name)) return true;
        const Value object = stored->Parse();
        if (object["metadata"]["labels"][kManagedLabel].StringOrEmpty() == kWhileDefined) {
          gone.push_back(name);
        }
        return true;
      });
  for (const std::string& name : gone) {
    (void)writer_.Delete({.at = services, .name = name}, {}).ok();
  }
}

void ClusterDetails::RegisterLater() {
  if (std::exchange(posted_, true)) return;
  state_.Post([this] {
    posted_ = false;
    Register();
  });
}

void ClusterDetails::AfterPut(const ObjectPut& put) {
  if (IsDefinition(*put.at.resource)) return RegisterLater();
  if (!put.at.resource->Is("", "services")) return;
  FollowAddresses(put.old == nullptr ? Value() : put.old->Parse(), put.stored->Parse());
}

void ClusterDetails::AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) {
  if (IsDefinition(*at.resource)) return RegisterLater();
  if (at.resource->Is("", "services")) FollowAddresses(old->Parse(), Value());
}

void ClusterDetails::FollowAddresses(const Value& before, const Value& after) {
  const std::set<std::string> had = AddressesOf(before);
  const std::set<std::string> has = AddressesOf(after);
  const ResourceAt addresses = state_.resources.Find("networking.k8s.io", "v1", "ipaddresses");
  if (!addresses) return;
  for (const std::string& address : had) {
    if (has.contains(address)) continue;
    (void)writer_.Delete({.at = addresses, .name = address}, {}).ok();
  }
  for (const std::string& address : has) {
    if (!had.contains(address)) MakeAddress(address, after);
  }
}

void ClusterDetails::MakeAddress(const std::string& address, const Value& service) {
  const bool is_v6 = address.find(':') != std::string::npos;
  Value labels = Value::MakeObject({{"ipaddress.kubernetes.io/ip-family", is_v6 ? "IPv6" : "IPv4"},
                                    {"ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io"}});
  Value parent = Value::MakeObject({{"resource", "services"},
                                    {"namespace", service["metadata"]["namespace"]},
                                    {"name", service["metadata"]["name"]}});
  // Fails where two Services share an address, which tests can arrange.
  (void)writer_
      .Create(
          {.at = state_.resources.Find("networking.k8s.io", "v1", "ipaddresses"), .name = address},
          Value::MakeObject(
              {{"metadata", Value::MakeObject({{"name", address}, {"labels", std::move(labels)}})},
               {"spec", Value::MakeObject({{"parentRef", std::move(parent)}})}}))
      .ok();
}

}  // namespace kinformer::apiserver
