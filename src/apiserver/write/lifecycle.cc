#include "apiserver/write/lifecycle.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "apiserver/registry/custom_object.h"
#include "apiserver/registry/object_rules.h"

namespace kinformer::apiserver {
namespace {

// How many objects one loop turn deletes.
constexpr std::size_t kSlice = 500;

WriteTarget TargetOf(const ResourceAt& at, std::string_view namespace_, std::string_view name) {
  return {.at = at, .namespace_ = std::string(namespace_), .name = std::string(name)};
}

std::vector<StoredObjectPtr> FirstIn(const ServedResource& resource, const std::string& prefix,
                                     std::int64_t version, std::size_t count) {
  std::vector<StoredObjectPtr> objects;
  resource.store->Walk(prefix, {}, version, [&](const StoredObjectPtr& stored) {
    // Those already on their way out wait for somebody else.
    if (!stored->terminating()) objects.push_back(stored);
    return objects.size() < count;
  });
  return objects;
}

}  // namespace

Lifecycle::Lifecycle(ServerState& state, ObjectWriter& writer)
    : state_(state), writer_(writer), collector_(state, writer), event_expiry_(state, writer) {
  if (state.options.garbage_collection) writer.AddObserver(collector_);
  writer.AddObserver(event_expiry_);
  writer.AddObserver(*this);
}

void Lifecycle::AfterPut(const ResourceAt& at, const StoredObjectPtr& old,
                         const StoredObjectPtr& stored, const json::Value& object) {
  const ServedResource& resource = *at.resource;
  if (IsDefinition(resource)) return AfterPutDefinition(at, old, stored, object);
  if (object.At("/metadata/deletionTimestamp").is_null()) return;
  if (resource.Is("", "namespaces")) {
    if (!state_.options.namespace_finalization) return;
    state_.Post([this, name = std::string(stored->name())] { SweepNamespace(name); });
  } else if (resource.Is("", "pods")) {
    const std::int64_t grace =
        object.At("/metadata/deletionGracePeriodSeconds").AsInt64().value_or(0);
    if (grace > 0) EndGracePeriod(at, stored, grace);
  }
}

void Lifecycle::AfterPutDefinition(const ResourceAt& at, const StoredObjectPtr& old,
                                   const StoredObjectPtr& stored, const json::Value& definition) {
  if (definition.At("/metadata/deletionTimestamp").is_null()) {
    EstablishDefinition(at, stored, definition);
    return;
  }
  if (old != nullptr && old->terminating()) return;
  const std::string name(stored->name());
  if (const auto custom = ResourceOf(name)) custom->terminating = true;
  state_.Post([this, name] { SweepDefinition(name); });
}

void Lifecycle::EndGracePeriod(const ResourceAt& at, const StoredObjectPtr& pod,
                               std::int64_t seconds) {
  state_.deadlines.Add(
      state_.env.Now() + std::chrono::seconds(seconds),
      [this, target = TargetOf(at, pod->namespace_(), pod->name()), uid = std::string(pod->uid())] {
        // Gone already, or another pod of that name.
        (void)writer_.Delete(target, {.grace_period_seconds = 0, .uid = uid}).ok();
      });
}

void Lifecycle::AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) {
  ServedResource& resource = *at.resource;
  if (IsDefinition(resource)) return AfterRemoveDefinition(std::string(old->name()));
  if (resource.terminating && resource.store->size() == 0) {
    state_.Post([this, name = resource.plural + "." + resource.group] { SweepDefinition(name); });
  }
  if (!resource.namespaced || !state_.options.namespace_finalization) return;
  const auto namespaces = state_.resources.FindGroupResource("", "namespaces");
  const StoredObjectPtr ns =
      namespaces == nullptr ? nullptr : namespaces->store->Get(old->namespace_());
  if (ns != nullptr && ns->terminating() && resource.store->size(old->namespace_()) == 0) {
    state_.Post([this, name = std::string(ns->name())] { SweepNamespace(name); });
  }
}

void Lifecycle::AfterRemoveDefinition(const std::string& name) {
  if (const auto gone = ResourceOf(name)) {
    gone->watchers->Close();
    state_.resources.Uninstall(gone);
  }
  const std::string group = name.substr(name.find('.') + 1);
  if (accepted_names_.erase({group, name}) > 0) RetryNames(group);
}

std::shared_ptr<ServedResource> Lifecycle::ResourceOf(const std::string& name) const {
  const std::size_t dot = name.find('.');
  auto resource = state_.resources.FindGroupResource(name.substr(dot + 1), name.substr(0, dot));
  return resource != nullptr && resource->custom ? resource : nullptr;
}

void Lifecycle::SweepNamespace(const std::string& name) {
  const ResourceAt namespaces = state_.resources.Find("", "v1", "namespaces");
  if (!namespaces || namespaces.resource->store->Get(name) == nullptr) return;
  bool empty = true;
  std::size_t budget = kSlice;
  const std::vector<std::shared_ptr<ServedResource>> all = state_.resources.all();
  for (const auto& resource : all) {
    if (!resource->namespaced || resource->stored != nullptr || resource->store->size(name) == 0) {
      continue;
    }
    const ResourceAt at{.resource = resource, .version = resource->versions.front()};
    for (const StoredObjectPtr& stored :
         FirstIn(*resource, NamespacePrefix(name), state_.resource_version, budget)) {
      (void)writer_
          .Delete(TargetOf(at, name, stored->name()),
                  {.grace_period_seconds = 0, .propagation = "Background"})
          .ok();
      if (--budget == 0) break;
    }
    if (resource->store->size(name) > 0) empty = false;
    if (budget == 0) {
      state_.Post([this, name] { SweepNamespace(name); });
      return;
    }
  }
  if (!empty) {
    ReportRemaining(namespaces, name);
    return;  // the last finalizer to be removed comes back here
  }
  WriteTarget target = TargetOf(namespaces, "", name);
  target.subresource = "finalize";
  (void)writer_
      .Modify(target,
              [](json::Value& object) -> Result<void> {
                json::Array& finalizers = object["spec"]["finalizers"].EnsureArray();
                std::erase(finalizers, json::Value("kubernetes"));
                return {};
              })
      .ok();
}

void Lifecycle::ReportRemaining(const ResourceAt& namespaces, const std::string& name) {
  std::map<std::string, int> finalizers;
  std::string resources;
  for (const auto& resource : state_.resources.all()) {
    if (!resource->namespaced || resource->stored != nullptr || resource->store->size(name) == 0) {
      continue;
    }
    resources += (resources.empty() ? "" : ", ") + resource->plural + "." + resource->group +
                 " has " + std::to_string(resource->store->size(name)) + " resource instances";
    resource->store->Walk(
        NamespacePrefix(name), {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
          const json::Value object = stored->Parse();
          for (const json::Value& held : object.At("/metadata/finalizers").items()) {
            ++finalizers[held.StringOrEmpty()];
          }
          return true;
        });
  }
  std::string holders;
  for (const auto& [finalizer, count] : finalizers) {
    holders += (holders.empty() ? "" : ", ") + finalizer + " in " + std::to_string(count) +
               " resource instances";
  }
  const std::string now = FormatTime(state_.env.WallNow());
  const json::Value conditions = json::Value::MakeArray(
      {json::Value::MakeObject({{"type", "NamespaceContentRemaining"},
                                {"status", "True"},
                                {"lastTransitionTime", now},
                                {"reason", "SomeResourcesRemain"},
                                {"message", "Some resources are remaining: " + resources}}),
       json::Value::MakeObject(
           {{"type", "NamespaceFinalizersRemaining"},
            {"status", holders.empty() ? "False" : "True"},
            {"lastTransitionTime", now},
            {"reason", holders.empty() ? "ContentHasNoFinalizers" : "SomeFinalizersRemain"},
            {"message",
             "Some content in the namespace has finalizers "
             "remaining: " +
                 holders}})});
  WriteTarget target = TargetOf(namespaces, "", name);
  target.subresource = "status";
  (void)writer_
      .Modify(target,
              [&](json::Value& object) -> Result<void> {
                // Each write comes back here; what says the same is not written again.
                const json::Value& before = std::as_const(object).At("/status/conditions");
                if (before[0]["message"] == conditions[0]["message"] &&
                    before[1]["message"] == conditions[1]["message"]) {
                  return {};
                }
                object["status"].Set("conditions", conditions);
                return {};
              })
      .ok();
}

TakenNames Lifecycle::NamesTaken(const std::string& group, const std::string& name) const {
  TakenNames taken;
  for (auto at = accepted_names_.lower_bound({group, {}});
       at != accepted_names_.end() && at->first.first == group; ++at) {
    if (at->first.second != name) taken.Add(at->second);
  }
  for (const auto& resource : state_.resources.all()) {
    if (resource->group != group || resource->custom) continue;
    taken.resources.insert({resource->plural, resource->singular});
    taken.resources.insert(resource->short_names.begin(), resource->short_names.end());
    taken.kinds.insert({resource->kind, resource->list_kind});
  }
  return taken;
}

void Lifecycle::EstablishDefinition(const ResourceAt& at, const StoredObjectPtr& stored,
                                    const json::Value& definition) {
  const std::string name(stored->name());
  const std::string& group = definition.At("/spec/group").StringOrEmpty();
  const TakenNames taken = NamesTaken(group, name);
  const std::string now = FormatTime(state_.env.WallNow());
  json::Value wanted = definition;
  SetDefinitionStatus(wanted, taken, now);
  const bool free_names =
      wanted["status"]["acceptedNames"] != definition["status"]["acceptedNames"];
  accepted_names_.insert_or_assign({group, name}, wanted["status"]["acceptedNames"]);
  if (wanted["status"] != definition["status"]) {
    WriteTarget target = TargetOf(at, "", name);
    target.subresource = "status";
    (void)writer_
        .Modify(target,
                [&](json::Value& object) -> Result<void> {
                  SetDefinitionStatus(object, taken, now);
                  return {};
                })
        .ok();  // that write comes back here, with nothing left to do but to serve it
    if (free_names) RetryNames(group);
    return;
  }
  if (IsServing(definition)) Serve(definition);
}

void Lifecycle::Serve(const json::Value& definition) {
  const auto resource = state_.resources.Install(definition);
  if (resource == nullptr) return;
  (void)ReshapeObjects(*resource, state_.resource_version, state_.resources.limits(),
                       state_.env.Now());
  // What watchers have been told may not be what they would be told now.
  resource->watchers->Close();
}

void Lifecycle::RetryNames(const std::string& group) {
  const ResourceAt definitions =
      state_.resources.Find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  if (!definitions) return;
  std::vector<std::string> names;
  for (auto at = accepted_names_.lower_bound({group, {}});
       at != accepted_names_.end() && at->first.first == group; ++at) {
    names.push_back(at->first.second);
  }
  for (const std::string& name : names) {
    const StoredObjectPtr stored = definitions.resource->store->Get(name);
    if (stored == nullptr) continue;
    const json::Value definition = stored->Parse();
    if (!HasCondition(definition, "NamesAccepted")) {
      EstablishDefinition(definitions, stored, definition);
    }
  }
}

void Lifecycle::SweepDefinition(const std::string& name) {
  const ResourceAt definitions =
      state_.resources.Find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  if (!definitions || definitions.resource->store->Get(name) == nullptr) return;
  const auto mark = [&](DeletionStep step) {
    WriteTarget target = TargetOf(definitions, "", name);
    target.keep_status = true;
    (void)writer_
        .Modify(target,
                [&](json::Value& object) -> Result<void> {
                  SetTerminating(object, step, FormatTime(state_.env.WallNow()));
                  if (step != DeletionStep::kCompleted) return {};
                  json::Array& finalizers = object["metadata"]["finalizers"].EnsureArray();
                  std::erase(finalizers, json::Value(kDefinitionFinalizer));
                  return {};
                })
        .ok();
  };
  const auto resource = ResourceOf(name);
  if (resource != nullptr && resource->store->size() > 0) {
    mark(DeletionStep::kInProgress);
    const ResourceAt at{.resource = resource, .version = resource->versions.front()};
    const auto objects = FirstIn(*resource, {}, state_.resource_version, kSlice);
    for (const StoredObjectPtr& stored : objects) {
      (void)writer_.Delete(TargetOf(at, stored->namespace_(), stored->name()), {}).ok();
    }
    if (objects.size() == kSlice) {
      state_.Post([this, name] { SweepDefinition(name); });
      return;
    }
    if (resource->store->size() > 0) return;
  }
  mark(DeletionStep::kCompleted);
}

}  // namespace kinformer::apiserver
