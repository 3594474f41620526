#include "apiserver/write/background/namespace_controller.h"

#include <utility>

#include "apiserver/registry/object_rules.h"

namespace kinformer::apiserver {
namespace {

json::Value Condition(const char* type, bool status, std::string_view now, const char* reason,
                      std::string message) {
  return json::Value::MakeObject({{"type", type},
                                  {"status", status ? "True" : "False"},
                                  {"lastTransitionTime", now},
                                  {"reason", reason},
                                  {"message", std::move(message)}});
}

bool HasObjectsIn(const ServedResource& resource, const std::string& name) {
  return resource.namespaced && resource.stored == nullptr && resource.store->size(name) > 0;
}

}  // namespace

void NamespaceController::Sync(const std::string& name) {
  const auto [found, fresh] = progress_.try_emplace(name);
  if (!fresh) {
    found->second.again = true;
    return;
  }
  Post(name);
}

void NamespaceController::AfterReplace() {
  // Turns that were posted find no progress, and begin anew.
  progress_.clear();
  const auto namespaces = state_.resources.FindGroupResource("", "namespaces");
  namespaces->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
    if (stored->terminating()) Sync(std::string(stored->name()));
    return true;
  });
}

void NamespaceController::Post(const std::string& name) {
  state_.Post([this, name] { Turn(name); });
}

void NamespaceController::Begin(const std::string& name, Progress& progress) const {
  for (const auto& resource : state_.resources.all()) {
    if (!HasObjectsIn(*resource, name)) continue;
    progress.parts.push_back({.resource = resource, .sweep = ObjectSweep(NamespacePrefix(name))});
  }
}

void NamespaceController::Turn(const std::string& name) {
  const StoredObjectPtr stored =
      state_.resources.FindGroupResource("", "namespaces")->store->Get(name);
  // A client may have finalized it, and made another one of that name; another server may do this.
  if (stored == nullptr || !stored->terminating() || !state_.acts()) {
    progress_.erase(name);
    return;
  }
  Progress& progress = progress_[name];
  if (progress.parts.empty()) Begin(name, progress);
  if (!Work(name, progress)) return Post(name);
  if (!progress.counting && !IsEmpty(name)) {
    progress.counting = true;
    return Post(name);
  }
  const Progress done = std::move(progress);
  progress_.erase(name);
  if (IsEmpty(name)) return Finalize(name);
  Report(name, done.finalizers);  // the removal of the last finalizer triggers the next Sync
  if (done.again) Sync(name);
}

bool NamespaceController::Work(const std::string& name, Progress& progress) {
  const internal::base::WorkSlice turn(state_.env);
  for (; !progress.parts.empty(); progress.parts.pop_front()) {
    const auto& resource = progress.parts.front().resource;
    const ResourceAt at{.resource = resource, .version = resource->versions.front()};
    const bool all = progress.parts.front().sweep.Run(
        *resource->store, state_.resource_version, turn,
        // Objects being deleted already wait for finalizers or for their grace period.
        [&](const StoredObject& stored) { return progress.counting || !stored.terminating(); },
        [&](const StoredObject& stored) {
          if (progress.counting) {
            const json::Value outline = stored.Outline();
            for (const json::Value& held : outline["metadata"]["finalizers"].items()) {
              ++progress.finalizers[held.StringOrEmpty()];
            }
            return true;
          }
          (void)writer_
              .Delete({.at = at, .namespace_ = name, .name = std::string(stored.name())},
                      {.propagation = "Background"})
              .ok();
          return true;
        });
    if (!all) return false;
  }
  return true;
}

bool NamespaceController::IsEmpty(const std::string& name) const {
  for (const auto& resource : state_.resources.all()) {
    if (HasObjectsIn(*resource, name)) return false;
  }
  return true;
}

void NamespaceController::Modify(const std::string& name,
                                 const ObjectWriter::OutlineChange& change) {
  (void)writer_
      .ModifyOutline({.at = state_.resources.Find("", "v1", "namespaces"), .name = name}, change)
      .ok();
}

void NamespaceController::Finalize(const std::string& name) {
  Modify(name, [](json::Value& outline) {
    json::Value& spec = outline.Ensure("spec");
    json::Array& finalizers = spec.Ensure("finalizers").EnsureArray();
    std::erase(finalizers, json::Value("kubernetes"));
    if (finalizers.empty()) spec.Erase("finalizers");
  });
}

void NamespaceController::Report(const std::string& name,
                                 const std::map<std::string, int>& finalizers) {
  std::string resources;
  for (const auto& resource : state_.resources.all()) {
    if (!HasObjectsIn(*resource, name)) continue;
    resources += (resources.empty() ? "" : ", ") + resource->plural + "." + resource->group +
                 " has " + std::to_string(resource->store->size(name)) + " resource instances";
  }
  std::string holders;
  for (const auto& [finalizer, count] : finalizers) {
    holders += (holders.empty() ? "" : ", ") + finalizer + " in " + std::to_string(count) +
               " resource instances";
  }
  const std::string now = FormatTime(state_.env.WallNow());
  const json::Value conditions = json::Value::MakeArray(
      {Condition("NamespaceContentRemaining", true, now, "SomeResourcesRemain",
                 "Some resources are remaining: " + resources),
       holders.empty()
           ? Condition("NamespaceFinalizersRemaining", false, now, "ContentHasNoFinalizers",
                       "All content-preserving finalizers finished")
           : Condition("NamespaceFinalizersRemaining", true, now, "SomeFinalizersRemain",
                       "Some content in the namespace has finalizers remaining: " + holders)});
  Modify(name, [&](json::Value& outline) {
    // Each write triggers Sync again, so an equal condition is not written.
    const json::Value& before = std::as_const(outline).At("/status/conditions");
    if (before[0]["message"] == conditions[0]["message"] &&
        before[1]["message"] == conditions[1]["message"]) {
      return;
    }
    outline.Ensure("status").Set("conditions", conditions);
  });
}

}  // namespace kinformer::apiserver
