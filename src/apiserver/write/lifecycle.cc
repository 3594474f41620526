#include "apiserver/write/lifecycle.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "apiserver/registry/custom_object.h"
#include "apiserver/registry/object_rules.h"

namespace kinformer::apiserver {
namespace {

WriteTarget TargetOf(const ResourceAt& at, std::string_view namespace_, std::string_view name) {
  return {.at = at, .namespace_ = std::string(namespace_), .name = std::string(name)};
}

}  // namespace

Lifecycle::Lifecycle(ServerState& state, ObjectWriter& writer)
    : state_(state),
      writer_(writer),
      collector_(state, writer),
      event_expiry_(state, writer),
      namespaces_(state, writer) {
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
    namespaces_.Sync(std::string(stored->name()));
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
    namespaces_.Sync(std::string(ns->name()));
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
  if (!definitions || definitions.resource->store->Get(name) == nullptr) {
    sweeps_.erase(name);
    return;
  }
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
    const auto [sweep, begins] = sweeps_.try_emplace(name);
    if (begins) mark(DeletionStep::kInProgress);
    const ResourceAt at{.resource = resource, .version = resource->versions.front()};
    const bool all = sweep->second.Run(
        *resource->store, state_.resource_version, internal::base::WorkSlice(state_.env),
        // Those already on their way out wait for somebody else.
        [](const StoredObject& stored) { return !stored.terminating(); },
        [&](const StoredObject& stored) {
          (void)writer_.Delete(TargetOf(at, stored.namespace_(), stored.name()), {}).ok();
          return true;
        });
    if (!all) return state_.Post([this, name] { SweepDefinition(name); });
    sweeps_.erase(name);
    if (resource->store->size() > 0) return;
  }
  mark(DeletionStep::kCompleted);
}

}  // namespace kinformer::apiserver
