#include "apiserver/workloads/volume_claim.h"

#include <algorithm>
#include <string>
#include <utility>

#include "apiserver/workloads/object_parts.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr const char* kProvisioner = "kinformer.io/simulated";
constexpr const char* kProvisionedBy = "pv.kubernetes.io/provisioned-by";
constexpr const char* kBound = "pv.kubernetes.io/bind-completed";
constexpr const char* kByController = "pv.kubernetes.io/bound-by-controller";

bool UsesClaim(const json::Value& pod, const std::string& claim) {
  const auto& volumes = pod["spec"]["volumes"].items();
  return std::any_of(volumes.begin(), volumes.end(), [&](const json::Value& volume) {
    return Text(volume, "/persistentVolumeClaim/claimName") == claim;
  });
}

bool WaitsForConsumer(const Scene& scene, const json::Value& claim) {
  const json::Value* storage_class =
      scene.cluster.Find(Kind::kStorageClass, Text(claim, "/spec/storageClassName"));
  if (storage_class == nullptr ||
      Text(*storage_class, "/volumeBindingMode") != "WaitForFirstConsumer") {
    return false;
  }
  const Objects pods = scene.cluster.In(Kind::kPod, NamespaceOf(claim));
  return std::none_of(pods.begin(), pods.end(),
                      [&](const json::Value* pod) { return UsesClaim(*pod, NameOf(claim)); });
}

json::Value ReferenceTo(const json::Value& claim) {
  return json::Value::MakeObject({{"apiVersion", "v1"},
                                  {"kind", "PersistentVolumeClaim"},
                                  {"namespace", NamespaceOf(claim)},
                                  {"name", NameOf(claim)},
                                  {"uid", UidOf(claim)}});
}

json::Value NewVolume(const Scene& scene, const json::Value& claim, const std::string& name) {
  const std::string& class_name = Text(claim, "/spec/storageClassName");
  const json::Value* storage_class = scene.cluster.Find(Kind::kStorageClass, class_name);
  std::string policy =
      storage_class == nullptr ? std::string() : Text(*storage_class, "/reclaimPolicy");
  if (policy.empty()) policy = "Delete";
  const std::string& mode = Text(claim, "/spec/volumeMode");
  json::Value spec = json::Value::MakeObject(
      {{"accessModes", claim["spec"]["accessModes"]},
       {"capacity",
        json::Value::MakeObject({{"storage", claim.At("/spec/resources/requests/storage")}})},
       {"claimRef", ReferenceTo(claim)},
       {"hostPath", json::Value::MakeObject({{"path", "/simulated/" + name}})},
       {"persistentVolumeReclaimPolicy", policy},
       {"volumeMode", mode.empty() ? "Filesystem" : mode}});
  if (!class_name.empty()) spec.Set("storageClassName", class_name);
  return json::Value::MakeObject(
      {{"metadata",
        json::Value::MakeObject(
            {{"name", name},
             {"annotations", json::Value::MakeObject({{kProvisionedBy, kProvisioner}})}})},
       {"spec", std::move(spec)},
       {"status", json::Value::MakeObject({{"phase", "Bound"}})}});
}

void Bind(const json::Value& claim, const json::Value& volume, Plan& plan) {
  json::Value bound = claim;
  bound.Ensure("spec").Set("volumeName", NameOf(volume));
  bound.Ensure("metadata", "annotations").Set(kBound, "yes");
  bound.Ensure("metadata", "annotations").Set(kByController, "yes");
  plan.Update(Kind::kVolumeClaim, bound);
  json::Value status = claim["status"];
  status.Set("phase", "Bound");
  status.Set("accessModes", volume["spec"]["accessModes"]);
  status.Set("capacity", volume["spec"]["capacity"]);
  plan.UpdateStatus(Kind::kVolumeClaim, claim, std::move(status));
}

}  // namespace

void SyncVolumeClaim(const Scene& scene, const json::Value& claim, Plan& plan) {
  if (Text(claim, "/status/phase") == "Bound" || IsTerminating(claim)) return;
  if (Text(claim, "/status/phase").empty()) {
    json::Value status = claim["status"];
    status.Set("phase", "Pending");
    plan.UpdateStatus(Kind::kVolumeClaim, claim, std::move(status));
    return plan.Again(Duration::zero());
  }
  const std::string& named = Text(claim, "/spec/volumeName");
  const json::Value* volume =
      scene.cluster.Find(Kind::kVolume, named.empty() ? "pvc-" + UidOf(claim) : named);
  if (volume == nullptr && !named.empty()) return;  // it comes later
  if (volume != nullptr) {
    if (volume->At("/spec/claimRef/uid").is_null()) {
      json::Value taken = *volume;
      taken.Ensure("spec").Set("claimRef", ReferenceTo(claim));
      plan.Update(Kind::kVolume, std::move(taken));
      json::Value status = (*volume)["status"];
      status.Set("phase", "Bound");
      plan.UpdateStatus(Kind::kVolume, *volume, std::move(status));
    } else if (Text(*volume, "/spec/claimRef/uid") != UidOf(claim)) {
      return;
    }
    return Bind(claim, *volume, plan);
  }
  if (WaitsForConsumer(scene, claim)) return;
  const WallTime ready =
      CreatedAt(claim) + scene.dice.Delay(scene.script.claim_delay, KeyOf(claim) + "/bind");
  if (scene.now < ready) return plan.AgainAt(ready);
  json::Value made = NewVolume(scene, claim, "pvc-" + UidOf(claim));
  plan.Create(Kind::kVolume, made);
  plan.Event(Kind::kVolumeClaim, claim, kProvisioner, "ProvisioningSucceeded",
             "Successfully provisioned volume " + NameOf(made));
  Bind(claim, made, plan);
}

void SyncVolume(const Scene& scene, const json::Value& volume, Plan& plan) {
  const json::Value& reference = volume["spec"]["claimRef"];
  const std::string& uid = reference["uid"].StringOrEmpty();
  if (uid.empty()) {
    if (!Text(volume, "/status/phase").empty() && Text(volume, "/status/phase") != "Pending")
      return;
    json::Value status = volume["status"];
    status.Set("phase", "Available");
    plan.UpdateStatus(Kind::kVolume, volume, std::move(status));
    return;
  }
  const json::Value* claim =
      scene.cluster.Find(Kind::kVolumeClaim, reference["namespace"].StringOrEmpty(),
                         reference["name"].StringOrEmpty());
  if (claim != nullptr && UidOf(*claim) == uid) return;
  if (Annotation(volume, kProvisionedBy) == kProvisioner &&
      Text(volume, "/spec/persistentVolumeReclaimPolicy") == "Delete") {
    return plan.Delete(Kind::kVolume, volume);
  }
  json::Value status = volume["status"];
  status.Set("phase", "Released");
  plan.UpdateStatus(Kind::kVolume, volume, std::move(status));
}

}  // namespace kinformer::apiserver::workloads
