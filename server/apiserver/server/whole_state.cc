#include "apiserver/server/whole_state.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>


namespace kinformer::apiserver {
namespace {

using Name = std::pair<std::string, std::string>;  // group and plural
using Stores = std::map<Name, std::shared_ptr<ServedResource>>;

constexpr const char* kDefinitions = "customresourcedefinitions";

// Returns the resources that have a store of their own.
Stores StoresOf(const ResourceTable& resources) {
  Stores stores;
  for (const auto& resource : resources.all()) {
    if (resource->stored == nullptr) stores.emplace(Name(resource->group, resource->plural), resource);
  }
  return stores;
}

// Returns an error if the server would not serve the objects of a resource.
Result<void> CheckServed(const ServerState& state, const SavedState& saved) {
  const Stores there = StoresOf(state.resources);
  std::set<std::string> defined;
  for (const SavedResource& resource : saved.resources) {
    if (resource.plural != kDefinitions) continue;
    for (const StoredObjectPtr& stored : resource.objects) defined.insert(stored->key());
  }
  for (const SavedResource& resource : saved.resources) {
    const auto found = there.find(Name(resource.group, resource.plural));
    const bool built_in = found != there.end() && !found->second->custom;
    const std::string name = resource.plural + "." + resource.group;
    if (built_in || defined.contains(name) || resource.objects.empty()) continue;
    return Error(Reason::kInvalidArgument,
                 "the saved state has " + std::to_string(resource.objects.size()) + " objects of " +
                     name + ", which this server does not serve: use the version that saved it");
  }
  return {};
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
  if (Result<void> served = CheckServed(state, saved); !served) return served;
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

}  // namespace kinformer::apiserver
