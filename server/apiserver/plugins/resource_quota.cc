#include "apiserver/plugins/resource_quota.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/plugins/quota_usage.h"
#include "apiserver/plugins/resource_list.h"

namespace kinformer::apiserver {
namespace {

// A pod's containers must have values for these, if a quota limits them.
constexpr auto kRequired = std::to_array<std::string_view>(
    {"cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"});

// Returns whether the write can change what is used.
bool Concerns(const PluginRequest& request) {
  const ServedResource& resource = request.resource;
  if (request.namespace_.empty() || !IsCounted(resource)) return false;
  if (resource.Is("", "pods")) {
    if (request.subresource == "resize") return true;
    if (!request.subresource.empty()) return false;
    return request.creates || HasDeadline(request.old) != HasDeadline(request.object);
  }
  if (!request.subresource.empty()) {
    return request.subresource == "status" && resource.Is("", "persistentvolumeclaims");
  }
  return request.creates || !IsOnlyCounted(resource);
}

bool HasPodLevelResources(const json::Value& spec) {
  return spec["resources"]["requests"].size() + spec["resources"]["limits"].size() > 0;
}

bool HasValue(const json::Value& container, std::string_view name) {
  constexpr std::string_view kLimits = "limits.";
  constexpr std::string_view kRequests = "requests.";
  const char* list = "requests";
  if (name.starts_with(kLimits)) {
    list = "limits";
    name.remove_prefix(kLimits.size());
  } else if (name.starts_with(kRequests)) {
    name.remove_prefix(kRequests.size());
  }
  return container["resources"][list].contains(name);
}

// Returns "must specify limits.cpu for: a,b"; empty if nothing is missing.
std::string MissingValues(const json::Value& pod, const std::vector<std::string>& limited) {
  const json::Value& spec = pod["spec"];
  if (HasPodLevelResources(spec)) return {};
  std::string text;
  for (const std::string_view name : kRequired) {
    if (std::find(limited.begin(), limited.end(), name) == limited.end()) continue;
    std::set<std::string> containers;
    for (const char* list : {"containers", "initContainers"}) {
      for (const json::Value& container : spec[list].items()) {
        if (!HasValue(container, name)) containers.insert(container["name"].StringOrEmpty());
      }
    }
    if (containers.empty()) continue;
    text.append(text.empty() ? "must specify " : "; ").append(name).append(" for: ");
    for (const std::string& container : containers) {
      text.append(container == *containers.begin() ? "" : ",").append(container);
    }
  }
  return text;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

// A quota that covers the object, and the names in it of which such objects use something.
struct Covering {
  json::Value object{};
  Quota quota;
  std::vector<std::string> names{};
};

// Returns what the write adds to the usage of the quota.
ResourceList Added(const PluginRequest& request, const Quota& quota, const ResourceList& usage) {
  if (request.creates || !quota.Covers(request.resource, request.old)) return usage;
  ResourceList added = usage;
  Subtract(UsageOf(request.resource, request.old), added);
  std::erase_if(added, [](const auto& one) { return one.second.Sign() <= 0; });
  return added;
}

// Keeps what is exceeded of the amounts.
ResourceList Only(const ResourceList& list, const std::vector<std::string>& names) {
  ResourceList out;
  for (const std::string& name : names) {
    if (const auto found = list.find(name); found != list.end()) out.insert(*found);
  }
  return out;
}

}  // namespace

Result<std::vector<json::Value>> ResourceQuotaPlugin::Charge(const PluginRequest& request) const {
  std::vector<json::Value> changed;
  const auto quotas = state_.resources.FindGroupResource("", "resourcequotas");
  if (!Concerns(request) || quotas->store->size(request.namespace_) == 0) return changed;
  const ServedResource& resource = request.resource;
  std::vector<Covering> covering;
  quotas->store->Walk(
      NamespacePrefix(request.namespace_), {}, state_.resource_version,
      [&](const StoredObjectPtr& stored) {
        json::Value object = stored->Parse();
        Quota quota(object);
        auto names = Quota::NamesFor(resource, quota.hard);
        if (!names.empty() && quota.Covers(resource, request.object)) {
          covering.push_back({std::move(object), std::move(quota), std::move(names)});
        }
        return true;
      });
  for (const auto& [object, quota, names] : covering) {
    if (resource.Is("", "pods")) {
      const std::string missing = MissingValues(request.object, names);
      if (!missing.empty()) {
        return request.Forbidden("failed quota: " + quota.name + ": " + missing);
      }
    }
    const ResourceList& used = quota.used;
    if (!std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return used.contains(name); })) {
      return request.Forbidden("status unknown for quota: " + quota.name +
                               ", resources: " + Joined(names));
    }
  }
  if (covering.empty()) return changed;
  const ResourceList usage = UsageOf(resource, request.object);
  std::vector<std::string> negative;
  for (const auto& [name, amount] : usage) {
    if (amount.Sign() < 0) negative.push_back(name);
  }
  if (!negative.empty()) {
    return request.Forbidden("quota usage is negative for resource(s): " + Joined(negative));
  }
  for (auto& [object, quota, names] : covering) {
    const ResourceList requested = Masked(Added(request, quota, usage), names);
    if (requested.empty()) continue;
    ResourceList used = quota.used;
    Add(requested, used);
    std::vector<std::string> exceeded;
    for (const auto& [name, amount] : requested) {
      if (used[name] > quota.hard[name]) exceeded.push_back(name);
    }
    if (!exceeded.empty() && request.subresource != "status") {
      return request.Forbidden("exceeded quota: " + quota.name +
                               ", requested: " + ToText(Only(requested, exceeded)) +
                               ", used: " + ToText(Only(quota.used, exceeded)) +
                               ", limited: " + ToText(Only(quota.hard, exceeded)));
    }
    object.Ensure("status").Set("used", ToJson(used));
    changed.push_back(std::move(object));
  }
  return changed;
}

}  // namespace kinformer::apiserver
