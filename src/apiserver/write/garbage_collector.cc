#include "apiserver/write/garbage_collector.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apiserver/request/object_encoder.h"
#include "apiserver/write/propagation.h"

namespace kinformer::apiserver {
namespace {

// How many deleted objects are remembered for dependents that are made too late.
constexpr std::size_t kMaxGone = 4096;

struct Owner {
  std::string uid;
  bool blocks = false;
  bool operator==(const Owner&) const = default;
};

std::vector<Owner> OwnersOf(const StoredObjectPtr& stored) {
  std::vector<Owner> owners;
  if (stored == nullptr || !stored->owned()) return owners;
  // Text of our own making always parses.
  const json::Value metadata = json::Parse(MetadataText(stored->body())).value_or(json::Value());
  for (const json::Value& owner : metadata["ownerReferences"].items()) {
    owners.push_back({.uid = owner["uid"].StringOrEmpty(),
                      .blocks = owner["blockOwnerDeletion"].AsBool().value_or(false)});
  }
  return owners;
}

WriteTarget TargetOf(const std::shared_ptr<ServedResource>& resource,
                     const StoredObjectPtr& stored) {
  return {.at = {.resource = resource, .version = resource->versions.front()},
          .namespace_ = std::string(stored->namespace_()),
          .name = std::string(stored->name()),
          .keep_status = true};
}

}  // namespace

void GarbageCollector::AfterPut(const ResourceAt& at, const StoredObjectPtr& old,
                                const StoredObjectPtr& stored, const json::Value& object) {
  IndexOwners(at, old, stored);
  if (object.At("/metadata/deletionTimestamp").is_null()) return;
  if (!HasFinalizer(object, kOrphanFinalizer) && !HasFinalizer(object, kForegroundFinalizer)) {
    waiting_.erase(std::string(stored->uid()));
    return;
  }
  const std::string uid(stored->uid());
  waiting_.insert_or_assign(uid, Place{.resource = at.resource, .key = stored->key()});
  state_.Post([this, uid] { Advance(uid); });
}

void GarbageCollector::AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) {
  IndexOwners(at, old, nullptr);
  const std::string uid(old->uid());
  waiting_.erase(uid);
  RememberGone(old);
  if (!dependents_.contains(uid)) return;
  const auto collect = [this, uid, ns = std::string(old->namespace_())] {
    for (const Place& place : DependentsOf(uid, ns)) Attempt(place);
  };
  if (state_.options.garbage_collection_delay <= Duration::zero()) return state_.Post(collect);
  state_.deadlines.Add(state_.env.Now() + state_.options.garbage_collection_delay, collect);
}

void GarbageCollector::IndexOwners(const ResourceAt& at, const StoredObjectPtr& old,
                                   const StoredObjectPtr& stored) {
  const std::vector<Owner> before = OwnersOf(old);
  const std::vector<Owner> after = OwnersOf(stored);
  if (before == after) return;
  for (const Owner& owner : before) {
    if (waiting_.contains(owner.uid)) state_.Post([this, uid = owner.uid] { Advance(uid); });
    const auto found = dependents_.find(owner.uid);
    if (found == dependents_.end()) continue;
    found->second.erase({.resource = at.resource, .key = old->key()});
    if (found->second.empty()) dependents_.erase(found);
  }
  bool late = false;
  for (const Owner& owner : after) {
    dependents_[owner.uid].insert({.resource = at.resource, .key = stored->key()});
    late = late || gone_.contains(owner.uid);
  }
  if (!late) return;
  state_.Post(
      [this, place = Place{.resource = at.resource, .key = stored->key()}] { Attempt(place); });
}

void GarbageCollector::RememberGone(const StoredObjectPtr& old) {
  std::string uid(old->uid());
  if (!gone_.emplace(uid, old->namespace_()).second) return;
  gone_order_.push_back(std::move(uid));
  if (gone_order_.size() <= kMaxGone) return;
  gone_.erase(gone_order_.front());
  gone_order_.pop_front();
}

std::set<GarbageCollector::Place> GarbageCollector::DependentsOf(const std::string& uid,
                                                                 std::string_view ns) const {
  const auto found = dependents_.find(uid);
  if (found == dependents_.end()) return {};
  std::set<Place> places = found->second;
  std::erase_if(places, [&](const Place& place) {
    const StoredObjectPtr stored = place.resource->store->Get(place.key);
    return stored == nullptr || (!ns.empty() && stored->namespace_() != ns);
  });
  return places;
}

void GarbageCollector::Advance(const std::string& uid) {
  const auto waits = waiting_.find(uid);
  if (waits == waiting_.end()) return;
  const Place place = waits->second;
  const StoredObjectPtr owner = place.resource->store->Get(place.key);
  if (owner == nullptr || owner->uid() != uid) {
    waiting_.erase(uid);
    return;
  }
  const bool orphan = HasFinalizer(owner->Parse(), kOrphanFinalizer);
  if (!Finish(owner, orphan)) return;
  const std::string_view finalizer = orphan ? kOrphanFinalizer : kForegroundFinalizer;
  (void)writer_
      .Modify(TargetOf(place.resource, owner),
              [&](json::Value& object) -> Result<void> {
                json::Array& finalizers = object["metadata"]["finalizers"].EnsureArray();
                std::erase(finalizers, json::Value(finalizer));
                return {};
              })
      .ok();  // gone already
}

bool GarbageCollector::Finish(const StoredObjectPtr& owner, bool orphan) {
  const std::string uid(owner->uid());
  if (orphan) {
    for (const Place& place : DependentsOf(uid, owner->namespace_())) DropOwners(place, {uid});
    return true;
  }
  for (const Place& place : DependentsOf(uid, owner->namespace_())) Attempt(place);
  for (const Place& place : DependentsOf(uid, owner->namespace_())) {
    const StoredObjectPtr stored = place.resource->store->Get(place.key);
    for (const Owner& named : OwnersOf(stored)) {
      if (named.uid == uid && named.blocks) return false;
    }
  }
  return true;
}

bool GarbageCollector::ClosesCircle(const StoredObjectPtr& dependent) const {
  std::set<std::string> owners;
  for (const Owner& owner : OwnersOf(dependent)) {
    if (waiting_.contains(owner.uid)) owners.insert(owner.uid);
  }
  // From the dependent on, those that wait for those that wait for it.
  std::set<std::string> seen;
  std::vector<std::string> next = {std::string(dependent->uid())};
  while (!next.empty()) {
    const std::string uid = std::move(next.back());
    next.pop_back();
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) continue;
    for (const Place& place : found->second) {
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
    const auto waits = waiting_.find(owner.uid);
    if (gone != gone_.end() && in_scope(gone->second)) {
      going.insert(owner.uid);
    } else if (waits != waiting_.end() &&
               in_scope(waits->second.resource->namespaced
                            ? waits->second.key.substr(0, waits->second.key.find('/'))
                            : std::string())) {
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
  if (stored->terminating()) return;
  DeleteRequest request{.uid = std::string(stored->uid())};
  if (foreground) {
    request.propagation = "Foreground";
  } else if (place.resource->deletion == DeletionRule::kOrphan) {
    request.propagation = PolicyOf(stored->Parse());  // not what is usual for the kind
  }
  (void)writer_.Delete(TargetOf(place.resource, stored), request).ok();  // gone already
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
  const StoredObjectPtr stored = place.resource->store->Get(place.key);
  if (stored == nullptr) return;
  (void)writer_
      .Modify(TargetOf(place.resource, stored),
              [&](json::Value& object) -> Result<void> {
                json::Array& owners = object["metadata"]["ownerReferences"].EnsureArray();
                change(owners);
                if (owners.empty()) object["metadata"].Erase("ownerReferences");
                return {};
              })
      .ok();  // gone already
}

}  // namespace kinformer::apiserver
