#include "apiserver/authorization/rbac_policy.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

struct SubjectKey {
  std::string key{};   // of the index
  std::string text{};  // for messages
};

// Returns whom a subject of a binding means; without a key if nobody.
SubjectKey KeyOf(const json::Value& subject, std::string_view binding_namespace) {
  const std::string& kind = subject["kind"].StringOrEmpty();
  const std::string& name = subject["name"].StringOrEmpty();
  if (kind == "User") return {.key = "u:" + name, .text = "User " + JsonString(name)};
  if (kind == "Group") return {.key = "g:" + name, .text = "Group " + JsonString(name)};
  if (kind != "ServiceAccount") return {};
  std::string in = subject["namespace"].StringOrEmpty();
  if (in.empty()) in = binding_namespace;
  if (in.empty()) return {};
  return {.key = "u:" + ServiceAccountName(in, name),
          .text = "ServiceAccount " + JsonString(name + "/" + in)};
}

}  // namespace

std::string RbacPolicy::Grant::Text() const {
  return (namespace_.empty() ? "ClusterRoleBinding " + JsonString(binding)
                             : "RoleBinding " + JsonString(binding + "/" + namespace_)) +
         " of " + role_kind + " " + JsonString(role) + " to " + subject;
}

std::string RbacPolicy::Key(std::string_view namespace_, std::string_view name) {
  std::string key(namespace_);
  key += '/';
  key += name;
  return key;
}

void RbacPolicy::Put(std::string_view resource, const json::Value& object) {
  const std::string& name = object["metadata"]["name"].StringOrEmpty();
  const std::string& in = object["metadata"]["namespace"].StringOrEmpty();
  const std::string key = Key(in, name);
  if (resource == "roles" || resource == "clusterroles") {
    roles_[key] = RulesOf(object);
    return;
  }
  if (resource != "rolebindings" && resource != "clusterrolebindings") return;
  Unbind(key);
  const json::Value& role = object["roleRef"];
  std::vector<std::string> subjects;
  for (const json::Value& subject : object["subjects"].items()) {
    SubjectKey bound = KeyOf(subject, in);
    if (bound.key.empty() ||
        std::find(subjects.begin(), subjects.end(), bound.key) != subjects.end()) {
      continue;
    }
    grants_[in][bound.key].push_back(
        std::make_shared<const Grant>(Grant{.binding = name,
                                            .namespace_ = in,
                                            .role_kind = role["kind"].StringOrEmpty(),
                                            .role = role["name"].StringOrEmpty(),
                                            .subject = std::move(bound.text),
                                            .place = subjects.size()}));
    subjects.push_back(std::move(bound.key));
  }
  bound_[key] = std::move(subjects);
}

void RbacPolicy::Remove(std::string_view resource, std::string_view namespace_,
                        std::string_view name) {
  const std::string key = Key(namespace_, name);
  if (resource == "roles" || resource == "clusterroles") {
    roles_.erase(key);
  } else if (resource == "rolebindings" || resource == "clusterrolebindings") {
    Unbind(key);
  }
}

void RbacPolicy::Clear() {
  roles_.clear();
  grants_.clear();
  bound_.clear();
}

void RbacPolicy::Unbind(const std::string& key) {
  const auto bound = bound_.find(key);
  if (bound == bound_.end()) return;
  const std::size_t slash = key.find('/');
  const std::string_view name = std::string_view(key).substr(slash + 1);
  const auto in = grants_.find(key.substr(0, slash));
  for (const std::string& subject : bound->second) {
    const auto grants = in->second.find(subject);
    std::erase_if(grants->second, [&](const auto& grant) { return grant->binding == name; });
    if (grants->second.empty()) in->second.erase(grants);
  }
  if (in != grants_.end() && in->second.empty()) grants_.erase(in);
  bound_.erase(bound);
}

const PolicyRules* RbacPolicy::Find(std::string_view namespace_, std::string_view role) const {
  const auto found = roles_.find(Key(namespace_, role));
  return found == roles_.end() ? nullptr : &found->second;
}

const PolicyRules* RbacPolicy::Find(std::string_view kind, std::string_view namespace_,
                                    std::string_view role) const {
  if (kind == "ClusterRole") return Find("", role);
  // A Role is in a namespace.
  return kind == "Role" && !namespace_.empty() ? Find(namespace_, role) : nullptr;
}

void RbacPolicy::ForEach(const UserInfo& user, std::string_view namespace_,
                         const Visit& visit) const {
  std::vector<std::string> subjects = {"u:" + user.name};
  for (const std::string& group : user.groups) subjects.push_back("g:" + group);
  std::vector<std::shared_ptr<const Grant>> grants;
  const auto visit_in = [&](const std::string& in) {
    const auto there = grants_.find(in);
    if (there == grants_.end()) return true;
    grants.clear();
    for (const std::string& subject : subjects) {
      const auto bound = there->second.find(subject);
      if (bound == there->second.end()) continue;
      grants.insert(grants.end(), bound->second.begin(), bound->second.end());
    }
    // One of each binding: that of its first subject.
    std::sort(grants.begin(), grants.end(), [](const auto& a, const auto& b) {
      return std::tie(a->binding, a->place) < std::tie(b->binding, b->place);
    });
    const auto same = [](const auto& a, const auto& b) { return a->binding == b->binding; };
    grants.erase(std::unique(grants.begin(), grants.end(), same), grants.end());
    return std::all_of(grants.begin(), grants.end(), [&](const auto& grant) {
      return visit(*grant, Find(grant->role_kind, in, grant->role));
    });
  };
  if (visit_in({}) && !namespace_.empty()) (void)visit_in(std::string(namespace_));
}

}  // namespace kinformer::apiserver
