#include "apiserver/workloads/deployment.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/workloads/claim.h"
#include "apiserver/workloads/deployment_scale.h"
#include "apiserver/workloads/deployment_status.h"
#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr const char* kComponent = "deployment-controller";
constexpr const char* kHash = "pod-template-hash";
constexpr const char* kRevision = "deployment.kubernetes.io/revision";
constexpr const char* kRevisions = "deployment.kubernetes.io/revision-history";
constexpr const char* kDesired = "deployment.kubernetes.io/desired-replicas";
constexpr const char* kMax = "deployment.kubernetes.io/max-replicas";

std::int64_t RevisionOf(const json::Value& set) {
  return internal::base::NumberIn(Annotation(set, kRevision)).value_or(0);
}

// Returns a ReplicaSet's template without the label that the controller has added.
json::Value OwnTemplate(const json::Value& set) {
  json::Value out = set["spec"]["template"];
  Erase(out, "/metadata/labels", kHash);
  return out;
}

// A Deployment with its ReplicaSets.
struct Family {
  const json::Value& deployment;
  RollingLimits limits{};
  const json::Value* newest = nullptr;
  Objects old{};  // from the oldest to the newest
  [[nodiscard]] Objects All() const {
    Objects all = old;
    if (newest != nullptr) all.push_back(newest);
    return all;
  }
};

Family FamilyOf(const Scene& scene, const json::Value& deployment, Plan& plan) {
  Family family{.deployment = deployment, .limits = LimitsOf(deployment)};
  family.old = Claim(scene, Kind::kDeployment, deployment, Kind::kReplicaSet, plan);
  std::stable_sort(
      family.old.begin(), family.old.end(),
      [](const json::Value* a, const json::Value* b) { return CreatedAt(*a) < CreatedAt(*b); });
  json::Value wanted = deployment["spec"]["template"];
  Erase(wanted, "/metadata/labels", kHash);
  const auto found =
      std::find_if(family.old.begin(), family.old.end(),
                   [&](const json::Value* set) { return OwnTemplate(*set) == wanted; });
  if (found != family.old.end()) {
    family.newest = *found;
    family.old.erase(found);
  }
  return family;
}

void SetAnnotation(json::Value& object, const char* name, const std::string& text) {
  object.Ensure("metadata", "annotations").Set(name, text);
}

void NoteSizes(const RollingLimits& limits, json::Value& set) {
  SetAnnotation(set, kDesired, std::to_string(limits.replicas));
  SetAnnotation(set, kMax, std::to_string(limits.replicas + limits.surge));
}

void CopyAnnotations(const json::Value& deployment, json::Value& set) {
  for (const auto& [name, value] : deployment["metadata"]["annotations"].members()) {
    if (name == kRevision || name == kRevisions || name == kDesired || name == kMax ||
        name == "kubectl.kubernetes.io/last-applied-configuration") {
      continue;
    }
    SetAnnotation(set, name.c_str(), value.StringOrEmpty());
  }
}

// Returns the revision that the newest ReplicaSet has or gets.
std::int64_t NewestRevision(const Family& family) {
  std::int64_t most = 0;
  for (const json::Value* set : family.old) most = std::max(most, RevisionOf(*set));
  const std::int64_t its = family.newest == nullptr ? 0 : RevisionOf(*family.newest);
  return its > most ? its : most + 1;
}

// Numbers the newest ReplicaSet, and the Deployment with it. Returns whether the ReplicaSet is
// written, which calls the controller again.
bool NumberRevision(const Family& family, Plan& plan) {
  const std::string revision = std::to_string(NewestRevision(family));
  if (family.newest != nullptr && Annotation(*family.newest, kRevision) != revision) {
    json::Value set = *family.newest;
    const std::string before = Annotation(set, kRevision);
    if (!before.empty()) {
      const std::string& known = Annotation(set, kRevisions);
      SetAnnotation(set, kRevisions, known.empty() ? before : known + "," + before);
    }
    SetAnnotation(set, kRevision, revision);
    plan.Update(Kind::kReplicaSet, std::move(set));
    return true;
  }
  if (Annotation(family.deployment, kRevision) != revision) {
    json::Value deployment = family.deployment;
    SetAnnotation(deployment, kRevision, revision);
    plan.Update(Kind::kDeployment, std::move(deployment));
  }
  return false;
}

void ReportScaling(const Family& family, const std::string& set, std::int64_t from, std::int64_t to,
                   Plan& plan) {
  plan.Event(Kind::kDeployment, family.deployment, kComponent, "ScalingReplicaSet",
             std::string("Scaled ") + (to > from ? "up" : "down") + " replica set " + set +
                 " from " + std::to_string(from) + " to " + std::to_string(to));
}

// Makes the ReplicaSet of the present template; returns its name.
std::string MakeSet(const Family& family, std::int64_t replicas, Plan& plan) {
  const json::Value& deployment = family.deployment;
  json::Value pod_template = deployment["spec"]["template"];
  Erase(pod_template, "/metadata/labels", kHash);
  const std::string hash = HashOf(pod_template, Number(deployment, "/status/collisionCount"));
  pod_template.Ensure("metadata", "labels").Set(kHash, hash);
  json::Value selector = deployment["spec"]["selector"];
  selector.Ensure("matchLabels").Set(kHash, hash);
  const std::string name = NameOf(deployment) + "-" + hash;
  json::Value set = json::Value::MakeObject(
      {{"metadata",
        json::Value::MakeObject({{"name", name},
                                 {"namespace", NamespaceOf(deployment)},
                                 {"labels", pod_template["metadata"]["labels"]},
                                 {"ownerReferences", OwnersOf(Kind::kDeployment, deployment)}})},
       {"spec", json::Value::MakeObject({{"replicas", replicas},
                                         {"selector", std::move(selector)},
                                         {"template", std::move(pod_template)}})}});
  if (const std::int64_t seconds = Number(deployment, "/spec/minReadySeconds"); seconds > 0) {
    set.Ensure("spec").Set("minReadySeconds", seconds);
  }
  CopyAnnotations(deployment, set);
  NoteSizes(family.limits, set);
  SetAnnotation(set, kRevision, std::to_string(NewestRevision(family)));
  plan.Create(Kind::kReplicaSet, std::move(set));
  if (replicas > 0) {
    ReportScaling(family, name, 0, replicas, plan);
    plan.IfRefused("ReplicaSetCreateError", "Failed to create new replica set \"" + name + "\": ");
  }
  return name;
}

void Resize(const Family& family, const json::Value& set, std::int64_t replicas, Plan& plan) {
  json::Value next = set;
  const std::int64_t before = Number(set, "/spec/replicas");
  next.Ensure("spec").Set("replicas", replicas);
  NoteSizes(family.limits, next);
  if (next == set) return;
  plan.Update(Kind::kReplicaSet, std::move(next));
  if (replicas == before) return;
  ReportScaling(family, NameOf(set), before, replicas, plan);
  plan.UnlessRefused();
}

SetSize SizeOf(const json::Value& set) {
  const std::int64_t replicas = Number(set, "/spec/replicas");
  return {.replicas = replicas,
          .available = Number(set, "/status/availableReplicas"),
          .next = replicas};
}

// Returns whether the Deployment's replicas have changed since the ReplicaSets got theirs.
bool WasScaled(const Family& family) {
  for (const json::Value* set : family.All()) {
    if (Number(*set, "/spec/replicas") == 0) continue;
    const auto desired = internal::base::NumberIn(Annotation(*set, kDesired));
    if (desired && *desired != family.limits.replicas) return true;
  }
  return false;
}

void ScaleAll(const Family& family, Plan& plan) {
  const Objects all = family.All();
  std::vector<SetSize> sizes;
  std::vector<std::size_t> active;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sizes.push_back(SizeOf(*all[i]));
    if (sizes[i].replicas == 0) continue;
    active.push_back(i);
    before = std::max(before, internal::base::NumberIn(Annotation(*all[i], kMax)).value_or(0));
  }
  if (active.size() <= 1) {
    // Only one has pods: it gets all of the new number.
    const json::Value* const one = active.empty() ? family.newest : all[active.front()];
    if (one != nullptr) Resize(family, *one, family.limits.replicas, plan);
    return;
  }
  std::vector<SetSize*> sets;
  for (const std::size_t i : active) sets.push_back(&sizes[i]);
  ScaleInProportion(family.limits, before, sets);
  for (const std::size_t i : active) Resize(family, *all[i], sizes[i].next, plan);
}

// Ends all pods of old templates before any of the new one begins. Returns the name of the
// ReplicaSet that it makes.
std::string Recreate(const Scene& scene, const Family& family, Plan& plan) {
  bool any = false;
  for (const json::Value* set : family.old) {
    if (Number(*set, "/spec/replicas") > 0) Resize(family, *set, 0, plan);
    for (const json::Value* pod : scene.cluster.OwnedBy(Kind::kPod, UidOf(*set))) {
      any = any || !IsPodFinished(*pod);
    }
  }
  if (any) return {};
  if (family.newest == nullptr) return MakeSet(family, family.limits.replicas, plan);
  Resize(family, *family.newest, family.limits.replicas, plan);
  return {};
}

std::string Roll(const Family& family, Plan& plan) {
  std::vector<SetSize> old;
  for (const json::Value* set : family.old) old.push_back(SizeOf(*set));
  SetSize newest;
  if (family.newest != nullptr) newest = SizeOf(*family.newest);
  RollStep(family.limits, newest, old);
  if (family.newest == nullptr) return MakeSet(family, newest.next, plan);
  Resize(family, *family.newest, newest.next, plan);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].next != old[i].replicas) Resize(family, *family.old[i], old[i].next, plan);
  }
  return {};
}

// Deletes the oldest ReplicaSets without pods, beyond the limit.
void ForgetHistory(const Family& family, Plan& plan) {
  const std::int64_t limit = Number(family.deployment, "/spec/revisionHistoryLimit", 10);
  Objects empty;
  for (const json::Value* set : family.old) {
    if (Number(*set, "/spec/replicas") == 0 && Number(*set, "/status/replicas") == 0 &&
        !IsTerminating(*set)) {
      empty.push_back(set);
    }
  }
  std::stable_sort(empty.begin(), empty.end(), [](const json::Value* a, const json::Value* b) {
    return RevisionOf(*a) < RevisionOf(*b);
  });
  const auto kept = static_cast<std::size_t>(std::max<std::int64_t>(limit, 0));
  for (std::size_t i = 0; i + kept < empty.size(); ++i) plan.Delete(Kind::kReplicaSet, *empty[i]);
}

}  // namespace

void SyncDeployment(const Scene& scene, const json::Value& deployment, Plan& plan) {
  const Family family = FamilyOf(scene, deployment, plan);
  std::string created;
  if (!IsTerminating(deployment)) {
    const bool paused = Flag(deployment, "/spec/paused");
    if (!paused && family.newest != nullptr && NumberRevision(family, plan)) return;
    if (paused || WasScaled(family)) {
      ScaleAll(family, plan);
    } else if (Text(deployment, "/spec/strategy/type") == "Recreate") {
      created = Recreate(scene, family, plan);
    } else {
      created = Roll(family, plan);
    }
    if (!created.empty()) NumberRevision(family, plan);
    if (IsRolledOut(deployment, deployment["status"])) ForgetHistory(family, plan);
  }
  ReportDeployment(scene, deployment, family.All(), family.newest, created, plan);
}

}  // namespace kinformer::apiserver::workloads
