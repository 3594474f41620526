#include "cli/role_check.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "kinformer/json/json.h"

#include "apiserver/authorization/policy_rule.h"

namespace kinformer::cli {
namespace {

using apiserver::AccessAttributes;
using apiserver::PolicyRule;
using apiserver::PolicyRules;
using json::Value;

// A role and where it holds.
struct HeldRole {
  std::string title{};       // "Role default/web"
  std::string namespace_{};  // empty: all namespaces
  PolicyRules rules{};
};

AccessAttributes AttributesOf(const AskedRequest& request) {
  const std::string_view resource = request.resource;
  const std::size_t slash = std::min(resource.find('/'), resource.size());
  return {.is_resource = !resource.empty(),
          .verb = request.verb,
          .group = request.group,
          .resource = resource.substr(0, slash),
          .subresource = slash == resource.size() ? std::string_view() : resource.substr(slash + 1),
          .namespace_ = request.namespace_,
          .name = request.name,
          .path = request.path};
}

bool Gives(const HeldRole& role, const PolicyRule& rule, const AskedRequest& request) {
  if (!role.namespace_.empty() && role.namespace_ != request.namespace_) return false;
  return rule.Allows(AttributesOf(request));
}

std::string Title(const Manifest& manifest) {
  const std::string space = manifest.namespace_();
  return manifest.kind().kind + " " + (space.empty() ? "" : space + "/") + manifest.name();
}

bool IsFor(const Manifest& binding, const std::string& account) {
  const auto subjects = binding.object["subjects"].items();
  return std::any_of(subjects.begin(), subjects.end(), [&](const Value& subject) {
    const std::string name = subject["name"].StringOrEmpty();
    const std::string kind = subject["kind"].StringOrEmpty();
    if (kind == "User") return name == account;
    if (kind != "ServiceAccount") return false;
    const std::string space = subject["namespace"].StringOrEmpty();
    return "system:serviceaccount:" + (space.empty() ? binding.namespace_() : space) + ":" + name ==
           account;
  });
}

std::vector<HeldRole> AllRoles(const std::vector<Manifest>& manifests) {
  std::vector<HeldRole> out;
  for (const Manifest& manifest : manifests) {
    const std::string kind = manifest.kind().kind;
    if (kind != "Role" && kind != "ClusterRole") continue;
    out.push_back({.title = Title(manifest),
                   .namespace_ = kind == "Role" ? manifest.namespace_() : "",
                   .rules = apiserver::RulesOf(manifest.object)});
  }
  return out;
}

std::vector<HeldRole> BoundRoles(const std::vector<Manifest>& manifests,
                                 const std::string& account) {
  std::vector<HeldRole> out;
  for (const Manifest& binding : manifests) {
    const std::string kind = binding.kind().kind;
    if (kind != "RoleBinding" && kind != "ClusterRoleBinding") continue;
    if (!IsFor(binding, account)) continue;
    const Value& wanted = binding.object["roleRef"];
    for (const Manifest& role : manifests) {
      if (role.kind().kind != wanted["kind"].StringOrEmpty()) continue;
      if (role.name() != wanted["name"].StringOrEmpty()) continue;
      if (role.kind().kind == "Role" && role.namespace_() != binding.namespace_()) continue;
      out.push_back({.title = Title(role),
                     .namespace_ = kind == "RoleBinding" ? binding.namespace_() : "",
                     .rules = apiserver::RulesOf(role.object)});
    }
  }
  return out;
}

// Returns the request's right as text.
std::string RightOf(const AskedRequest& request) {
  if (request.resource.empty()) return request.verb + " " + request.path;
  std::string out = request.verb + " " + request.resource;
  if (!request.group.empty()) out += "." + request.group;
  out += request.namespace_.empty() ? "" : " in " + request.namespace_;
  if (!request.name.empty() && request.verb != "create") out += " (" + request.name + ")";
  return out;
}

// Returns the rules that have one verb and one group and resource, or one path.
PolicyRules PartsOf(const PolicyRule& rule) {
  PolicyRules out;
  for (const std::string& verb : rule.verbs) {
    for (const std::string& path : rule.paths) out.push_back({.verbs = {verb}, .paths = {path}});
    for (const std::string& group : rule.groups) {
      for (const std::string& resource : rule.resources) {
        out.push_back(
            {.verbs = {verb}, .groups = {group}, .resources = {resource}, .names = rule.names});
      }
    }
  }
  return out;
}

std::string TextOf(const PolicyRule& part) {
  if (!part.paths.empty()) return part.verbs.front() + " " + part.paths.front();
  std::string out = part.verbs.front() + " " + part.resources.front();
  if (!part.groups.front().empty()) out += "." + part.groups.front();
  for (const std::string& name : part.names) {
    out += (&name == &part.names.front() ? " (" : ", ") + name;
  }
  return part.names.empty() ? out : out + ")";
}

}  // namespace

Result<RoleFindings> CheckRoles(const std::vector<Manifest>& manifests, const std::string& account,
                                const std::vector<AskedRequest>& requests) {
  const std::vector<HeldRole> roles =
      account.empty() ? AllRoles(manifests) : BoundRoles(manifests, account);
  if (roles.empty()) {
    return Error(Reason::kInvalidArgument,
                 account.empty() ? "there is no Role and no ClusterRole in the files of --check"
                                 : "no binding in the files of --check gives a role to " + account);
  }
  std::set<std::string> lacking;
  for (const AskedRequest& request : requests) {
    const bool given = std::any_of(roles.begin(), roles.end(), [&](const HeldRole& role) {
      return std::any_of(role.rules.begin(), role.rules.end(),
                         [&](const PolicyRule& rule) { return Gives(role, rule, request); });
    });
    if (!given) lacking.insert(RightOf(request));
  }
  RoleFindings out{.lacking = {lacking.begin(), lacking.end()}};
  for (const HeldRole& role : roles) {
    for (const PolicyRule& rule : role.rules) {
      for (const PolicyRule& part : PartsOf(rule)) {
        const bool used =
            std::any_of(requests.begin(), requests.end(),
                        [&](const AskedRequest& request) { return Gives(role, part, request); });
        if (!used) out.unused.push_back(role.title + ": " + TextOf(part));
      }
    }
  }
  return out;
}

}  // namespace kinformer::cli
