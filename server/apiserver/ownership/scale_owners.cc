#include "apiserver/ownership/scale_owners.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "apiserver/ownership/managed_fields.h"

namespace kinformer::apiserver {
namespace {

constexpr const char* kScaleVersion = "autoscaling/v1";

bool Owns(const ManagedEntry& entry, const FieldSet& fields) {
  return !fields.empty() && entry.fields.Common(fields) == fields;
}

// Returns who owns the number, as the managed fields of the Scale name them, without fields.
ManagedEntries OwnersOfScale(const ManagedEntries& parents, const ReplicaFields& replicas) {
  ManagedEntries out;
  for (const ManagedEntry& parent : parents) {
    const auto found = replicas.find(parent.api_version);
    if (found == replicas.end() || !Owns(parent, found->second)) continue;
    ManagedEntry owner = parent;
    owner.api_version = kScaleVersion;
    owner.fields = {};
    (void)TakeOut(owner, out);  // the same in another version
    out.push_back(std::move(owner));
  }
  return out;
}

// Returns the owners of the object: those that it had, less the number of those who no longer own
// it, and those that are left of `owners`, with `version` and the number in it.
ManagedEntries OwnersOfParent(ManagedEntries parents, ManagedEntries owners,
                              const ReplicaFields& replicas, const std::string& version) {
  ManagedEntries out;
  for (ManagedEntry& parent : parents) {
    const auto found = replicas.find(parent.api_version);
    if (found == replicas.end()) continue;
    if (Owns(parent, found->second) && std::erase_if(owners, [&](const ManagedEntry& owner) {
                                         return owner.Identity() == parent.Identity();
                                       }) == 0) {
      parent.fields.Subtract(found->second);
    }
    out.push_back(std::move(parent));
  }
  const auto fields = replicas.find(version);
  if (fields == replicas.end()) return out;
  for (ManagedEntry& owner : owners) {
    owner.api_version = version;
    owner.time.clear();
    owner.fields = fields->second;
    out.push_back(std::move(owner));
  }
  return out;
}

}  // namespace

FieldSet FieldAt(const std::string& pointer) {
  FieldSet field{.owned = true};
  for (std::size_t end = pointer.size(); end > 0 && end != std::string::npos;) {
    const std::size_t slash = pointer.rfind('/', end - 1);
    FieldSet parent;
    parent.Put("f:" + pointer.substr(slash + 1, end - slash - 1), std::move(field));
    field = std::move(parent);
    end = slash;
  }
  return field;
}

Result<void> TrackScale(const FieldManager& manager, const ReplicaFields& replicas,
                        ScaleChange change, const json::Value& live, bool force,
                        json::Value& object) {
  ManagedEntries parents = ManagedFieldsOf(live);
  ManagedEntries owners = OwnersOfScale(parents, replicas);
  if (!owners.empty() || manager.applies) {
    ManagedEntry mine = EntryOf(manager);
    mine.api_version = kScaleVersion;
    if (owners.empty()) {
      ManagedEntry first = mine;
      first.manager = kBeforeFirstApply;
      first.applies = false;
      owners.push_back(std::move(first));
    }
    const bool owned = std::erase_if(owners, [&](const ManagedEntry& owner) {
                         return owner.Identity() == mine.Identity();
                       }) > 0;
    if (change != ScaleChange::kNone) {
      std::map<std::string, std::vector<std::string>> conflicts;
      for (const ManagedEntry& other : owners) {
        conflicts[OwnerText(other, kScaleVersion)] = {".spec.replicas"};
      }
      if (manager.applies && !force && !conflicts.empty()) return ApplyConflict(conflicts);
      owners.clear();
    }
    const bool keeps = owned && change != ScaleChange::kRemoved;
    if (manager.applies || change == ScaleChange::kSet || keeps) owners.push_back(std::move(mine));
  }
  SetManagedFields(
      OwnersOfParent(std::move(parents), std::move(owners), replicas, manager.api_version), object);
  return {};
}

}  // namespace kinformer::apiserver
