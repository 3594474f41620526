#include "apiserver/workloads/stateful_set.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/workloads/claim.h"
#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"
#include "apiserver/workloads/revisions.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr const char* kComponent = "statefulset-controller";
// Most pods made in one step.
constexpr int kBurst = 500;
constexpr const char* kRevisionLabel = "controller-revision-hash";

std::string ClaimName(const json::Value& claim_template, const std::string& pod) {
  return NameOf(claim_template) + "-" + pod;
}

// One call of the controller.
class StatefulSetRound {
 public:
  StatefulSetRound(const Scene& scene, const json::Value& set, Plan& plan)
      : scene_(scene), set_(set), plan_(plan) {
    revisions_ = RevisionsOf(scene, Kind::kStatefulSet, set, plan);
    const std::string& current = Text(set, "/status/currentRevision");
    current_ = current.empty() ? revisions_.name : current;
    claimed_ = Claim(scene, Kind::kStatefulSet, set, Kind::kPod, plan);
    first_ = Number(set, "/spec/ordinals/start");
    end_ = first_ + std::max<std::int64_t>(Number(set, "/spec/replicas", 1), 0);
    ordered_ = Text(set, "/spec/podManagementPolicy") != "Parallel";
    const std::string prefix = NameOf(set) + "-";
    for (const json::Value* pod : claimed_) {
      if (!NameOf(*pod).starts_with(prefix)) continue;
      const auto ordinal =
          internal::base::NumberIn(std::string_view(NameOf(*pod)).substr(prefix.size()));
      if (ordinal && *ordinal >= 0) pods_[*ordinal] = pod;
    }
  }

  void Run() {
    if (!IsTerminating(set_) && Grow() && Shrink()) Update();
    Report();
    ForgetRevisions(revisions_, set_, claimed_, current_, plan_);
  }

 private:
  [[nodiscard]] const json::Value* At(std::int64_t ordinal) const {
    const auto found = pods_.find(ordinal);
    return found == pods_.end() ? nullptr : found->second;
  }
  [[nodiscard]] bool IsHealthy(const json::Value& pod) const {
    return IsPodReady(pod) && !IsTerminating(pod);
  }
  [[nodiscard]] bool IsAvailable(const json::Value& pod) {
    std::optional<Duration> again;
    const bool available =
        IsHealthy(pod) &&
        IsPodAvailable(pod, Number(set_, "/spec/minReadySeconds"), scene_.now, again);
    if (again) plan_.Again(*again);
    return available;
  }
  [[nodiscard]] std::int64_t Partition() const {
    return Number(set_, "/spec/updateStrategy/rollingUpdate/partition");
  }
  [[nodiscard]] bool Rolls() const { return Text(set_, "/spec/updateStrategy/type") != "OnDelete"; }

  // ---- steps; they return false if later ones have to wait

  // Makes missing pods.
  bool Grow() {
    int made = 0;
    for (std::int64_t ordinal = first_; ordinal < end_; ++ordinal) {
      const json::Value* pod = At(ordinal);
      if (pod == nullptr) {
        Create(ordinal);
        if (ordered_ || ++made == kBurst) return false;
        continue;
      }
      if (IsPodFinished(*pod) && !IsTerminating(*pod)) {
        plan_.Delete(Kind::kPod, *pod);
        if (ordered_) return false;
      }
      if (ordered_ && !IsAvailable(*pod)) return false;
    }
    return true;
  }

  // Deletes pods beyond the number of replicas, the last one first.
  bool Shrink() {
    bool all_gone = true;
    for (auto at = pods_.rbegin(); at != pods_.rend(); ++at) {
      const auto& [ordinal, pod] = *at;
      if (ordinal >= first_ && ordinal < end_) continue;
      all_gone = false;
      if (!IsTerminating(*pod)) Remove(*pod);
      if (ordered_) return false;
    }
    return all_gone;
  }

  // Replaces pods of other revisions.
  void Update() {
    if (!Rolls()) return;
    for (std::int64_t ordinal = end_ - 1; ordinal >= first_ + Partition(); --ordinal) {
      const json::Value* pod = At(ordinal);
      if (pod == nullptr) return;
      if (Label(*pod, kRevisionLabel) != revisions_.name && !IsTerminating(*pod)) {
        return Remove(*pod);
      }
      if (!IsAvailable(*pod)) return;
    }
  }

  void Remove(const json::Value& pod) {
    const std::string text = "delete Pod " + NameOf(pod) + " in StatefulSet " + NameOf(set_);
    if (plan_.DeleteFor(Kind::kStatefulSet, set_, kComponent, Kind::kPod, pod,
                        text + " successful")) {
      plan_.IfRefused("FailedDelete", text + " failed error: ");
    }
  }

  void Create(std::int64_t ordinal) {
    const std::string name = NameOf(set_) + "-" + std::to_string(ordinal);
    const bool old = Rolls() ? ordinal < first_ + Partition() : false;
    const std::string& revision = old ? current_ : revisions_.name;
    json::Value pod_template = TemplateOf(revisions_, revision, set_);
    json::Value pod = PodOf(pod_template, Kind::kStatefulSet, set_);
    json::Value& metadata = pod.Ensure("metadata");
    metadata.Set("name", name);
    json::Value& labels = metadata.Ensure("labels");
    labels.Set("apps.kubernetes.io/pod-index", std::to_string(ordinal));
    labels.Set("statefulset.kubernetes.io/pod-name", name);
    labels.Set(kRevisionLabel, revision);
    json::Value& spec = pod.Ensure("spec");
    spec.Set("hostname", name);
    if (const std::string& service = Text(set_, "/spec/serviceName"); !service.empty()) {
      spec.Set("subdomain", service);
    }
    MakeClaims(name, spec);
    const std::string text = "create Pod " + name + " in StatefulSet " + NameOf(set_);
    if (plan_.CreateFor(Kind::kStatefulSet, set_, kComponent, Kind::kPod, std::move(pod),
                        text + " successful")) {
      plan_.IfRefused("FailedCreate", text + " failed error: ");
    }
  }

  // Makes the pod's claims that do not exist, and names them in its volumes.
  void MakeClaims(const std::string& pod, json::Value& spec) {
    for (const json::Value& claim_template : set_["spec"]["volumeClaimTemplates"].items()) {
      const std::string name = ClaimName(claim_template, pod);
      json::Array& volumes = spec.Ensure("volumes").EnsureArray();
      std::erase_if(volumes, [&](const json::Value& volume) {
        return volume["name"].StringOrEmpty() == NameOf(claim_template);
      });
      volumes.push_back(json::Value::MakeObject(
          {{"name", NameOf(claim_template)},
           {"persistentVolumeClaim", json::Value::MakeObject({{"claimName", name}})}}));
      if (scene_.cluster.Find(Kind::kVolumeClaim, NamespaceOf(set_), name) != nullptr) continue;
      json::Value claim = json::Value::MakeObject(
          {{"metadata", claim_template["metadata"]}, {"spec", claim_template["spec"]}});
      json::Value& metadata = claim.Ensure("metadata");
      metadata.Erase("creationTimestamp");
      metadata.Set("name", name);
      metadata.Set("namespace", NamespaceOf(set_));
      for (const auto& [key, value] : set_["spec"]["selector"]["matchLabels"].members()) {
        metadata.Ensure("labels").Set(key, value);
      }
      if (Text(set_, "/spec/persistentVolumeClaimRetentionPolicy/whenDeleted") == "Delete") {
        metadata.Set("ownerReferences", OwnersOf(Kind::kStatefulSet, set_));
      }
      plan_.Create(Kind::kVolumeClaim, std::move(claim));
    }
  }

  void Report() {
    std::int64_t ready = 0;
    std::int64_t available = 0;
    std::int64_t current = 0;
    std::int64_t updated = 0;
    for (const auto& [ordinal, pod] : pods_) {
      ready += IsPodReady(*pod);
      available += IsAvailable(*pod);
      if (IsTerminating(*pod)) continue;
      current += Label(*pod, kRevisionLabel) == current_;
      updated += Label(*pod, kRevisionLabel) == revisions_.name;
    }
    const std::int64_t wanted = end_ - first_;
    const auto there = static_cast<std::int64_t>(pods_.size());
    if (Rolls() && updated == wanted && there == wanted && ready == wanted) {
      current_ = revisions_.name;
      current = updated;
    }
    json::Value status = set_["status"];
    status.Set("observedGeneration", Number(set_, "/metadata/generation"));
    status.Set("replicas", there);
    SetCount(status, "readyReplicas", ready);
    status.Set("availableReplicas", available);
    SetCount(status, "currentReplicas", current);
    SetCount(status, "updatedReplicas", updated);
    status.Set("currentRevision", current_);
    status.Set("updateRevision", revisions_.name);
    status.Set("collisionCount", 0);
    plan_.UpdateStatus(Kind::kStatefulSet, set_, std::move(status));
  }

  const Scene& scene_;
  const json::Value& set_;
  Plan& plan_;
  Revisions revisions_;
  std::string current_;  // the revision that has been rolled out last
  Objects claimed_;
  std::map<std::int64_t, const json::Value*> pods_;  // by ordinal
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
  bool ordered_ = true;
};

}  // namespace

void SyncStatefulSet(const Scene& scene, const json::Value& stateful_set, Plan& plan) {
  StatefulSetRound(scene, stateful_set, plan).Run();
}

}  // namespace kinformer::apiserver::workloads
