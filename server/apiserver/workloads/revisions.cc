#include "apiserver/workloads/revisions.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "apiserver/workloads/object_parts.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr const char* kHash = "controller.kubernetes.io/hash";
constexpr const char* kPodHash = "controller-revision-hash";

}  // namespace

Revisions RevisionsOf(const Scene& scene, Kind kind, const json::Value& owner, Plan& plan) {
  const json::Value& pod_template = owner["spec"]["template"];
  Revisions out{.hash = HashOf(pod_template)};
  out.name = NameOf(owner) + "-" + out.hash;
  out.known = scene.cluster.OwnedBy(Kind::kRevision, UidOf(owner));
  std::stable_sort(out.known.begin(), out.known.end(),
                   [](const json::Value* a, const json::Value* b) {
                     return Number(*a, "/revision") < Number(*b, "/revision");
                   });
  const std::int64_t newest = out.known.empty() ? 0 : Number(*out.known.back(), "/revision");
  for (const json::Value* revision : out.known) {
    if (NameOf(*revision) != out.name) continue;
    if (Number(*revision, "/revision") < newest && !IsTerminating(owner)) {
      json::Value again = *revision;
      again.Set("revision", newest + 1);
      plan.Update(Kind::kRevision, std::move(again));
    }
    return out;
  }
  if (IsTerminating(owner)) return out;
  json::Value labels = pod_template["metadata"]["labels"];
  if (labels.is_null()) labels = json::Value::MakeObject();
  labels.Set(kHash, out.hash);
  json::Value data = pod_template;
  data.Set("$patch", "replace");
  plan.Create(
      Kind::kRevision,
      json::Value::MakeObject(
          {{"metadata", json::Value::MakeObject({{"name", out.name},
                                                 {"namespace", NamespaceOf(owner)},
                                                 {"labels", std::move(labels)},
                                                 {"ownerReferences", OwnersOf(kind, owner)}})},
           {"data", json::Value::MakeObject(
                        {{"spec", json::Value::MakeObject({{"template", std::move(data)}})}})},
           {"revision", newest + 1}}));
  return out;
}

const json::Value& TemplateOf(const Revisions& revisions, const std::string& name,
                              const json::Value& owner) {
  for (const json::Value* revision : revisions.known) {
    if (NameOf(*revision) == name && name != revisions.name) {
      return revision->At("/data/spec/template");
    }
  }
  return owner["spec"]["template"];
}

void ForgetRevisions(const Revisions& revisions, const json::Value& owner, const Objects& pods,
                     const std::string& current, Plan& plan) {
  std::set<std::string> used = {revisions.name, revisions.hash, current};
  for (const json::Value* pod : pods) used.insert(Label(*pod, kPodHash));
  Objects unused;
  for (const json::Value* revision : revisions.known) {
    if (used.count(NameOf(*revision)) + used.count(Label(*revision, kHash)) == 0) {
      unused.push_back(revision);
    }
  }
  const auto kept = static_cast<std::size_t>(
      std::max<std::int64_t>(Number(owner, "/spec/revisionHistoryLimit", 10), 0));
  for (std::size_t i = 0; i + kept < unused.size(); ++i) plan.Delete(Kind::kRevision, *unused[i]);
}

}  // namespace kinformer::apiserver::workloads
