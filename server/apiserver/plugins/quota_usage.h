// apiserver/plugins/quota_usage.h
//
// Quota: a ResourceQuota, and what objects use of it. Counterpart: the evaluators of
// k8s.io/kubernetes/pkg/quota.

#ifndef KINFORMER_APISERVER_PLUGINS_QUOTA_USAGE_H_
#define KINFORMER_APISERVER_PLUGINS_QUOTA_USAGE_H_

#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/plugins/resource_list.h"
#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Limits the objects that count: to pods with a deadline, of some priority classes, and so on.
struct QuotaScope {
  std::string name{};               // "Terminating", "PriorityClass"
  std::string operation{"Exists"};  // as of a label selector
  std::vector<std::string> values{};
};

struct Quota {
  explicit Quota(const json::Value& object);

  // Returns the names in `hard` of which objects of the resource can use something.
  [[nodiscard]] static std::vector<std::string> NamesFor(const ServedResource& resource,
                                                         const ResourceList& hard);
  // Returns whether the object is in all scopes.
  [[nodiscard]] bool Covers(const ServedResource& resource, const json::Value& object) const;

  std::string name{};
  std::vector<QuotaScope> scopes{};
  ResourceList wanted{};  // spec.hard
  ResourceList hard{};    // status.hard
  ResourceList used{};    // status.used
};

// Returns whether quotas count objects of the resource.
[[nodiscard]] bool IsCounted(const ServedResource& resource);
// Returns whether objects of the resource use the same, whatever they are.
[[nodiscard]] bool IsOnlyCounted(const ServedResource& resource);
// Returns what an object uses, whatever the quota. Pods that have ended use nothing but count/pods.
[[nodiscard]] ResourceList UsageOf(const ServedResource& resource, const json::Value& object);

// Returns the amounts, without zeros, of the given names.
[[nodiscard]] ResourceList Masked(const ResourceList& list, const std::vector<std::string>& names);

// Whether a pod has a deadline, so that it is in the scope Terminating.
[[nodiscard]] bool HasDeadline(const json::Value& pod);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_QUOTA_USAGE_H_
