#include "apiserver/workloads/claim.h"

#include <utility>

#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"

namespace kinformer::apiserver::workloads {

Objects Claim(const Scene& scene, Kind owner_kind, const json::Value& owner, Kind kind,
              Plan& plan) {
  const LabelSelector selector = SelectorOf(owner["spec"]["selector"]);
  Objects claimed;
  for (const json::Value* object : scene.cluster.OwnedBy(kind, UidOf(owner))) {
    if (Selects(selector, *object)) {
      claimed.push_back(object);
    } else if (!IsTerminating(*object)) {
      json::Value next = *object;
      std::erase_if(next.Ensure("metadata", "ownerReferences").EnsureArray(),
                    [&](const json::Value& reference) {
                      return reference["uid"].StringOrEmpty() == UidOf(owner);
                    });
      plan.Update(kind, std::move(next));
    }
  }
  if (IsTerminating(owner)) return claimed;
  for (const json::Value* object : scene.cluster.Orphans(kind, NamespaceOf(owner))) {
    if (!Selects(selector, *object) || IsTerminating(*object)) continue;
    if (kind == Kind::kPod && IsPodFinished(*object)) continue;
    json::Value next = *object;
    next.Ensure("metadata", "ownerReferences").Append(OwnersOf(owner_kind, owner).items().front());
    plan.Update(kind, std::move(next));
  }
  return claimed;
}

}  // namespace kinformer::apiserver::workloads
