#include "cache/apply/store_part_writer.h"

#include <utility>

#include "cache/figures/informer_metrics.h"

namespace kinformer::internal::cache {
namespace {

// Returns whether it is an event of a watch for one object.
bool IsWatched(const Delta& delta) {
  return delta.type == DeltaType::kAdded || delta.type == DeltaType::kUpdated ||
         (delta.type == DeltaType::kDeleted && !delta.final_state_unknown);
}

}  // namespace

StorePartWriter::StorePartWriter(Env& env, PartedStore& store, StorePart part,
                                 StorePartWriterOptions options)
    : env_(env),
      store_(store),
      part_(std::move(part)),
      options_(std::move(options)),
      position_(store.positions.Of(part_.key())),
      room_(env, store.limit.get(), options_.relist),
      gaps_(env, options_.name, options_.relist) {}

// ---- what the reflector receives

bool StorePartWriter::TakeListed(ObjectRef& object) {
  // Shares an unchanged object with the store, so that a list does not need memory for it twice.
  const Block* known = store_.store.Peek(object->namespace_(), object->name()).object;
  if (known != nullptr && known->SameAs(*object)) {
    object = ObjectRef::Share(known);
  } else {
    object = store_.store.Pack(std::move(object));
  }
  return room_.TakeListed(*object, known);
}

void StorePartWriter::ListQueued(std::uint64_t epoch, KeySet left_out) {
  room_.EndList();
  lists_.push_back({epoch, std::move(left_out)});
}

// ---- single changes

void StorePartWriter::BeginBatch() {
  notifications_.clear();
  store_.store.Begin();
}

bool StorePartWriter::IsNews(const Delta& delta, const StoreSpot& spot) {
  const Block& object = *delta.object;
  if (store_.coverage.IsUnreadable(object.namespace_(), object.name()) ||
      store_.coverage.left_out().Contains(object.namespace_(), object.name())) {
    return true;
  }
  switch (gaps_.Judge(delta.type, object, spot.object)) {
    case GapDetector::Verdict::kFits:
      return true;
    case GapDetector::Verdict::kReplay:
      Count(store_.counters.unchanged);
      return false;
    case GapDetector::Verdict::kGap:
      break;
  }
  Count(store_.counters.gaps);
  if (options_.metrics != nullptr) options_.metrics->gaps->Add();
  return true;
}

void StorePartWriter::Apply(Delta& delta, bool is_in_initial_list) {
  StoreSpot spot;
  if (IsWatched(delta)) {
    spot = store_.store.Find(delta.object->namespace_(), delta.object->name());
    if (!IsNews(delta, spot)) return;
  }
  switch (delta.type) {
    case DeltaType::kBookmark:
      return Wrote(delta.extra->resourceVersion);
    case DeltaType::kUnreadable:
      return ApplyUnreadable(delta);
    case DeltaType::kDeleted:
      if (!delta.final_state_unknown) Wrote(delta.object->resourceVersion());
      return ApplyDelete(delta.object->namespace_(), delta.object->name(), delta.object,
                         delta.final_state_unknown);
    case DeltaType::kAdded:
    case DeltaType::kUpdated:
      return Write(delta.object, spot, is_in_initial_list);
    case DeltaType::kReplaced:
    case DeltaType::kSync:
    case DeltaType::kReplacedAll:
    case DeltaType::kSyncAll:
      return;
  }
}

void StorePartWriter::Wrote(std::string_view resourceVersion) {
  unversioned_ = false;
  position_->AdvanceResourceVersion(resourceVersion);
}

void StorePartWriter::ApplyUnreadable(Delta& delta) {
  unversioned_ = true;
  for (ObjectName& name : delta.extra->unreadable) {
    store_.coverage.RemoveLeftOut(name.namespace_, name.name);
    if (delta.final_state_unknown) {
      ApplyDelete(name.namespace_, name.name, ObjectRef(), true);
    } else {
      store_.coverage.AddUnreadable(std::move(name));
    }
  }
}

void StorePartWriter::Write(const ObjectRef& object, const StoreSpot& spot,
                            bool is_in_initial_list) {
  store_.coverage.RemoveUnreadable(object->namespace_(), object->name());
  Wrote(object->resourceVersion());
  ObjectRef kept = object;
  if (room_.bounded()) {
    // Stored objects are packed, and only packed sizes can be compared with them.
    kept = store_.store.Packed(std::move(kept));
    if (!room_.HasRoomFor(*kept, spot.object)) return LeaveOut(*object);
    store_.coverage.RemoveLeftOut(object->namespace_(), object->name());
  }
  bool same = false;
  const ObjectRef old = store_.store.Put(std::move(kept), spot, &same);
  if (same) {
    Count(store_.counters.unchanged);
    return;
  }
  const auto epoch = static_cast<std::uint32_t>(epoch_);
  if (!old) {
    Count(store_.counters.added);
    notifications_.push_back({.type = EventType::kAdded,
                              .is_in_initial_list = is_in_initial_list && !options_.ever_synced,
                              .epoch = epoch,
                              .object = object});
    return;
  }
  Count(store_.counters.modified);
  if (!options_.uid_change_is_update && old->uid() != object->uid()) {
    notifications_.push_back(
        {.type = EventType::kDeleted, .final_state_unknown = true, .epoch = epoch, .object = old});
    notifications_.push_back({.type = EventType::kAdded, .epoch = epoch, .object = object});
    return;
  }
  notifications_.push_back(
      {.type = EventType::kUpdated, .epoch = epoch, .old_object = old, .object = object});
}

void StorePartWriter::LeaveOut(const Block& object) {
  store_.coverage.AddLeftOut(part_, object.namespace_(), object.name());
  ObjectRef old = store_.store.Erase(object.namespace_(), object.name());
  room_.LeftOut();
  if (!old) return;
  // Handlers see the object as deleted.
  Count(store_.counters.deleted);
  notifications_.push_back({.type = EventType::kDeleted,
                            .final_state_unknown = true,
                            .epoch = static_cast<std::uint32_t>(epoch_),
                            .object = std::move(old)});
}

void StorePartWriter::ApplyDelete(std::string_view namespace_, std::string_view name,
                                  ObjectRef last, bool final_state_unknown) {
  store_.coverage.RemoveUnreadable(namespace_, name);
  store_.coverage.RemoveLeftOut(namespace_, name);
  ObjectRef old = store_.store.Erase(namespace_, name);
  if (!old) return;
  Count(store_.counters.deleted);
  if (last && gaps_.DifferentUids(*last, *old)) {
    // Reports the end of the object that was stored, not of the deleted one with another uid.
    last = ObjectRef();
    final_state_unknown = true;
  }
  if (!last) last = old;
  // The event's object is newer than what handlers know. If a server that went back in time sends
  // it again as it was, handlers get the difference to the state that they know.
  if (last == old) old = ObjectRef();
  notifications_.push_back({.type = EventType::kDeleted,
                            .final_state_unknown = final_state_unknown,
                            .epoch = static_cast<std::uint32_t>(epoch_),
                            .old_object = std::move(old),
                            .object = std::move(last)});
}

// ---- a whole list

void StorePartWriter::BeginRelist(std::unique_ptr<DeltaExtra> list, Relist::Observer observer) {
  epoch_ = lists_.front().epoch;
  relist_left_out_ = std::move(lists_.front().left_out);
  lists_.pop_front();
  unversioned_ = false;
  room_.BeginRelist();
  relist_ = std::make_unique<Relist>(env_, store_.store, store_.counters, part_, std::move(list),
                                     std::move(observer));
}

std::unique_ptr<Relist> StorePartWriter::EndRelist(bool synced) {
  std::unique_ptr<Relist> relist = std::move(relist_);
  const DeltaExtra& list = relist->list();
  room_.EndRelist();
  gaps_.Listed(list.resourceVersion);
  if (!list.resourceVersion.empty()) position_->SetResourceVersion(list.resourceVersion);
  position_->SetEpoch(epoch_);
  if (lists_until_complete_ > 0) --lists_until_complete_;
  store_.coverage.SetEpoch(part_, epoch_);
  store_.coverage.AssignUnreadable(list.unreadable, part_);
  store_.coverage.AssignLeftOut(std::exchange(relist_left_out_, {}), part_);
  Commit(synced);
  return relist;
}

// ---- commits

void StorePartWriter::SetComplete(bool complete) {
  const bool was_complete = std::exchange(completeness_.complete, complete);
  if (was_complete != complete) store_.coverage.SetComplete(complete, part_);
}

void StorePartWriter::Commit(bool synced) {
  completeness_.has_room = room_.Tolerates(LeftOutHere());
  if (synced) SetComplete(lists_until_complete_ == 0 && completeness_.has_room);
  store_.coverage.Publish();
  store_.positions.BeforeCommit(*position_);
  store_.store.Commit();
  store_.positions.AfterCommit(*position_);
  store_.counters.left_out.store(store_.coverage.left_out().size(), std::memory_order_relaxed);
}

bool StorePartWriter::ResourceAbsent() {
  // Lists that are already in the queue are older than this answer, so they do not count.
  lists_until_complete_ = 1 + lists_.size() + (relisting() ? 1 : 0);
  SetComplete(false);
  if (!store_.turn.IsFree()) return false;
  store_.store.Begin();
  store_.coverage.Publish();
  store_.store.Commit();
  return true;
}

void StorePartWriter::OfferRoom() {
  room_.Committed(LeftOutHere());
  // No list waits in the queue any more, so none needs its reserved room.
  if (lists_.empty()) room_.CaughtUp();
}

}  // namespace kinformer::internal::cache
