#include "apiserver/ownership/field_manager.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/ownership/value_fields.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxName = 128;
constexpr const char* kApply = "Apply";
constexpr const char* kUpdate = "Update";
// Owns what an object had before its first apply, if nothing was tracked before.
constexpr const char* kBeforeFirstApply = "before-first-apply";

// Fields that the server sets, and nobody owns.
constexpr auto kUnowned = std::to_array<std::string_view>(
    {"f:clusterName", "f:creationTimestamp", "f:deletionGracePeriodSeconds", "f:deletionTimestamp",
     "f:generation", "f:managedFields", "f:name", "f:namespace", "f:resourceVersion", "f:selfLink",
     "f:uid"});

struct Entry {
  std::string manager{};
  std::string operation{};
  std::string api_version{};
  std::string subresource{};
  std::string time{};
  FieldSet fields{};

  [[nodiscard]] auto Identity() const {
    return std::tie(manager, operation, api_version, subresource);
  }
};
using Entries = std::vector<Entry>;

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

// Returns nothing if the list is none of managed fields.
Entries Decode(const json::Value& list) {
  Entries out;
  for (const json::Value& item : list.items()) {
    Entry entry{.manager = item["manager"].StringOrEmpty(),
                .operation = item["operation"].StringOrEmpty(),
                .api_version = item["apiVersion"].StringOrEmpty(),
                .subresource = item["subresource"].StringOrEmpty(),
                .time = item["time"].StringOrEmpty(),
                .fields = FieldSet::FromJson(item["fieldsV1"])};
    if (entry.operation != kApply && entry.operation != kUpdate) return {};
    if (!entry.fields.empty()) out.push_back(std::move(entry));
  }
  return out;
}

// Sets metadata.managedFields, in the order of the API: first Apply, then by time and name.
void Encode(Entries entries, json::Value& object) {
  std::erase_if(entries, [](const Entry& entry) { return entry.fields.empty(); });
  const auto order = [](const Entry& entry) {
    return std::tie(entry.operation, entry.time, entry.manager, entry.api_version,
                    entry.subresource);
  };
  std::sort(entries.begin(), entries.end(),
            [&](const Entry& a, const Entry& b) { return order(a) < order(b); });
  json::Array list;
  for (const Entry& entry : entries) {
    json::Value item = json::Value::MakeObject({{"manager", entry.manager},
                                                {"operation", entry.operation},
                                                {"apiVersion", entry.api_version},
                                                {"time", entry.time},
                                                {"fieldsType", "FieldsV1"},
                                                {"fieldsV1", entry.fields.ToJson()}});
    if (!entry.subresource.empty()) item.Set("subresource", entry.subresource);
    list.push_back(std::move(item));
  }
  json::Value& metadata = object.Ensure("metadata");
  if (list.empty()) {
    metadata.Erase("managedFields");
  } else {
    metadata.Set("managedFields", json::Value(std::move(list)));
  }
}

Entry EntryOf(const FieldManager& manager) {
  return {.manager = manager.name,
          .operation = manager.applies ? kApply : kUpdate,
          .api_version = manager.api_version,
          .subresource = manager.subresource,
          .time = manager.now};
}

// Takes the entry of the same manager out of the list; an empty one if there is none.
Entry TakeOut(const Entry& like, Entries& entries) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.Identity() == like.Identity();
  });
  if (found == entries.end()) return like;
  Entry out = std::move(*found);
  entries.erase(found);
  return out;
}

const json::Value& ManagedFieldsOf(const json::Value& object) {
  return object["metadata"]["managedFields"];
}

// `version`: of the object that is applied.
std::string Shown(const Entry& entry, const std::string& version) {
  std::string out = JsonString(entry.manager);
  if (!entry.subresource.empty()) out += " with subresource " + JsonString(entry.subresource);
  if (entry.operation == kUpdate) out += " using " + version;
  return out;
}

// Returns the error for fields that others own: the fields by their owners.
Error ApplyConflict(const std::map<std::string, std::vector<std::string>>& conflicts) {
  std::vector<StatusCause> causes;
  std::string text;
  for (const auto& [owner, paths] : conflicts) {
    text += (text.empty() ? "" : "\n") + ("conflicts with " + owner + ":");
    for (const std::string& path : paths) {
      text += "\n- " + path;
      causes.push_back(
          {.reason = "FieldManagerConflict", .message = "conflict with " + owner, .field = path});
    }
  }
  std::string message =
      "Apply failed with " + std::to_string(causes.size()) + " conflicts: " + text;
  if (causes.size() == 1) {
    message = "Apply failed with 1 conflict: " + causes[0].message + ": " + causes[0].field;
  }
  Error error(Reason::kConflict, std::move(message));
  error.WithHttpStatus(409);
  error.WithDetails({.causes = std::move(causes)});
  return error;
}

}  // namespace

std::string ManagerName(std::string_view field_manager, std::string_view user_agent) {
  if (!field_manager.empty()) return std::string(field_manager);
  std::string name;
  for (const char c : user_agent.substr(0, user_agent.find('/'))) {
    if (c >= ' ' && c != 0x7f) name.push_back(c);
  }
  return name.substr(0, kMaxName);
}

bool ForgetsOwners(const json::Value& object, bool custom) {
  const json::Value& sent = ManagedFieldsOf(object);
  if (!sent.is_array()) return false;
  return sent.size() == 0 ? !custom : sent.size() == 1 && sent[0].size() == 0;
}

void TrackUpdate(const ValueShape& shape, const FieldManager& manager, const json::Value& before,
                 const FieldSet& filled_in, json::Value& after) {
  const json::Value sent = ManagedFieldsOf(std::as_const(after));
  const bool creates = before.is_null();
  // Through a subresource, a client cannot set the owners.
  const bool whole = manager.subresource.empty();
  if (whole && manager.forgets && !creates) return Encode({}, after);
  Entries entries;
  if (whole) entries = Decode(sent);
  if (entries.empty()) entries = Decode(ManagedFieldsOf(before));
  // An object that is not tracked from its creation on is tracked from its first apply on.
  if (entries.empty() && !creates) return Encode({}, after);
  const json::Value nothing = json::Value::MakeObject();
  FieldChanges changes = Compare(shape, creates ? nothing : before, after);
  for (FieldSet* const set : {&changes.added, &changes.modified, &changes.removed}) {
    Strip(*set);
    set->RemoveBelow(manager.reset);
    set->RemoveBelow(filled_in);
  }
  changes.removed.Add(filled_in);
  Entry mine = TakeOut(EntryOf(manager), entries);
  const FieldSet before_this = mine.fields;
  FieldSet changed = std::move(changes.added);
  changed.Add(changes.modified);
  for (Entry& other : entries) {
    other.fields.Subtract(changed);
    other.fields.Subtract(changes.removed);
  }
  mine.fields.Subtract(changes.removed);
  mine.fields.Add(changed);
  if (!(mine.fields == before_this)) mine.time = manager.now;
  entries.push_back(std::move(mine));
  Encode(std::move(entries), after);
}

Result<void> TrackApply(const ValueShape& shape, const FieldManager& manager,
                        const json::Value& live, const json::Value& declared, bool force,
                        json::Value& object) {
  const bool creates = live.is_null();
  const json::Value nothing = json::Value::MakeObject();
  Entries entries = Decode(ManagedFieldsOf(live));
  if (entries.empty() && !creates) {
    Entry first{.manager = kBeforeFirstApply,
                .operation = kUpdate,
                .api_version = manager.api_version,
                .subresource = manager.subresource,
                .time = manager.now,
                .fields = {}};
    FieldChanges all = Compare(shape, nothing, live);
    first.fields = std::move(all.added);
    // Members that Go's form of an object always has, even if they are empty.
    first.fields.Add(all.modified);
    Strip(first.fields);
    first.fields.RemoveBelow(manager.reset);
    entries.push_back(std::move(first));
  }
  Entry mine = TakeOut(EntryOf(manager), entries);
  const FieldSet last = std::exchange(mine.fields, FieldsOf(shape, declared));
  Strip(mine.fields);
  mine.fields.RemoveBelow(manager.reset);
  FieldSet always;  // an object without metadata is none
  always.Put("f:metadata", {.owned = true});
  std::vector<const FieldSet*> kept = {&mine.fields, &always};
  for (const Entry& other : entries) kept.push_back(&other.fields);
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
  for (Entry& other : entries) {
    const FieldSet lost = other.fields.Common(changed);
    if (!lost.empty()) conflicts[Shown(other, other.api_version)] = lost.Paths();
    other.fields.Subtract(lost);
    other.fields.Subtract(changes.removed);
  }
  if (!conflicts.empty() && !force) return ApplyConflict(conflicts);
  if (!same) mine.time = manager.now;
  entries.push_back(std::move(mine));
  Encode(std::move(entries), object);
  return {};
}

Result<void> TrackScale(const FieldManager& manager, const FieldSet& replicas, bool changed,
                        const json::Value& live, bool force, json::Value& object) {
  constexpr const char* kScaleVersion = "autoscaling/v1";
  const auto owns = [&](const Entry& entry) { return entry.fields.Common(replicas) == replicas; };
  Entries entries = Decode(ManagedFieldsOf(live));
  const bool owned = std::any_of(entries.begin(), entries.end(), owns);
  if (!owned && !manager.applies) return {};
  if (!owned) {
    entries.push_back({.manager = kBeforeFirstApply,
                       .operation = kUpdate,
                       .api_version = manager.api_version,
                       .subresource = manager.subresource,
                       .time = manager.now,
                       .fields = replicas});
  }
  Entry mine = TakeOut(EntryOf(manager), entries);
  std::map<std::string, std::vector<std::string>> conflicts;
  for (Entry& other : entries) {
    if (!changed || !owns(other)) continue;
    conflicts[Shown(other, kScaleVersion)] = {".spec.replicas"};
    other.fields.Subtract(replicas);
  }
  if (manager.applies && !force && !conflicts.empty()) return ApplyConflict(conflicts);
  if ((manager.applies || changed) && !owns(mine)) {
    mine.fields = replicas;
    mine.time = manager.now;
  }
  entries.push_back(std::move(mine));
  Encode(std::move(entries), object);
  return {};
}

}  // namespace kinformer::apiserver
