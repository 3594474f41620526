#include "kinformer/internal/mutation_cache_core.h"

#include <algorithm>
#include <compare>
#include <optional>
#include <set>
#include <utility>

#include "kinformer/event_handler.h"

#include "base/core/deadline.h"
#include "cache/store/resource_version.h"

namespace kinformer::internal {
namespace {

// Returns whether one version is as new as the other, or newer. True if they cannot be compared:
// the cache below then wins.
bool AsNew(std::string_view one, std::string_view than) {
  const auto order = cache::CompareResourceVersion(one, than);
  return !order || *order != std::strong_ordering::less;
}

}  // namespace

MutationCacheCore::MutationCacheCore(Env& env, std::shared_ptr<IndexerCore> backing,
                                     MutationCacheOptions options)
    : env_(env), backing_(std::move(backing)), options_(options) {}

// ---- the entries

MutationCacheCore::Entry* MutationCacheCore::FindLocked(const ObjectName& name) {
  const auto it = by_name_.find(name);
  if (it == by_name_.end()) return nullptr;
  if (it->second->expires <= env_.Now()) {
    RemoveLocked(name);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, it->second);
  return &entries_.front();
}

void MutationCacheCore::RemoveLocked(const ObjectName& name) {
  const auto it = by_name_.find(name);
  if (it == by_name_.end()) return;
  entries_.erase(it->second);
  by_name_.erase(it);
}

void MutationCacheCore::PutLocked(Entry entry) {
  RemoveLocked(entry.name);
  if (options_.max_cache_size == 0) return;
  entry.expires = base::After(env_.Now(), options_.ttl);
  entries_.push_front(std::move(entry));
  by_name_[entries_.front().name] = entries_.begin();
  if (entries_.size() > options_.max_cache_size) {
    by_name_.erase(entries_.back().name);
    entries_.pop_back();
  }
}

ObjectRef MutationCacheCore::NewerLocked(const ObjectName& name, const Block& backing) {
  const Entry* const entry = FindLocked(name);
  if (entry == nullptr) return {};
  if (!AsNew(backing.resourceVersion(), entry->resourceVersion)) return entry->object;
  RemoveLocked(name);
  return {};
}

// ---- reads

ObjectRef MutationCacheCore::GetByKey(std::string_view key) {
  const auto [namespace_, name] = SplitStoreKey(key);
  const ObjectName full{std::string(namespace_), std::string(name)};
  const std::lock_guard lock(mu_);
  ObjectRef backing = backing_->Get(namespace_, name);
  if (backing) {
    ObjectRef newer = NewerLocked(full, *backing);
    return newer ? newer : backing;
  }
  if (!options_.include_adds) return {};
  const Entry* const entry = FindLocked(full);
  return entry == nullptr ? ObjectRef() : entry->object;
}

Result<std::vector<ObjectRef>> MutationCacheCore::ByIndex(std::string_view index,
                                                          std::string_view value) {
  const auto has_value = [&](const Block& object) {
    const Result<std::vector<std::string>> values = backing_->ValuesOf(index, object);
    return values && std::find(values->begin(), values->end(), value) != values->end();
  };
  const std::lock_guard lock(mu_);
  const std::shared_ptr<const SnapshotCore> snapshot = backing_->Snapshot();
  Result<std::vector<const Block*>> blocks = snapshot->ByIndex(index, value);
  if (!blocks) return std::move(blocks).error();
  std::vector<ObjectRef> found;
  std::set<ObjectName> seen;
  for (const Block* const block : *blocks) {
    ObjectName name = NameOf(*block);
    const ObjectRef newer = NewerLocked(name, *block);
    if (!newer) {
      found.push_back(ObjectRef::Share(snapshot->Whole(block)));
    } else if (has_value(*newer)) {
      found.push_back(newer);
    }
    seen.insert(std::move(name));
  }
  // Adds objects that have the value in the overlay only. Does not count as their use.
  const SteadyTime now = env_.Now();
  for (const Entry& entry : entries_) {
    if (!entry.object || entry.expires <= now || seen.contains(entry.name)) continue;
    const Block* const below = snapshot->Get(entry.name.namespace_, entry.name.name);
    const bool shown = below == nullptr ? options_.include_adds
                                        : !AsNew(below->resourceVersion(), entry.resourceVersion);
    if (shown && has_value(*entry.object)) found.push_back(entry.object);
  }
  return found;
}

// ---- mutations and events

Result<void> MutationCacheCore::Mutation(const ObjectRef& object) {
  if (!object || object->name().empty()) {
    return Error(Reason::kInvalidArgument,
                 "a mutation without a name cannot be kept: give the object that the server has "
                 "answered with");
  }
  if (!cache::IsWellFormedResourceVersion(object->resourceVersion())) {
    return Error(Reason::kInvalidArgument,
                 "mutation of \"" + KeyOfBlock(*object) + "\": its resourceVersion \"" +
                     std::string(object->resourceVersion()) +
                     "\" is no number, so it cannot be told whether it is newer than what is "
                     "cached; give the object that the server has answered with");
  }
  const ObjectName name = NameOf(*object);
  const std::lock_guard lock(mu_);
  if (const Entry* const known = FindLocked(name)) {
    const auto order =
        cache::CompareResourceVersion(object->resourceVersion(), known->resourceVersion);
    if (order && *order == std::strong_ordering::less) return {};
    const bool deleted = !known->object;
    if (deleted &&
        (known->uid == object->uid() || (order && *order == std::strong_ordering::equal))) {
      return {};
    }
  }
  PutLocked({name, object, std::string(object->uid()), std::string(object->resourceVersion()), {}});
  return {};
}

void MutationCacheCore::OnAddOrUpdate(const Block& object) {
  const ObjectName name = NameOf(object);
  const std::lock_guard lock(mu_);
  const Entry* const entry = FindLocked(name);
  if (entry != nullptr && AsNew(object.resourceVersion(), entry->resourceVersion)) {
    RemoveLocked(name);
  }
}

void MutationCacheCore::OnDelete(const Block& object) {
  const ObjectName name = NameOf(object);
  const std::lock_guard lock(mu_);
  if (const Entry* const entry = FindLocked(name)) {
    // A later object with another uid may well exist.
    if (entry->uid != object.uid() && !AsNew(object.resourceVersion(), entry->resourceVersion)) {
      return;
    }
  }
  PutLocked({name, {}, std::string(object.uid()), std::string(object.resourceVersion()), {}});
}

}  // namespace kinformer::internal
