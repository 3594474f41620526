#include "apiserver/audit/audit_match.h"

#include <algorithm>
#include <string>
#include <vector>

namespace kinformer::apiserver {
namespace {

bool Has(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool FitsPath(std::string_view path, std::string_view wanted) {
  if (wanted == "*" || wanted == path) return true;
  if (!wanted.ends_with('*')) return false;
  wanted.remove_suffix(1);
  return path.starts_with(wanted);
}

bool FitsResource(const AuditResources& wanted, const RequestInfo& info) {
  if (wanted.group != info.group) return false;
  if (wanted.resources.empty()) return true;
  if (!wanted.names.empty() && !Has(wanted.names, info.name)) return false;
  const std::string whole =
      info.subresource.empty() ? info.resource : info.resource + "/" + info.subresource;
  return std::any_of(wanted.resources.begin(), wanted.resources.end(), [&](std::string_view one) {
    if (one == "*" || one == whole) return true;
    if (one.starts_with("*/")) return one.substr(2) == info.subresource;
    return one.ends_with("/*") && one.substr(0, one.size() - 2) == info.resource;
  });
}

bool Fits(const AuditRule& rule, const RequestInfo& info, std::string_view verb,
          const UserInfo* user) {
  if (!rule.users.empty() && (user == nullptr || !Has(rule.users, user->name))) return false;
  if (!rule.groups.empty()) {
    if (user == nullptr) return false;
    const auto wanted = [&](const std::string& group) { return Has(rule.groups, group); };
    if (std::none_of(user->groups.begin(), user->groups.end(), wanted)) return false;
  }
  if (!rule.verbs.empty() && !Has(rule.verbs, verb)) return false;
  if (!rule.namespaces.empty() || !rule.resources.empty()) {
    if (!info.is_resource_request) return false;
    if (!rule.namespaces.empty() && !Has(rule.namespaces, info.namespace_)) return false;
    const auto fits = [&](const AuditResources& wanted) { return FitsResource(wanted, info); };
    return rule.resources.empty() ||
           std::any_of(rule.resources.begin(), rule.resources.end(), fits);
  }
  if (rule.paths.empty()) return true;
  if (info.is_resource_request) return false;
  const std::string path = info.path + (info.trailing_slash ? "/" : "");
  const auto fits = [&](const std::string& wanted) { return FitsPath(path, wanted); };
  return std::any_of(rule.paths.begin(), rule.paths.end(), fits);
}

}  // namespace

const AuditRule* FindAuditRule(const AuditPolicy& policy, const RequestInfo& info,
                               std::string_view verb, const UserInfo* user) {
  for (const AuditRule& rule : policy.rules) {
    if (Fits(rule, info, verb, user)) return &rule;
  }
  return nullptr;
}

}  // namespace kinformer::apiserver
