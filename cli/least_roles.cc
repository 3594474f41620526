#include "cli/least_roles.h"

#include <map>
#include <tuple>
#include <utility>

namespace kinformer::cli {
namespace {

using json::Value;
using Names = std::set<std::string>;

// Common facts of all requests for a resource and its subresources.
struct Usage {
  bool everywhere = false;  // in all namespaces, or it has none
  bool collected = false;   // listed or watched without a name
  Names names{};            // of requests other than creates
};

bool IsCollection(const AskedRequest& request) {
  return request.verb == "list" || request.verb == "watch" || request.verb == "deletecollection";
}

bool IsOfEvents(const AskedRequest& request) {
  return request.resource == "events" &&
         (request.group.empty() || request.group == "events.k8s.io");
}

std::map<std::string, Usage> UsagesOf(const std::vector<AskedRequest>& requests, const Names& any) {
  std::map<std::string, Usage> usages;
  bool anything_everywhere = false;
  for (const AskedRequest& request : requests) {
    if (request.resource.empty()) continue;
    Usage& usage = usages[ResourceName(request)];
    const bool everywhere = request.namespace_.empty() || any.contains(ResourceName(request));
    usage.everywhere |= everywhere;
    // A single object without a namespace says nothing about events.
    anything_everywhere |= everywhere && IsCollection(request) && request.name.empty();
    if (any.contains(ResourceName(request))) usage.collected = true;
    if (IsCollection(request) && request.name.empty()) {
      usage.collected = true;
    } else if (request.verb != "create") {
      usage.names.insert(request.name);
    }
  }
  if (anything_everywhere) {
    for (const AskedRequest& request : requests) {
      if (IsOfEvents(request)) usages[ResourceName(request)].everywhere = true;
    }
  }
  return usages;
}

// A rule, but for its verbs; sorted as rules are printed.
struct RuleKey {
  std::string group{};
  std::string resource{};
  std::string name{};  // empty: all names
  std::string path{};
  friend auto operator<=>(const RuleKey&, const RuleKey&) = default;
};
using Rules = std::map<RuleKey, Names>;

Value ListOf(const Names& texts) {
  Value out = Value::MakeArray();
  for (const std::string& text : texts) out.Append(text);
  return out;
}

// Returns the rules, of which those that differ in the resource only are one.
Value RulesJson(const Rules& rules) {
  using Alike = std::tuple<std::string, std::string, std::string, Names>;
  std::map<Alike, Names> resources;
  std::vector<Alike> order;
  for (const auto& [key, verbs] : rules) {
    const Alike alike{key.group, key.name, key.path, verbs};
    if (!resources.contains(alike)) order.push_back(alike);
    resources[alike].insert(key.resource);
  }
  Value out = Value::MakeArray();
  for (const Alike& alike : order) {
    const auto& [group, name, path, verbs] = alike;
    Value rule = Value::MakeObject();
    if (path.empty()) {
      rule.Set("apiGroups", ListOf({group}));
      rule.Set("resources", ListOf(resources[alike]));
      if (!name.empty()) rule.Set("resourceNames", ListOf({name}));
    } else {
      rule.Set("nonResourceURLs", ListOf({path}));
    }
    rule.Set("verbs", ListOf(verbs));
    out.Append(std::move(rule));
  }
  return out;
}

Value Role(const std::string& name, const std::string& space, const Rules& rules) {
  Value metadata = Value::MakeObject({{"name", name}});
  if (!space.empty()) metadata.Set("namespace", space);
  return Value::MakeObject({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                            {"kind", space.empty() ? "ClusterRole" : "Role"},
                            {"metadata", std::move(metadata)},
                            {"rules", RulesJson(rules)}});
}

}  // namespace

std::string ResourceName(const AskedRequest& request) {
  const std::string resource = request.resource.substr(0, request.resource.find('/'));
  return request.group.empty() ? resource : resource + "." + request.group;
}

std::vector<Value> LeastRoles(const std::vector<AskedRequest>& requests,
                              const LeastRolesOptions& options) {
  const std::map<std::string, Usage> usages = UsagesOf(requests, options.any);
  std::map<std::string, Rules> by_namespace;  // "" is the ClusterRole
  for (const AskedRequest& request : requests) {
    if (request.resource.empty()) {
      by_namespace[""][{.path = request.path}].insert(request.verb);
      continue;
    }
    const Usage& usage = usages.at(ResourceName(request));
    const bool one_name = !usage.collected && usage.names.size() == 1 &&
                          !usage.names.begin()->empty() && request.verb != "create";
    by_namespace[usage.everywhere ? "" : request.namespace_]
                [{.group = request.group,
                  .resource = request.resource,
                  .name = one_name ? *usage.names.begin() : std::string()}]
                    .insert(request.verb);
  }
  std::vector<Value> out;
  for (const auto& [space, rules] : by_namespace) out.push_back(Role(options.name, space, rules));
  return out;
}

}  // namespace kinformer::cli
