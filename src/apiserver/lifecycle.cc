#include "apiserver/lifecycle.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "apiserver/custom_object.h"
#include "apiserver/object_rules.h"
#include "apiserver/object_writer.h"

namespace kinformer::apiserver {
namespace {

// How many objects one loop turn deletes.
constexpr std::size_t kSlice = 500;

bool IsNamespaces(const ServedResource& resource) {
  return resource.group.empty() && resource.plural == "namespaces";
}

WriteTarget TargetOf(const ResourceAt& at, std::string_view namespace_, std::string_view name) {
  return {.at = at, .namespace_ = std::string(namespace_), .name = std::string(name)};
}

std::vector<RecordPtr> FirstIn(const ServedResource& resource, const std::string& prefix,
                               std::int64_t version, std::size_t count) {
  std::vector<RecordPtr> records;
  resource.store->Walk(prefix, {}, version, [&](const RecordPtr& record) {
    // Those already on their way out wait for somebody else.
    if (!record->terminating()) records.push_back(record);
    return records.size() < count;
  });
  return records;
}

}  // namespace

void Lifecycle::AfterPut(const ResourceAt& at, const RecordPtr& old, const RecordPtr& record,
                         const json::Value& object) {
  if (state_.options.garbage_collection) collector_.AfterPut(at, old, record, object);
  event_expiry_.AfterPut(at, record);
  const bool terminating = !object.At("/metadata/deletionTimestamp").is_null();
  const ServedResource& resource = *at.resource;
  const std::string name(record->name());
  if (IsNamespaces(resource) && terminating) {
    state_.Post([this, name] { SweepNamespace(name); });
  } else if (IsDefinition(resource)) {
    if (!terminating) {
      EstablishDefinition(at, record, object);
    } else if (old == nullptr || !old->terminating()) {
      const std::size_t dot = name.find('.');
      const auto custom =
          state_.resources.FindGroupResource(name.substr(dot + 1), name.substr(0, dot));
      if (custom != nullptr && custom->custom) custom->terminating = true;
      state_.Post([this, name] { SweepDefinition(name); });
    }
  } else if (terminating && resource.group.empty() && resource.plural == "pods") {
    const std::int64_t grace =
        object.At("/metadata/deletionGracePeriodSeconds").AsInt64().value_or(0);
    if (grace > 0) {
      state_.deadlines.Add(
          state_.env.Now() + std::chrono::seconds(grace),
          [this, at, ns = std::string(record->namespace_()), name,
           uid = std::string(record->uid())] {
            (void)writer_.Delete(TargetOf(at, ns, name), {.grace_period_seconds = 0, .uid = uid})
                .ok();  // gone already, or another pod of that name
          });
    }
  }
}

void Lifecycle::AfterRemove(const ResourceAt& at, const RecordPtr& old) {
  ServedResource& resource = *at.resource;
  if (state_.options.garbage_collection) collector_.AfterRemove(at, old);
  if (IsDefinition(resource)) {
    const std::string name(old->name());
    const std::size_t dot = name.find('.');
    const auto gone = state_.resources.FindGroupResource(name.substr(dot + 1), name.substr(0, dot));
    if (gone != nullptr && gone->custom) {
      gone->watchers->Close();
      state_.resources.Uninstall(gone);
    }
    const std::string group = name.substr(dot + 1);
    if (accepted_names_.erase({group, name}) > 0) RetryNames(group);
    return;
  }
  if (resource.terminating && resource.store->size() == 0) {
    state_.Post([this, name = resource.plural + "." + resource.group] { SweepDefinition(name); });
  }
  if (!resource.namespaced) return;
  const auto namespaces = state_.resources.FindGroupResource("", "namespaces");
  const RecordPtr ns = namespaces == nullptr ? nullptr : namespaces->store->Get(old->namespace_());
  if (ns != nullptr && ns->terminating() && resource.store->size(old->namespace_()) == 0) {
    state_.Post([this, name = std::string(ns->name())] { SweepNamespace(name); });
  }
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
    for (const RecordPtr& record :
         FirstIn(*resource, name + "/", state_.resource_version, budget)) {
      (void)writer_.Delete(TargetOf(at, name, record->name()), {.grace_period_seconds = 0}).ok();
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
    resource->store->Walk(name + "/", {}, state_.resource_version, [&](const RecordPtr& record) {
      const json::Value object = record->Parse();
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

void Lifecycle::EstablishDefinition(const ResourceAt& at, const RecordPtr& record,
                                    const json::Value& definition) {
  const std::string name(record->name());
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
    const RecordPtr record = definitions.resource->store->Get(name);
    if (record == nullptr) continue;
    const json::Value definition = record->Parse();
    if (!HasCondition(definition, "NamesAccepted")) {
      EstablishDefinition(definitions, record, definition);
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
  const std::size_t dot = name.find('.');
  const auto resource =
      state_.resources.FindGroupResource(name.substr(dot + 1), name.substr(0, dot));
  if (resource != nullptr && resource->custom && resource->store->size() > 0) {
    mark(DeletionStep::kInProgress);
    const ResourceAt at{.resource = resource, .version = resource->versions.front()};
    const auto records = FirstIn(*resource, {}, state_.resource_version, kSlice);
    for (const RecordPtr& record : records) {
      (void)writer_.Delete(TargetOf(at, record->namespace_(), record->name()), {}).ok();
    }
    if (records.size() == kSlice) {
      state_.Post([this, name] { SweepDefinition(name); });
      return;
    }
    if (resource->store->size() > 0) return;
  }
  mark(DeletionStep::kCompleted);
}

}  // namespace kinformer::apiserver
