#include "apiserver/server/flow_schemas.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "apiserver/authorization/authorizer.h"
#include "apiserver/schema/name_rules.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kGroup = "flowcontrol.apiserver.k8s.io";

// Whether the list has the text, or the one that stands for all.
bool Has(const json::Value& list, std::string_view text) {
  return std::any_of(list.items().begin(), list.items().end(), [&](const json::Value& item) {
    const std::string& each = item.StringOrEmpty();
    return each == "*" || each == text;
  });
}

bool IsSubject(const json::Value& subject, const UserInfo& user) {
  const std::string& kind = subject["kind"].StringOrEmpty();
  if (kind == "User") {
    const std::string& name = subject["user"]["name"].StringOrEmpty();
    return name == "*" || name == user.name;
  }
  if (kind == "Group") {
    const std::string& name = subject["group"]["name"].StringOrEmpty();
    return name == "*" || IsIn(user, name);
  }
  if (kind != "ServiceAccount") return false;
  const json::Value& account = subject["serviceAccount"];
  const std::string& name = account["name"].StringOrEmpty();
  const std::string& place = account["namespace"].StringOrEmpty();
  if (name == "*") return user.name.starts_with(ServiceAccountName(place, ""));
  return user.name == ServiceAccountName(place, name);
}

bool IsResource(const json::Value& rule, const RequestInfo& info) {
  const std::string resource =
      info.subresource.empty() ? info.resource : info.resource + "/" + info.subresource;
  if (!Has(rule["verbs"], VerbName(info.verb)) || !Has(rule["apiGroups"], info.group) ||
      !Has(rule["resources"], resource)) {
    return false;
  }
  if (info.namespace_.empty()) return rule["clusterScope"].AsBool().value_or(false);
  return Has(rule["namespaces"], info.namespace_);
}

bool IsPath(const json::Value& rule, std::string_view method, const RequestInfo& info) {
  if (!Has(rule["verbs"], LowerCase(method))) return false;
  const json::Array& urls = rule["nonResourceURLs"].items();
  return std::any_of(urls.begin(), urls.end(), [&](const json::Value& url) {
    std::string_view text = url.StringOrEmpty();
    if (text == "*" || text == info.path) return true;
    if (!text.ends_with("/*")) return false;
    text.remove_suffix(1);
    return std::string_view(info.path).starts_with(text);
  });
}

bool Matches(const json::Value& rules, const UserInfo& user, std::string_view method,
             const RequestInfo& info) {
  return std::any_of(rules.items().begin(), rules.items().end(), [&](const json::Value& rule) {
    const json::Array& subjects = rule["subjects"].items();
    const bool is_subject =
        std::any_of(subjects.begin(), subjects.end(),
                    [&](const json::Value& subject) { return IsSubject(subject, user); });
    if (!is_subject) return false;
    const json::Array& parts =
        rule[info.is_resource_request ? "resourceRules" : "nonResourceRules"].items();
    return std::any_of(parts.begin(), parts.end(), [&](const json::Value& part) {
      return info.is_resource_request ? IsResource(part, info) : IsPath(part, method, info);
    });
  });
}

}  // namespace

void FlowSchemas::Learn() {
  known_ = true;
  schemas_.clear();
  const auto schemas = state_.resources.FindGroupResource(kGroup, "flowschemas");
  const auto levels = state_.resources.FindGroupResource(kGroup, "prioritylevelconfigurations");
  if (schemas == nullptr || levels == nullptr) return;
  schemas->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
    const json::Value object = stored->Parse();
    const json::Value& spec = object["spec"];
    const StoredObjectPtr level =
        levels->Find({}, spec["priorityLevelConfiguration"]["name"].StringOrEmpty());
    schemas_.push_back({.precedence = spec["matchingPrecedence"].AsInt64().value_or(0),
                        .name = std::string(stored->name()),
                        .rules = spec["rules"],
                        .flow = {.schema = std::string(stored->uid()),
                                 .level = level == nullptr ? "" : std::string(level->uid())}});
    return true;
  });
  std::sort(schemas_.begin(), schemas_.end(), [](const Schema& a, const Schema& b) {
    return std::tie(a.precedence, a.name) < std::tie(b.precedence, b.name);
  });
}

FlowSchemas::Flow FlowSchemas::FlowOf(const UserInfo& user, std::string_view method,
                                      const RequestInfo& info) {
  if (!known_) Learn();
  const auto found = std::find_if(schemas_.begin(), schemas_.end(), [&](const Schema& schema) {
    return Matches(schema.rules, user, method, info);
  });
  return found == schemas_.end() ? Flow() : found->flow;
}

ResponsePtr FlowSchemas::Named(ResponsePtr answer, Flow flow) {
  if (flow.schema.empty()) return answer;
  answer =
      WithAddedHeader(std::move(answer), "X-Kubernetes-PF-FlowSchema-UID", std::move(flow.schema));
  return WithAddedHeader(std::move(answer), "X-Kubernetes-PF-PriorityLevel-UID",
                         std::move(flow.level));
}

}  // namespace kinformer::apiserver
