#include "apiserver/write/background/lifecycle.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/builtin/plugin_names.h"
#include "apiserver/registry/custom_object.h"
#include "apiserver/registry/defined_resource.h"
#include "apiserver/registry/definition_facts.h"
#include "apiserver/registry/object_rules.h"
#include "base/core/deadline.h"
#include "base/core/seconds.h"

namespace kinformer::apiserver {
namespace {

WriteTarget TargetOf(const ResourceAt& at, std::string_view namespace_, std::string_view name) {
  return {.at = at, .namespace_ = std::string(namespace_), .name = std::string(name)};
}

const std::string& GroupOf(const json::Value& definition) {
  return definition["spec"]["group"].StringOrEmpty();
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
  if (!state.options.admission_controllers) return;
  if (IsPluginOn(state.options, "ResourceQuota")) {
    quotas_ = std::make_unique<ResourceQuotaController>(state, writer);
    writer.AddObserver(*quotas_);
  }
  if (IsPluginOn(state.options, "ServiceAccount")) {
    accounts_ = std::make_unique<ServiceAccountController>(state, writer);
    writer.AddObserver(*accounts_);
  }
}

void Lifecycle::AfterPut(const ObjectPut& put) {
  const auto& [at, old, stored, object, defined, reshaped] = put;
  const ServedResource& resource = *at.resource;
  if (IsDefinition(resource)) return AfterPutDefinition(put);
  if (object.At("/metadata/deletionTimestamp").is_null()) return;
  if (resource.Is("", "namespaces")) {
    if (!state_.options.namespace_finalization) return;
    namespaces_.Sync(std::string(stored->name()));
  } else if (resource.Is("", "pods") && state_.options.simulate_workloads == nullptr) {
    // Else the pod's kubelet removes it.
    const std::int64_t grace =
        object.At("/metadata/deletionGracePeriodSeconds").AsInt64().value_or(0);
    if (grace > 0) EndGracePeriod(at, stored, grace);
  }
}

void Lifecycle::AfterPutDefinition(const ObjectPut& put) {
  const std::string name(put.stored->name());
  Definition& known = definitions_[name];
  const std::shared_ptr<const DefinedResource> before = known.defined;
  if (put.defined != nullptr) {
    known.defined = put.defined;
    known.reshaped = put.reshaped;
  } else if (known.stored != put.old) {
    // The previous one was restored.
    const json::Value definition = put.stored->Parse();
    known.defined = DefinedResource::Make(definition["spec"]);
  }
  known.stored = put.stored;
  known.outline = put.stored->Outline(kDefinitionOutline);
  const bool terminating = put.stored->terminating();
  if (!terminating) EstablishDefinition(put.at, name);
  if (before != nullptr && before != known.defined) Discard(before, put.stored->body().size());
  if (!terminating || put.old->terminating()) return;
  if (const auto custom = ResourceOf(name)) custom->terminating = true;
  state_.Post([this, name] { SweepDefinition(name); });
}

void Lifecycle::ReplaceDefinitions() {
  const ResourceAt definitions =
      state_.resources.Find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const std::map<std::string, Definition> before = std::exchange(definitions_, {});
  sweeps_.clear();
  std::set<std::shared_ptr<ServedResource>> served;
  const auto replace = [&](const StoredObjectPtr& stored) {
    const std::string name(stored->name());
    Definition& known = definitions_[name];
    known.stored = stored;
    known.outline = stored->Outline(kDefinitionOutline);
    known.accepted_names = std::as_const(known.outline)["status"]["acceptedNames"];
    const auto old = before.find(name);
    known.defined = old != before.end() && old->second.stored->body() == stored->body()
                        ? old->second.defined
                        : DefinedResource::Make(stored->Parse()["spec"]);
    const bool serves = stored->terminating() ? HasCondition(known.outline, "Established")
                                              : IsServing(known.outline);
    if (!serves) return true;
    (void)state_.resources.Install(known.defined, known.accepted_names);
    if (const auto resource = ResourceOf(name)) {
      resource->terminating = stored->terminating();
      served.insert(resource);
    }
    return true;
  };
  definitions.resource->store->Walk({}, {}, state_.resource_version, replace);
  const std::vector<std::shared_ptr<ServedResource>> all = state_.resources.all();
  for (const auto& resource : all) {
    if (resource->custom && !served.contains(resource)) state_.resources.Uninstall(resource);
  }
}

void Lifecycle::AfterReplace() {
  if (state_.options.namespace_finalization) namespaces_.AfterReplace();
  const ResourceAt pods = state_.resources.Find("", "v1", "pods");
  pods.resource->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
    if (!stored->terminating()) return true;
    const json::Value outline = stored->Outline();
    const std::int64_t grace =
        outline.At("/metadata/deletionGracePeriodSeconds").AsInt64().value_or(0);
    if (grace > 0) EndGracePeriod(pods, stored, grace);
    return true;
  });
  for (const auto& [name, known] : definitions_) {
    if (!known.stored->terminating()) continue;
    state_.Post([this, deleted = name] { SweepDefinition(deleted); });
  }
}

void Lifecycle::EndGracePeriod(const ResourceAt& at, const StoredObjectPtr& pod,
                               std::int64_t seconds) {
  state_.deadlines.Add(
      internal::base::After(state_.env.Now(), internal::base::SaturatedSeconds(seconds)),
      [this, target = TargetOf(at, pod->namespace_(), pod->name()), uid = std::string(pod->uid())] {
        if (!state_.acts()) return;
        // It may be gone, or another pod may have its name.
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
  if (auto gone = ResourceOf(name)) {
    gone->watchers->Close();
    gone->DropConverted();
    if (state_.keeper != nullptr) state_.keeper->Drop(*gone);
    state_.resources.Uninstall(gone);
    const std::size_t bytes = gone->store->bytes();
    Discard(std::move(gone), bytes);
  }
  const auto known = definitions_.find(name);
  if (known == definitions_.end()) return;
  const std::size_t bytes = known->second.stored->body().size();
  Discard(std::move(known->second.defined), bytes);
  const std::string group = GroupOf(known->second.outline);
  definitions_.erase(known);
  RetryNames(group);
}

void Lifecycle::Discard(std::shared_ptr<const void> garbage, std::size_t bytes) {
  // Others refer to it until this turn ends.
  state_.Post([this, garbage = std::move(garbage), bytes]() mutable {
    if (state_.discard) state_.discard(std::move(garbage), bytes);
  });
}

std::shared_ptr<ServedResource> Lifecycle::ResourceOf(const std::string& name) const {
  const std::size_t dot = name.find('.');
  auto resource = state_.resources.FindGroupResource(name.substr(dot + 1), name.substr(0, dot));
  return resource != nullptr && resource->custom ? resource : nullptr;
}

TakenNames Lifecycle::NamesTaken(const std::string& group, const std::string& name) const {
  TakenNames taken;
  for (const auto& [other, definition] : definitions_) {
    if (other != name && GroupOf(definition.outline) == group) taken.Add(definition.accepted_names);
  }
  for (const auto& resource : state_.resources.all()) {
    if (resource->group != group || resource->custom) continue;
    taken.resources.insert({resource->plural, resource->singular});
    taken.resources.insert(resource->short_names.begin(), resource->short_names.end());
    taken.kinds.insert({resource->kind, resource->list_kind});
  }
  return taken;
}

void Lifecycle::EstablishDefinition(const ResourceAt& at, const std::string& name) {
  Definition& known = definitions_[name];
  const std::string group = GroupOf(known.outline);
  const TakenNames taken = NamesTaken(group, name);
  const std::string now = FormatTime(state_.env.WallNow());
  json::Value wanted = known.outline;
  SetDefinitionStatus(wanted, taken, now);
  const bool free_names =
      wanted["status"]["acceptedNames"] != known.outline["status"]["acceptedNames"];
  known.accepted_names = wanted["status"]["acceptedNames"];
  if (wanted["status"] != known.outline["status"]) {
    // This write calls EstablishDefinition again, which then serves the resource.
    Amend(TargetOf(at, "", name),
          [&](json::Value& definition) { SetDefinitionStatus(definition, taken, now); });
    if (free_names) RetryNames(group);
    return;
  }
  if (IsServing(known.outline)) Serve(name);
}

void Lifecycle::Serve(const std::string& name) {
  Definition& known = definitions_[name];
  const bool is_new = ResourceOf(name) == nullptr;
  std::shared_ptr<ReshapedObjects> reshaped = std::exchange(known.reshaped, nullptr);
  const auto resource = state_.resources.Install(known.defined, known.accepted_names);
  if (resource == nullptr) return;
  // An earlier resource may have had this name; its history is unknown here.
  if (is_new) resource->store->Compact(state_.resource_version);
  if (auto before = ReshapeObjects(*resource, std::move(reshaped), state_.resource_version,
                                   state_.resources.limits(), state_.env.Now())) {
    if (state_.keeper != nullptr) state_.keeper->Reshaped(*resource);
    const std::size_t bytes = before->bytes();
    Discard(std::move(before), bytes);
  }
  // Earlier events may differ from what watches would be sent now.
  resource->watchers->Close();
  resource->DropConverted();
}

void Lifecycle::RetryNames(const std::string& group) {
  const ResourceAt definitions =
      state_.resources.Find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  std::vector<std::string> retried;  // writes may add and remove definitions
  for (const auto& [name, known] : definitions_) {
    if (GroupOf(known.outline) != group || HasCondition(known.outline, "NamesAccepted")) continue;
    retried.push_back(name);
  }
  for (const std::string& name : retried) {
    // It is not there if an earlier state was restored.
    if (definitions.resource->store->Get(name) != nullptr) EstablishDefinition(definitions, name);
  }
}

void Lifecycle::Amend(const WriteTarget& target, const ObjectWriter::OutlineChange& change) {
  (void)writer_.ModifyOutline(target, change, kDefinitionOutline).ok();
}

void Lifecycle::SweepDefinition(const std::string& name) {
  if (!state_.acts()) return;
  const ResourceAt definitions =
      state_.resources.Find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const StoredObjectPtr deleted = definitions.resource->store->Get(name);
  // A client may have taken the finalizer away, and made another one of that name.
  if (deleted == nullptr || !deleted->terminating()) {
    sweeps_.erase(name);
    return;
  }
  const auto mark = [&](DeletionStep step) {
    Amend(TargetOf(definitions, "", name), [&](json::Value& definition) {
      SetTerminating(definition, step, FormatTime(state_.env.WallNow()));
      if (step != DeletionStep::kCompleted) return;
      json::Array& finalizers = definition.Ensure("metadata", "finalizers").EnsureArray();
      std::erase(finalizers, json::Value(kDefinitionFinalizer));
    });
  };
  const auto resource = ResourceOf(name);
  if (resource != nullptr && resource->store->size() > 0) {
    const auto [sweep, begins] = sweeps_.try_emplace(name);
    if (begins) mark(DeletionStep::kInProgress);
    const ResourceAt at{.resource = resource, .version = resource->versions.front()};
    const bool all = sweep->second.Run(
        *resource->store, state_.resource_version, internal::base::WorkSlice(state_.env),
        // Objects being deleted already wait for finalizers or for their grace period.
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
