#include "cache/apply/relist.h"

#include <utility>
#include <vector>

#include "cache/apply/expect.h"

namespace kinformer::internal::cache {

namespace {

constexpr std::size_t kStepsPerLook = 256;

}  // namespace

Relist::Relist(Env& env, StoreCore& store, PipelineCounters& counters, const StorePart& part,
               std::unique_ptr<DeltaExtra> list, Observer observer)
    : env_(env),
      store_(store),
      counters_(counters),
      list_(std::move(list)),
      observer_(std::move(observer)),
      before_(store.Snapshot()),
      entries_(store.entries_end()),
      scoped_(!part.IsAll()),
      scope_(scoped_ ? part.In(*before_) : std::vector<const Block*>()),
      kept_(entries_) {
  store_.Begin();
  store_.Reserve(list_->objects.size() + (scoped_ ? before_->size() - scope_.size() : 0));
}

bool Relist::Continue(SteadyTime until) {
  if (!PutObjects(until)) return false;
  return EraseTheRest(until);
}

bool Relist::TimeIsUp(SteadyTime until) {
  return ++steps_ % kStepsPerLook == 0 && env_.Now() >= until;
}

void Relist::Keep(const StoreEntry& entry) {
  if (entry.object != nullptr && entry.committed && kept_.Mark(entry.number)) ++kept_count_;
}

bool Relist::PutObjects(SteadyTime until) {
  if (next_object_ > list_->objects.size()) return true;
  while (next_object_ < list_->objects.size()) {
    PutNext();
    if (TimeIsUp(until)) return false;
  }
  // Objects that are now unreadable keep their last readable state.
  for (const ObjectName& name : list_->unreadable) Keep(store_.Peek(name.namespace_, name.name));
  // Past the end: marks this step as done.
  ++next_object_;
  return true;
}

void Relist::PutNext() {
  ExpectFrom(store_, list_->objects, next_object_);
  ObjectRef object = std::move(list_->objects[next_object_++]);
  // Skips the look-up during a first list into an empty store.
  const StoreEntry known =
      before_->size() == 0 ? StoreEntry() : store_.Peek(object->namespace_(), object->name());
  Keep(known);
  if (known.object != nullptr && (known.object == object.get() || known.object->SameAs(*object))) {
    Count(counters_.unchanged);
    return;
  }
  const ObjectRef seen = observer_ ? object : ObjectRef();
  const auto replaces = static_cast<bool>(store_.Put(std::move(object)));
  Count(replaces ? counters_.modified : counters_.added);
  if (seen) observer_(replaces ? EventType::kUpdated : EventType::kAdded, *seen);
}

bool Relist::EraseTheRest(SteadyTime until) {
  if (scoped_) {
    if (kept_count_ == scope_.size()) return true;
    while (next_entry_ < scope_.size()) {
      const Block& was = *scope_[next_entry_++];
      Erase(store_.Peek(was.namespace_(), was.name()));
      if (TimeIsUp(until)) return false;
    }
    return true;
  }
  if (kept_count_ == before_->size()) return true;
  while (next_entry_ < entries_) {
    Erase(store_.PeekAt(next_entry_++));
    if (TimeIsUp(until)) return false;
  }
  return true;
}

void Relist::Erase(const StoreEntry& entry) {
  // Objects written since are part of the list, even with an unmarked entry: those took the place
  // of a deletion.
  if (entry.object == nullptr || !entry.committed || kept_.Has(entry.number)) return;
  Count(counters_.deleted);
  if (observer_) observer_(EventType::kDeleted, *entry.object);
  static_cast<void>(store_.Erase(entry.object->namespace_(), entry.object->name()));
}

}  // namespace kinformer::internal::cache
