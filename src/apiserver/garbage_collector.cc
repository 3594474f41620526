#include "apiserver/garbage_collector.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apiserver/object_writer.h"

namespace kinformer::apiserver {
namespace {

// How many deleted objects are remembered for dependents that are made too late.
constexpr std::size_t kMaxGone = 4096;

struct Owner {
  std::string uid;
  bool blocks = false;
  bool operator==(const Owner&) const = default;
};

std::vector<Owner> OwnersOf(const RecordPtr& record) {
  std::vector<Owner> owners;
  if (record == nullptr || !record->owned()) return owners;
  const json::Value object = record->Parse();
  for (const json::Value& owner : object.At("/metadata/ownerReferences").items()) {
    owners.push_back({.uid = owner["uid"].StringOrEmpty(),
                      .blocks = owner["blockOwnerDeletion"].AsBool().value_or(false)});
  }
  return owners;
}

bool HasFinalizer(const json::Value& object, std::string_view name) {
  const json::Array& finalizers = object.At("/metadata/finalizers").items();
  return std::find(finalizers.begin(), finalizers.end(), json::Value(name)) != finalizers.end();
}

WriteTarget TargetOf(const std::shared_ptr<ServedResource>& resource, const RecordPtr& record) {
  return {.at = {.resource = resource, .version = resource->versions.front()},
          .namespace_ = std::string(record->namespace_()),
          .name = std::string(record->name()),
          .keep_status = true};
}

}  // namespace

bool SetCollectorFinalizers(std::string_view policy, json::Value& object) {
  std::string_view wanted;
  if (policy == "Orphan" || (policy.empty() && HasFinalizer(object, kOrphanFinalizer))) {
    wanted = kOrphanFinalizer;
  } else if (policy == "Foreground" ||
             (policy.empty() && HasFinalizer(object, kForegroundFinalizer))) {
    wanted = kForegroundFinalizer;
  }
  const json::Value before = std::as_const(object).At("/metadata/finalizers");
  json::Value after = json::Value::MakeArray();
  for (const json::Value& finalizer : before.items()) {
    const std::string& name = finalizer.StringOrEmpty();
    if ((name != kOrphanFinalizer && name != kForegroundFinalizer) || name == wanted) {
      after.Append(finalizer);
    }
  }
  if (!wanted.empty() && !HasFinalizer(object, wanted)) after.Append(wanted);
  if (after.items() == before.items()) return false;
  object["metadata"].Set("finalizers", std::move(after));
  return true;
}

void GarbageCollector::AfterPut(const ResourceAt& at, const RecordPtr& old, const RecordPtr& record,
                                const json::Value& object) {
  IndexOwners(at, old, record);
  if (object.At("/metadata/deletionTimestamp").is_null()) return;
  if (!HasFinalizer(object, kOrphanFinalizer) && !HasFinalizer(object, kForegroundFinalizer)) {
    waiting_.erase(std::string(record->uid()));
    return;
  }
  const std::string uid(record->uid());
  waiting_.insert_or_assign(uid, Place{.resource = at.resource, .key = record->key()});
  state_.Post([this, uid] { Advance(uid); });
}

void GarbageCollector::AfterRemove(const ResourceAt& at, const RecordPtr& old) {
  IndexOwners(at, old, nullptr);
  const std::string uid(old->uid());
  waiting_.erase(uid);
  RememberGone(old);
  if (!dependents_.contains(uid)) return;
  state_.Post([this, uid, ns = std::string(old->namespace_())] {
    for (const Place& place : DependentsOf(uid, ns)) Attempt(place);
  });
}

void GarbageCollector::IndexOwners(const ResourceAt& at, const RecordPtr& old,
                                   const RecordPtr& record) {
  const std::vector<Owner> before = OwnersOf(old);
  const std::vector<Owner> after = OwnersOf(record);
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
    dependents_[owner.uid].insert({.resource = at.resource, .key = record->key()});
    late = late || gone_.contains(owner.uid);
  }
  if (!late) return;
  state_.Post(
      [this, place = Place{.resource = at.resource, .key = record->key()}] { Attempt(place); });
}

void GarbageCollector::RememberGone(const RecordPtr& old) {
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
    const RecordPtr record = place.resource->store->Get(place.key);
    return record == nullptr || (!ns.empty() && record->namespace_() != ns);
  });
  return places;
}

void GarbageCollector::Advance(const std::string& uid) {
  const auto waits = waiting_.find(uid);
  if (waits == waiting_.end()) return;
  const Place place = waits->second;
  const RecordPtr owner = place.resource->store->Get(place.key);
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

bool GarbageCollector::Finish(const RecordPtr& owner, bool orphan) {
  const std::string uid(owner->uid());
  if (orphan) {
    for (const Place& place : DependentsOf(uid, owner->namespace_())) DropOwners(place, {uid});
    return true;
  }
  for (const Place& place : DependentsOf(uid, owner->namespace_())) Attempt(place);
  for (const Place& place : DependentsOf(uid, owner->namespace_())) {
    const RecordPtr record = place.resource->store->Get(place.key);
    for (const Owner& named : OwnersOf(record)) {
      if (named.uid != uid || !named.blocks) continue;
      // Two that own each other would wait for ever.
      const auto theirs = dependents_.find(std::string(record->uid()));
      const bool mutual =
          theirs != dependents_.end() &&
          std::any_of(theirs->second.begin(), theirs->second.end(),
                      [&](const Place& other) { return other.key == owner->key(); });
      if (!mutual) return false;
    }
  }
  return true;
}

void GarbageCollector::Attempt(const Place& place) {
  const RecordPtr record = place.resource->store->Get(place.key);
  if (record == nullptr) return;
  std::set<std::string> going;
  bool solid = false;
  bool held = false;
  for (const Owner& owner : OwnersOf(record)) {
    const auto in_scope = [&](std::string_view ns) {
      return ns.empty() || ns == record->namespace_();
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
  if (record->terminating()) return;
  const bool owner_too = dependents_.contains(std::string(record->uid()));
  (void)writer_
      .Delete(
          TargetOf(place.resource, record),
          {.uid = std::string(record->uid()), .propagation = held && owner_too ? "Foreground" : ""})
      .ok();  // gone already
}

void GarbageCollector::DropOwners(const Place& place, const std::set<std::string>& uids) {
  const RecordPtr record = place.resource->store->Get(place.key);
  if (record == nullptr) return;
  (void)writer_
      .Modify(TargetOf(place.resource, record),
              [&](json::Value& object) -> Result<void> {
                json::Array& owners = object["metadata"]["ownerReferences"].EnsureArray();
                std::erase_if(owners, [&](const json::Value& owner) {
                  return uids.contains(owner["uid"].StringOrEmpty());
                });
                if (owners.empty()) object["metadata"].Erase("ownerReferences");
                return {};
              })
      .ok();  // gone already
}

}  // namespace kinformer::apiserver
