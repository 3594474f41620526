#include "apiserver/workloads/node_keeper.h"

#include <chrono>
#include <utility>

#include "kinformer/object/time.h"

#include "apiserver/registry/object_rules.h"
#include "apiserver/workloads/object_parts.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr Duration kRenewal = std::chrono::seconds(10);
constexpr Duration kHeartbeat = std::chrono::minutes(5);
constexpr const char* kLeases = "kube-node-lease";

std::string MicroTimeOf(WallTime now) {
  return metav1::MicroTime(std::chrono::floor<std::chrono::system_clock::duration>(now)).ToString();
}

void RenewLease(const Scene& scene, const std::string& name, const json::Value& node, Plan& plan) {
  const json::Value* lease = scene.cluster.Find(Kind::kLease, kLeases, name);
  if (lease == nullptr) {
    json::Value owners = OwnersOf(Kind::kNode, node);
    owners.EnsureArray()[0].Erase("controller");
    owners.EnsureArray()[0].Erase("blockOwnerDeletion");
    plan.Create(
        Kind::kLease,
        json::Value::MakeObject(
            {{"metadata", json::Value::MakeObject({{"name", name},
                                                   {"namespace", kLeases},
                                                   {"ownerReferences", std::move(owners)}})},
             {"spec", json::Value::MakeObject({{"holderIdentity", name},
                                               {"leaseDurationSeconds", 40},
                                               {"renewTime", MicroTimeOf(scene.now)}})}}));
    return plan.Again(kRenewal);
  }
  const WallTime renewed = TimeAt(*lease, "/spec/renewTime").value_or(WallTime());
  if (scene.now < renewed + kRenewal && renewed <= scene.now) {
    return plan.AgainAt(renewed + kRenewal);
  }
  json::Value next = *lease;
  next.Ensure("spec", "renewTime") = MicroTimeOf(scene.now);
  plan.Update(Kind::kLease, std::move(next));
  plan.Again(kRenewal);
}

// Writes the conditions that a living kubelet reports, if they are old or somebody else's.
void Report(const Scene& scene, const json::Value& node, Plan& plan) {
  const json::Value& ready = ConditionOf(node, "Ready");
  const auto beat = TimeAt(ready, "/lastHeartbeatTime");
  if (ready["status"].StringOrEmpty() == "True" && beat && scene.now < *beat + kHeartbeat) return;
  json::Value status = node["status"];
  const json::Value fresh = KubeletConditions(scene.now);
  for (const json::Value& condition : fresh.items()) {
    SetCondition(status,
                 {.type = condition["type"].StringOrEmpty(),
                  .reason = condition["reason"].StringOrEmpty(),
                  .message = condition["message"].StringOrEmpty(),
                  .status = condition["status"].StringOrEmpty()},
                 scene.now);
  }
  for (json::Value& condition : status.Ensure("conditions").EnsureArray()) {
    condition.Set("lastHeartbeatTime", FormatTime(scene.now));
  }
  plan.UpdateStatus(Kind::kNode, node, std::move(status));
}

}  // namespace

void NodeKeeper::Sync(const Scene& scene, const std::string& name, Plan& plan) {
  const auto found = nodes_.all().find(name);
  if (found == nodes_.all().end()) return;
  std::optional<Duration> next;
  const Duration since = scene.now - scene.start;
  const NodeLife life = LifeOf(*found->second.group, since, next);
  if (next) plan.Again(*next - since);
  const json::Value* node = scene.cluster.Find(Kind::kNode, name);
  if (life == NodeLife::kGone && left_.insert(name).second && node != nullptr) {
    plan.Delete(Kind::kNode, *node);
  }
  if (life != NodeLife::kAlive) return;
  if (registered_.insert(name).second && node == nullptr) {
    plan.Create(Kind::kNode, NewNode(name, found->second, scene.now));
    return plan.Again(Duration::zero());
  }
  if (node == nullptr) return;
  Report(scene, *node, plan);
  RenewLease(scene, name, *node, plan);
}

}  // namespace kinformer::apiserver::workloads
