#include "apiserver/ownership/field_manager.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "kinformer/internal/registry.h"

#include "apiserver/ownership/managed_fields.h"
#include "apiserver/ownership/new_fields.h"
#include "apiserver/ownership/value_fields.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxName = 128;
// Fields that the server sets, and nobody owns.
constexpr auto kUnowned = std::to_array<std::string_view>(
    {"f:clusterName", "f:creationTimestamp", "f:generation", "f:managedFields", "f:name",
     "f:namespace", "f:resourceVersion", "f:selfLink", "f:uid"});

void Strip(FieldSet& fields) {
  for (const std::string_view name : {"f:apiVersion", "f:kind", "f:metadata"}) {
    fields.Remove(name, {});
  }
  for (const std::string_view name : kUnowned) fields.Remove("f:metadata", name);
  // Their values are no parts of the object that has owners.
  const auto metadata = fields.children.find("f:metadata");
  if (metadata == fields.children.end()) return;
  metadata->second.RemoveAll("f:managedFields");
  if (metadata->second.empty()) fields.children.erase(metadata);
}

// Returns those fields of a whole object that nobody owns.
const FieldSet& Unowned() {
  static const FieldSet kFields = [] {
    FieldSet metadata;
    for (const std::string_view name : kUnowned) metadata.Put(std::string(name), {.owned = true});
    FieldSet out;
    out.Put("f:apiVersion", {.owned = true});
    out.Put("f:kind", {.owned = true});
    out.Put("f:metadata", std::move(metadata));
    return out;
  }();
  return kFields;
}

void TrackCreate(const ValueShape& shape, const FieldManager& manager, const ServerFields& chosen,
                 json::Value& object) {
  FieldSet server = manager.reset;
  server.Add(chosen.filled_in);
  SetOnlyOwner(EntryOf(manager), NewFieldsOf(shape, object, {&Unowned(), &server}), object);
}

bool IsVersionOf(std::string_view kind, std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  return internal::FindType(core ? std::string_view() : api_version.substr(0, slash),
                            core ? api_version : api_version.substr(slash + 1), kind) != nullptr;
}

void ForgetFormerVersions(const FieldManager& manager, ManagedEntries& entries) {
  if (manager.kind.empty()) return;
  std::erase_if(entries, [&](const ManagedEntry& entry) {
    return entry.api_version != manager.api_version &&
           !IsVersionOf(manager.kind, entry.api_version);
  });
}

// A custom resource's schema may have changed since the entries were made.
void FitToSchema(const ValueShape& shape, const FieldManager& manager, ManagedEntries& entries) {
  if (!shape.whole_custom()) return;
  for (ManagedEntry& entry : entries) {
    if (entry.api_version == manager.api_version) FitTo(shape, entry.fields);
  }
}

}  // namespace

std::string ManagerName(std::string_view field_manager, std::string_view user_agent) {
  if (!field_manager.empty()) return std::string(field_manager);
  std::string name;
  for (const char c : user_agent.substr(0, user_agent.find('/'))) {
    if (c >= ' ' && c <= '~') name.push_back(c);
  }
  return name.substr(0, kMaxName);
}

bool ForgetsOwners(const json::Value& object, bool custom) {
  const json::Value& sent = object["metadata"]["managedFields"];
  if (!sent.is_array()) return false;
  return sent.size() == 0 ? !custom : sent.size() == 1 && sent[0].size() == 0;
}

ManagedEntry EntryOf(const FieldManager& manager) {
  return {.manager = manager.name,
          .applies = manager.applies,
          .api_version = manager.api_version,
          .subresource = manager.subresource,
          .time = manager.now};
}

FieldSet FieldsRemoved(const ValueShape& shape, const json::Value& before,
                       const json::Value& after) {
  return Compare(shape, before, after).removed;
}

void TrackUpdate(const ValueShape& shape, const FieldManager& manager, const json::Value& before,
                 const ServerFields& chosen, json::Value& after) {
  const bool creates = before.is_null();
  // Through a subresource, a client cannot set the owners.
  const bool whole = manager.subresource.empty();
  if (whole && manager.forgets && !creates) return SetManagedFields({}, after);
  ManagedEntries entries;
  if (whole) entries = ManagedFieldsOf(std::as_const(after));
  if (entries.empty()) entries = ManagedFieldsOf(before);
  // An object that is not tracked from its creation on is tracked from its first apply on.
  if (entries.empty() && !creates) return SetManagedFields({}, after);
  if (entries.empty()) {
    return TrackCreate(shape, manager, chosen, after);
  }
  ForgetFormerVersions(manager, entries);
  FitToSchema(shape, manager, entries);
  const json::Value nothing = json::Value::MakeObject();
  FieldChanges changes = Compare(shape, creates ? nothing : before, after);
  for (FieldSet* const set : {&changes.added, &changes.modified, &changes.removed}) {
    Strip(*set);
    set->RemoveBelow(manager.reset);
    set->RemoveBelow(chosen.filled_in);
  }
  changes.removed.RemoveBelow(chosen.dropped);
  changes.removed.Add(chosen.filled_in);
  ManagedEntry mine = TakeOut(EntryOf(manager), entries);
  FieldSet changed = std::move(changes.added);
  changed.Add(changes.modified);
  for (ManagedEntry& other : entries) {
    other.fields.Subtract(changed);
    other.fields.Subtract(changes.removed);
  }
  mine.fields.Subtract(changes.removed);
  mine.fields.Add(changed);
  if (!changed.empty()) mine.time = manager.now;
  entries.push_back(std::move(mine));
  SetManagedFields(std::move(entries), after);
}

Result<void> TrackApply(const ValueShape& shape, const FieldManager& manager,
                        const json::Value& live, const json::Value& declared, bool force,
                        json::Value& object) {
  const bool creates = live.is_null();
  const json::Value nothing = json::Value::MakeObject();
  ManagedEntries entries = ManagedFieldsOf(live);
  if (entries.empty() && !creates) {
    ManagedEntry first{.manager = kBeforeFirstApply,
                       .api_version = manager.api_version,
                       .subresource = manager.subresource,
                       .time = manager.now};
    FieldChanges all = Compare(shape, nothing, live);
    first.fields = std::move(all.added);
    // Members that Go's form of an object always has, even if they are empty.
    first.fields.Add(all.modified);
    Strip(first.fields);
    first.fields.RemoveBelow(manager.reset);
    entries.push_back(std::move(first));
  }
  ForgetFormerVersions(manager, entries);
  FitToSchema(shape, manager, entries);
  ManagedEntry mine = TakeOut(EntryOf(manager), entries);
  mine.api_version = manager.api_version;
  const FieldSet last = std::exchange(mine.fields, FieldsOf(shape, declared));
  Strip(mine.fields);
  mine.fields.RemoveBelow(manager.reset);
  FieldSet always;  // an object without metadata is none
  always.Put("f:metadata", {.owned = true});
  std::vector<const FieldSet*> kept = {&mine.fields, &always};
  for (const ManagedEntry& other : entries) kept.push_back(&other.fields);
  Prune(shape, last, kept, object);

  FieldChanges changes = Compare(shape, creates ? nothing : live, object);
  for (FieldSet* const set : {&changes.added, &changes.modified, &changes.removed}) {
    Strip(*set);
    set->RemoveBelow(manager.reset);
  }
  const bool same = changes.empty() && last == mine.fields;
  FieldSet changed = std::move(changes.added);
  changed.Add(changes.modified);
  std::map<std::string, std::vector<std::string>> conflicts;
  for (ManagedEntry& other : entries) {
    const FieldSet lost = other.fields.Common(changed);
    if (!lost.empty()) conflicts[OwnerText(other, other.api_version)] = lost.Paths();
    other.fields.Subtract(lost);
    other.fields.Subtract(changes.removed);
  }
  if (!conflicts.empty() && !force) return ApplyConflict(conflicts);
  if (!same) mine.time = manager.now;
  entries.push_back(std::move(mine));
  SetManagedFields(std::move(entries), object);
  return {};
}

}  // namespace kinformer::apiserver
