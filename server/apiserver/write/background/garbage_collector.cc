#include "apiserver/write/background/garbage_collector.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "apiserver/write/object/propagation.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {
namespace {

// How many deleted objects are remembered, for dependents created after their owner's deletion.
constexpr std::size_t kMaxGone = 4096;
// Limit of visits in one turn, in case the clock does not advance.
constexpr std::size_t kMostVisits = 512;

using Owner = GarbageCollector::Owner;

std::vector<Owner> OwnersIn(const json::Value& metadata) {
  std::vector<Owner> owners;
  for (const json::Value& owner : metadata["ownerReferences"].items()) {
    owners.push_back({.uid = owner["uid"].StringOrEmpty(),
                      .blocks = owner["blockOwnerDeletion"].AsBool().value_or(false)});
  }
  return owners;
}

std::vector<Owner> OwnersOf(const StoredObjectPtr& stored) {
  if (stored == nullptr || !stored->owned()) return {};
  const json::Value outline = stored->Outline(kOwnersOutline);
  return OwnersIn(outline["metadata"]);
}

// Returns for each owner whether its deletion waits for the object.
std::map<std::string, bool> ByUid(const std::vector<Owner>& owners) {
  std::map<std::string, bool> out;
  for (const Owner& owner : owners) {
    bool& blocks = out[owner.uid];
    blocks = blocks || owner.blocks;
  }
  return out;
}

WriteTarget TargetOf(const std::shared_ptr<ServedResource>& resource,
                     const StoredObjectPtr& stored) {
  return {.at = {.resource = resource, .version = resource->versions.front()},
          .namespace_ = std::string(stored->namespace_()),
          .name = std::string(stored->name())};
}

}  // namespace

std::string GarbageCollector::Place::Namespace() const {
  return resource->namespaced ? key.substr(0, key.find('/')) : std::string();
}

void GarbageCollector::AfterPut(const ObjectPut& put) {
  const auto& [at, old, stored, object, defined, reshaped] = put;
  const Place place{.resource = at.resource, .key = stored->key()};
  IndexOwners(place, OwnersOf(old),
              stored->owned() ? OwnersIn(object["metadata"]) : std::vector<Owner>());
  if (object.At("/metadata/deletionTimestamp").is_null()) return;
  HandleTerminating(place, *stored, object);
}

void GarbageCollector::HandleTerminating(const Place& place, const StoredObject& stored,
                                         const json::Value& object) {
  const std::string uid(stored.uid());
  const bool orphans = HasFinalizer(object, kOrphanFinalizer);
  if (!orphans && !HasFinalizer(object, kForegroundFinalizer)) {
    waiting_.erase(uid);
    return;
  }
  Waiting& waiting = waiting_.try_emplace(uid, Waiting{.place = place}).first->second;
  if (waiting.orphans != orphans) {
    waiting.orphans = orphans;
    waiting.visit = {};
  }
  PostAdvance(uid);
}

void GarbageCollector::AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) {
  IndexOwners({.resource = at.resource, .key = old->key()}, OwnersOf(old), {});
  HandleGone(old);
}

void GarbageCollector::AfterReplace() {
  dependents_.clear();
  waiting_.clear();
  collecting_.clear();
  gone_.clear();
  gone_order_.clear();
  for (const auto& resource : state_.resources.all()) {
    if (resource->stored != nullptr) continue;
    resource->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
      const Place place{.resource = resource, .key = stored->key()};
      if (stored->owned()) IndexOwners(place, {}, OwnersOf(stored));
      if (stored->terminating()) HandleTerminating(place, *stored, stored->Outline());
      return true;
    });
  }
  // History may have owners whose dependents were left.
  for (const auto& resource : state_.resources.all()) {
    const ResourceStore& store = *resource->store;
    if (resource->stored != nullptr) continue;
    for (std::uint64_t i = store.begin_sequence(); i < store.end_sequence(); ++i) {
      const StoreEvent& event = store.event(i);
      if (event.type == EventType::kDeleted) HandleGone(event.current);
    }
  }
}

void GarbageCollector::HandleGone(const StoredObjectPtr& old) {
  const std::string uid(old->uid());
  waiting_.erase(uid);
  RememberGone(old);
  if (!dependents_.contains(uid)) return;
  collecting_.try_emplace(uid, Collection{.namespace_ = std::string(old->namespace_())});
  const auto collect = [this, uid] { Collect(uid); };
  if (state_.options.garbage_collection_delay <= Duration::zero()) return state_.Post(collect);
  state_.deadlines.Add(state_.env.Now() + state_.options.garbage_collection_delay, collect);
}

void GarbageCollector::IndexOwners(const Place& place, const std::vector<Owner>& before,
                                   const std::vector<Owner>& after) {
  if (before == after) return;
  const std::map<std::string, bool> were = ByUid(before);
  const std::map<std::string, bool> are = ByUid(after);
  for (const auto& [uid, blocks] : were) {
    const auto still = are.find(uid);
    if (still != are.end() && still->second == blocks) continue;
    if (waiting_.contains(uid)) PostAdvance(uid);
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) continue;
    found->second.blocking.erase(place);
    if (still != are.end()) continue;
    found->second.all.erase(place);
    if (found->second.all.empty()) dependents_.erase(found);
  }
  bool late = false;
  for (const auto& [uid, blocks] : are) {
    late = late || gone_.contains(uid) || collecting_.contains(uid);
    Dependents& dependents = dependents_[uid];
    if (blocks) dependents.blocking.insert(place);
    const bool fresh = dependents.all.insert(place).second;
    if (const auto waits = waiting_.find(uid); fresh && waits != waiting_.end()) {
      waits->second.visit = {};
      PostAdvance(uid);
    }
  }
  if (late) state_.Post([this, place] { Attempt(place); });
}

void GarbageCollector::RememberGone(const StoredObjectPtr& old) {
  std::string uid(old->uid());
  if (!gone_.emplace(uid, old->namespace_()).second) return;
  gone_order_.push_back(std::move(uid));
  if (gone_order_.size() <= kMaxGone) return;
  gone_.erase(gone_order_.front());
  gone_order_.pop_front();
}

bool GarbageCollector::VisitDependents(const std::string& uid, std::string_view ns, Visit& visit,
                                       const std::function<void(const Place&)>& act) const {
  const internal::base::WorkSlice turn(state_.env);
  for (std::size_t visits = 0; !visit.done; ++visits) {
    if (visits == kMostVisits || turn.over()) return false;
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) break;
    const std::set<Place>& all = found->second.all;
    const auto next = visit.last ? all.upper_bound(*visit.last) : all.begin();
    if (next == all.end()) break;
    visit.last = *next;
    const Place place = *visit.last;  // `act` may start the visit over
    if (IsDependent(place, ns)) act(place);
  }
  visit.done = true;
  return true;
}

bool GarbageCollector::IsDependent(const Place& place, std::string_view ns) {
  const StoredObjectPtr stored = place.resource->store->Get(place.key);
  return stored != nullptr && (ns.empty() || stored->namespace_() == ns);
}

void GarbageCollector::Collect(const std::string& uid) {
  const auto found = collecting_.find(uid);
  if (found == collecting_.end()) return;
  Collection& collection = found->second;
  const bool all = VisitDependents(uid, collection.namespace_, collection.visit,
                                   [this](const Place& place) { Attempt(place); });
  if (!all) return state_.Post([this, uid] { Collect(uid); });
  collecting_.erase(uid);
}

void GarbageCollector::PostAdvance(const std::string& uid) {
  if (!std::exchange(waiting_.at(uid).posted, true)) state_.Post([this, uid] { Advance(uid); });
}

void GarbageCollector::Advance(const std::string& uid) {
  const auto waits = waiting_.find(uid);
  if (waits == waiting_.end()) return;
  waits->second.posted = false;
  const Place place = waits->second.place;
  const StoredObjectPtr owner = place.resource->store->Get(place.key);
  if (owner == nullptr || owner->uid() != uid) {
    waiting_.erase(waits);
    return;
  }
  const bool orphans = waits->second.orphans;
  // Its entry stays meanwhile, since no change of a dependent removes the owner's finalizer.
  Visit& visit = waits->second.visit;
  const bool all = VisitDependents(uid, owner->namespace_(), visit, [&](const Place& dependent) {
    if (orphans) {
      DropOwners(dependent, {uid});
    } else {
      Attempt(dependent);
    }
  });
  if (!all) return PostAdvance(uid);
  if (!state_.acts()) return;
  if (!orphans && IsBlocked(uid, owner->namespace_())) return;
  const std::string_view finalizer = orphans ? kOrphanFinalizer : kForegroundFinalizer;
  (void)writer_
      .ModifyOutline(TargetOf(place.resource, owner),
                     [&](json::Value& outline) {
                       json::Array& finalizers =
                           outline.Ensure("metadata", "finalizers").EnsureArray();
                       std::erase(finalizers, json::Value(finalizer));
                     })
      .ok();  // already deleted
}

bool GarbageCollector::IsBlocked(const std::string& uid, std::string_view ns) const {
  const auto found = dependents_.find(uid);
  if (found == dependents_.end()) return false;
  const std::set<Place>& blocking = found->second.blocking;
  return std::any_of(blocking.begin(), blocking.end(),
                     [&](const Place& place) { return IsDependent(place, ns); });
}

bool GarbageCollector::ClosesCircle(const StoredObjectPtr& dependent) const {
  std::set<std::string> owners;
  for (const Owner& owner : OwnersOf(dependent)) {
    if (waiting_.contains(owner.uid)) owners.insert(owner.uid);
  }
  // Follows dependents, from this object on, that wait for their own dependents.
  std::set<std::string> seen;
  std::vector<std::string> next = {std::string(dependent->uid())};
  while (!next.empty()) {
    const std::string uid = std::move(next.back());
    next.pop_back();
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) continue;
    for (const Place& place : found->second.all) {
      const StoredObjectPtr stored = place.resource->store->Get(place.key);
      if (stored == nullptr) continue;
      std::string its(stored->uid());
      if (!waiting_.contains(its) || !seen.insert(its).second) continue;
      if (owners.contains(its)) return true;
      next.push_back(std::move(its));
    }
  }
  return false;
}

void GarbageCollector::Attempt(const Place& place) {
  const StoredObjectPtr stored = place.resource->store->Get(place.key);
  if (stored == nullptr) return;
  std::set<std::string> going;
  bool solid = false;
  bool held = false;
  for (const Owner& owner : OwnersOf(stored)) {
    const auto in_scope = [&](std::string_view ns) {
      return ns.empty() || ns == stored->namespace_();
    };
    const auto gone = gone_.find(owner.uid);
    const auto collected = collecting_.find(owner.uid);
    const auto waits = waiting_.find(owner.uid);
    if ((gone != gone_.end() && in_scope(gone->second)) ||
        (collected != collecting_.end() && in_scope(collected->second.namespace_))) {
      going.insert(owner.uid);
    } else if (waits != waiting_.end() && in_scope(waits->second.place.Namespace())) {
      going.insert(owner.uid);
      held = true;
    } else {
      solid = true;
    }
  }
  if (going.empty()) return;
  if (solid) {
    DropOwners(place, going);
    return;
  }
  const bool foreground = held && dependents_.contains(std::string(stored->uid()));
  if (foreground && ClosesCircle(stored)) {
    ChangeOwners(place, [](json::Array& owners) {
      for (json::Value& owner : owners) owner.Set("blockOwnerDeletion", false);
    });
  }
  if (stored->terminating() || !state_.acts()) return;
  DeleteRequest request{.uid = std::string(stored->uid())};
  if (foreground) {
    request.propagation = "Foreground";
  } else if (place.resource->deletion == DeletionRule::kOrphan) {
    request.propagation = PolicyOf(stored->Outline());  // overrides the default of the kind
  }
  (void)writer_.Delete(TargetOf(place.resource, stored), request).ok();  // already deleted
}

void GarbageCollector::DropOwners(const Place& place, const std::set<std::string>& uids) {
  ChangeOwners(place, [&](json::Array& owners) {
    std::erase_if(owners, [&](const json::Value& owner) {
      return uids.contains(owner["uid"].StringOrEmpty());
    });
  });
}

void GarbageCollector::ChangeOwners(const Place& place,
                                    const std::function<void(json::Array& owners)>& change) {
  if (!state_.acts()) return;
  (void)writer_
      .ModifyOutline(TargetOf(place.resource, place.resource->store->Get(place.key)),
                     [&](json::Value& outline) {
                       change(outline.Ensure("metadata", "ownerReferences").EnsureArray());
                     })
      .ok();  // already deleted
}

}  // namespace kinformer::apiserver
