#include "cache/apply/delta_applier.h"

#include <utility>

#include "cache/figures/informer_metrics.h"

namespace kinformer::internal::cache {

void DeltaApplier::Begin(std::uint64_t epoch) {
  notifications_.clear();
  epoch_ = static_cast<std::uint32_t>(epoch);
}

bool DeltaApplier::IsNews(const Delta& delta) {
  const bool watched = delta.type == DeltaType::kAdded || delta.type == DeltaType::kUpdated ||
                       (delta.type == DeltaType::kDeleted && !delta.final_state_unknown);
  if (!watched) return true;
  const Block& object = *delta.object;
  if (to_.coverage.IsUnreadable(object.namespace_(), object.name()) ||
      to_.coverage.left_out().Contains(object.namespace_(), object.name())) {
    return true;
  }
  const Block* const stored = to_.store.Peek(object.namespace_(), object.name()).object;
  switch (to_.gaps.Judge(delta.type, object, stored)) {
    case GapDetector::Verdict::kFits:
      return true;
    case GapDetector::Verdict::kReplay:
      Count(to_.counters.unchanged);
      return false;
    case GapDetector::Verdict::kGap:
      break;
  }
  Count(to_.counters.gaps);
  if (options_.metrics != nullptr) options_.metrics->gaps->Add();
  return true;
}

void DeltaApplier::Apply(Delta& delta, bool is_in_initial_list) {
  if (!IsNews(delta)) return;
  switch (delta.type) {
    case DeltaType::kBookmark:
      return Wrote(delta.extra->resourceVersion);
    case DeltaType::kUnreadable:
      return ApplyUnreadable(delta);
    case DeltaType::kDeleted:
      if (!delta.final_state_unknown) Wrote(delta.object->resourceVersion());
      ApplyDelete(delta.object->namespace_(), delta.object->name(), delta.object,
                  delta.final_state_unknown);
      return;
    case DeltaType::kAdded:
    case DeltaType::kUpdated:
      return Write(delta.object, is_in_initial_list);
    case DeltaType::kReplaced:
    case DeltaType::kSync:
    case DeltaType::kReplacedAll:
    case DeltaType::kSyncAll:
      return;
  }
}

void DeltaApplier::Wrote(std::string_view resourceVersion) {
  unversioned_ = false;
  to_.position.AdvanceResourceVersion(resourceVersion);
}

void DeltaApplier::ApplyUnreadable(Delta& delta) {
  unversioned_ = true;
  for (ObjectName& name : delta.extra->unreadable) {
    to_.coverage.RemoveLeftOut(name.namespace_, name.name);
    if (delta.final_state_unknown) {
      ApplyDelete(name.namespace_, name.name, ObjectRef(), true);
    } else {
      to_.coverage.AddUnreadable(std::move(name));
    }
  }
}

void DeltaApplier::Write(const ObjectRef& object, bool is_in_initial_list) {
  to_.coverage.RemoveUnreadable(object->namespace_(), object->name());
  Wrote(object->resourceVersion());
  ObjectRef kept = object;
  if (to_.limit.bounded()) {
    // Stored objects are packed, and only packed sizes can be compared with them.
    kept = to_.store.Packed(std::move(kept));
    const Block* known = to_.store.Peek(object->namespace_(), object->name()).object;
    if (!to_.limit.HasRoomFor(*kept, known)) return LeaveOut(*object);
    to_.coverage.RemoveLeftOut(object->namespace_(), object->name());
  }
  bool same = false;
  const ObjectRef old = to_.store.Put(std::move(kept), &same);
  if (same) {
    Count(to_.counters.unchanged);
    return;
  }
  if (!old) {
    Count(to_.counters.added);
    notifications_.push_back({.type = EventType::kAdded,
                              .is_in_initial_list = is_in_initial_list && !options_.ever_synced,
                              .epoch = epoch_,
                              .object = object});
    return;
  }
  Count(to_.counters.modified);
  if (!options_.uid_change_is_update && old->uid() != object->uid()) {
    notifications_.push_back(
        {.type = EventType::kDeleted, .final_state_unknown = true, .epoch = epoch_, .object = old});
    notifications_.push_back({.type = EventType::kAdded, .epoch = epoch_, .object = object});
    return;
  }
  notifications_.push_back(
      {.type = EventType::kUpdated, .epoch = epoch_, .old_object = old, .object = object});
}

void DeltaApplier::LeaveOut(const Block& object) {
  to_.coverage.AddLeftOut(object.namespace_(), object.name());
  ObjectRef old = to_.store.Erase(object.namespace_(), object.name());
  to_.limit.LeftOut();
  if (!old) return;
  // Handlers see the object as deleted.
  Count(to_.counters.deleted);
  notifications_.push_back({.type = EventType::kDeleted,
                            .final_state_unknown = true,
                            .epoch = epoch_,
                            .object = std::move(old)});
}

void DeltaApplier::ApplyDelete(std::string_view namespace_, std::string_view name, ObjectRef last,
                               bool final_state_unknown) {
  to_.coverage.RemoveUnreadable(namespace_, name);
  to_.coverage.RemoveLeftOut(namespace_, name);
  ObjectRef old = to_.store.Erase(namespace_, name);
  if (!old) return;
  Count(to_.counters.deleted);
  if (last && to_.gaps.DifferentUids(*last, *old)) {
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
                            .epoch = epoch_,
                            .old_object = std::move(old),
                            .object = std::move(last)});
}

}  // namespace kinformer::internal::cache
