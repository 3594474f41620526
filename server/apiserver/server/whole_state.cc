#include "apiserver/server/whole_state.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"

#include "apiserver/registry/reshaped_objects.h"
#include "apiserver/registry/state_keeper.h"

namespace kinformer::apiserver {
namespace {

using Name = std::pair<std::string, std::string>;  // group and plural
using Stores = std::map<Name, std::shared_ptr<ServedResource>>;

constexpr const char* kDefinitions = "customresourcedefinitions";

// Returns the resources that have a store of their own.
Stores StoresOf(const ResourceTable& resources) {
  Stores stores;
  for (const auto& resource : resources.all()) {
    if (resource->stored == nullptr)
      stores.emplace(Name(resource->group, resource->plural), resource);
  }
  return stores;
}

// Returns the resources of the state whose objects the server would not serve.
std::vector<const SavedResource*> Unserved(const ServerState& state, const SavedState& saved) {
  const Stores there = StoresOf(state.resources);
  std::set<std::string> defined;
  for (const SavedResource& resource : saved.resources) {
    if (resource.plural != kDefinitions) continue;
    for (const StoredObjectPtr& stored : resource.objects) defined.insert(stored->key());
    for (const StoredObjectPtr& stored : resource.later) defined.insert(stored->key());
  }
  std::vector<const SavedResource*> unserved;
  for (const SavedResource& resource : saved.resources) {
    const auto found = there.find(Name(resource.group, resource.plural));
    const bool built_in = found != there.end() && !found->second->custom;
    if (built_in || resource.objects.empty()) continue;
    if (!defined.contains(resource.plural + "." + resource.group)) unserved.push_back(&resource);
  }
  return unserved;
}

// Takes out the resources whose objects the server would not serve, and logs them.
void LeaveUnserved(const ServerState& state, SavedState& saved) {
  std::set<Name> left;
  for (const SavedResource* resource : Unserved(state, saved)) {
    left.emplace(resource->group, resource->plural);
    state.env.log().Log(LogLevel::kWarning, "kept objects are not served: their kind is unknown",
                        {{"resource", resource->plural + "." + resource->group},
                         {"objects", std::to_string(resource->objects.size())}});
  }
  std::erase_if(saved.resources, [&](const SavedResource& resource) {
    return left.contains(Name(resource.group, resource.plural));
  });
}

// Makes the objects fit for the resource: their forms are those of the saved state, and their
// selectable fields may be others.
void Fit(ServedResource& resource, SavedResource& saved) {
  if (resource.custom) {
    std::vector<std::string> forms = std::move(saved.forms);
    for (const auto& version : resource.versions) {
      if (std::find(forms.begin(), forms.end(), version->version) == forms.end()) {
        forms.push_back(version->version);
      }
    }
    resource.forms = std::make_shared<const std::vector<std::string>>(std::move(forms));
  }
  if (saved.fields == FieldsKey(resource.fields)) return;
  for (std::vector<StoredObjectPtr>* objects : {&saved.objects, &saved.later}) {
    for (StoredObjectPtr& stored : *objects) {
      StoredObjectPtr made = StoredObject::Make(stored->Parse(), stored->resource_version(),
                                                resource.fields, stored->form());
      if (stored->tombstone()) made = made->AtResourceVersion(stored->resource_version(), true);
      stored = std::move(made);
    }
  }
}

void Fill(ServerState& state, ServedResource& resource, SavedResource saved, std::int64_t floor) {
  Fit(resource, saved);
  const std::shared_ptr<const ServedVersion> storage =
      resource.custom ? resource.StorageVersion() : nullptr;
  resource.store = ResourceStore::Loaded(state.resources.limits(), floor, std::move(saved.objects),
                                         std::move(saved.later), state.env.Now());
  resource.mixed_forms = false;
  if (storage == nullptr) return;
  const std::uint32_t form = resource.FormOf(storage->version);
  resource.store->Walk({}, {}, state.resource_version, [&](const StoredObjectPtr& stored) {
    resource.mixed_forms = stored->form() != form;
    return !resource.mixed_forms;
  });
}

}  // namespace

SavedState WholeState(const ServerState& state) {
  SavedState saved{.resource_version = state.resource_version};
  for (const auto& [name, resource] : StoresOf(state.resources)) {
    if (resource->store->size() == 0) continue;
    SavedResource& out = saved.resources.emplace_back(SavedResource{
        .group = name.first, .plural = name.second, .fields = FieldsKey(resource->fields)});
    if (resource->forms != nullptr) out.forms = *resource->forms;
    out.objects.reserve(resource->store->size());
    resource->store->Walk({}, {}, state.resource_version, [&](const StoredObjectPtr& stored) {
      out.objects.push_back(stored);
      return true;
    });
  }
  return saved;
}

Result<void> ReplaceState(ServerState& state, Lifecycle& lifecycle, ObjectWriter& writer,
                          SavedState saved, std::int64_t resource_version) {
  if (const auto unserved = Unserved(state, saved); !unserved.empty()) {
    const SavedResource& first = *unserved.front();
    return Error(Reason::kInvalidArgument,
                 "the saved state has " + std::to_string(first.objects.size()) + " objects of " +
                     first.plural + "." + first.group +
                     ", which this server does not serve: use the version that saved it");
  }
  state.resource_version = resource_version;
  std::map<Name, SavedResource> contents;
  for (SavedResource& resource : saved.resources) {
    contents.emplace(Name(resource.group, resource.plural), std::move(resource));
  }
  const auto fill = [&](const std::shared_ptr<ServedResource>& resource) {
    auto content = contents.extract(Name(resource->group, resource->plural));
    Fill(state, *resource, content ? std::move(content.mapped()) : SavedResource(),
         saved.resource_version);
  };
  for (const auto& resource : state.resources.all()) {
    resource->ExpireWatches();
    resource->DropConverted();
  }
  for (const auto& [name, resource] : StoresOf(state.resources)) {
    if (!resource->custom) fill(resource);
  }
  state.resources.ShareStores();
  // Serves the custom resources whose objects follow.
  lifecycle.ReplaceDefinitions();
  for (const auto& [name, resource] : StoresOf(state.resources)) {
    if (resource->custom) fill(resource);
  }
  writer.StateReplaced();
  state.VersionReached();
  return {};
}

void TakeUpShared(ServerState& state, Lifecycle& lifecycle, ObjectWriter& writer,
                  SavedState saved) {
  LeaveUnserved(state, saved);
  const std::int64_t version = saved.resource_version;
  // Cannot fail: all resources are served.
  (void)ReplaceState(state, lifecycle, writer, std::move(saved), version).ok();
}

void TakeUpState(ServerState& state, Lifecycle& lifecycle, ObjectWriter& writer, KeptState kept) {
  SavedState saved{.resource_version = kept.floor};
  bool same_fields = true;
  for (KeptResource& resource : kept.resources) {
    saved.resources.push_back(std::move(resource.saved));
    resource.saved = {.group = saved.resources.back().group,
                      .plural = saved.resources.back().plural,
                      .fields = saved.resources.back().fields};
    state.keeper->Reserve(resource.id);
  }
  LeaveUnserved(state, saved);
  state.lost = std::move(kept.lost);
  // Cannot fail: all resources are served.
  (void)ReplaceState(state, lifecycle, writer, std::move(saved), kept.resource_version).ok();
  const Stores stores = StoresOf(state.resources);
  for (const KeptResource& resource : kept.resources) {
    const auto found = stores.find(Name(resource.saved.group, resource.saved.plural));
    if (found == stores.end()) continue;
    ServedResource& served = *found->second;
    state.keeper->Adopt(served, resource);
    same_fields = same_fields && resource.saved.fields == FieldsKey(served.fields);
    if (!resource.reshaped || !served.custom) continue;
    (void)ReshapeObjects(served, nullptr, state.resource_version, state.resources.limits(),
                         state.env.Now());
  }
  // The storage has the fields of an earlier version.
  if (!same_fields) state.keeper->KeepAll(state.resources, state.resource_version);
}

}  // namespace kinformer::apiserver
