#include "cache/delivery/pending_events.h"

#include <cstdint>
#include <functional>
#include <utility>

namespace kinformer::internal::cache {
namespace {

// Slots that an empty queue keeps.
constexpr std::size_t kKeptSlots = 32;
// Number of slots that one merge adds to an incomplete index.
constexpr int kIndexStep = 64;

std::size_t BytesOf(const Notification& event) {
  std::size_t bytes = sizeof(Notification);
  if (event.old_object) bytes += event.old_object->allocated_bytes();
  if (event.type == EventType::kDeleted) bytes += event.object->allocated_bytes();
  return bytes;
}

bool IsResync(const Notification& event) {
  return event.type == EventType::kUpdated && event.old_object == event.object;
}

// Returns whether an update leaves the object as the handler knows it.
bool ChangesNothing(const Notification& event) {
  return event.type == EventType::kUpdated &&
         (event.old_object == event.object || event.old_object->SameAs(*event.object));
}

enum class NetEffect : std::uint8_t { kNothing, kOne, kBoth };

// Returns the combined effect of two events of one object. kOne: `newer` becomes that event.
NetEffect Merge(const Notification& older, Notification& newer) {
  switch (older.type) {
    case EventType::kAdded:
      // The object was added and deleted while the handler was busy.
      if (newer.type == EventType::kDeleted) return NetEffect::kNothing;
      newer.type = EventType::kAdded;
      newer.is_in_initial_list = older.is_in_initial_list;
      newer.old_object = ObjectRef();
      return NetEffect::kOne;
    case EventType::kUpdated: {
      const bool resyncs = IsResync(older) && IsResync(newer);
      // The state that the handler knows. A deletion keeps it for a later addition.
      newer.old_object = older.old_object;
      return ChangesNothing(newer) && !resyncs ? NetEffect::kNothing : NetEffect::kOne;
    }
    case EventType::kDeleted:
      // Two objects with the same name remain two events.
      if (newer.type != EventType::kAdded || older.object->uid() != newer.object->uid()) {
        return NetEffect::kBoth;
      }
      newer.type = EventType::kUpdated;
      newer.old_object = older.old_object ? older.old_object : older.object;
      return ChangesNothing(newer) ? NetEffect::kNothing : NetEffect::kOne;
  }
  return NetEffect::kBoth;
}

}  // namespace

bool PendingEvents::IsBulky() const { return slots_.size() > kKeptSlots || index_ != nullptr; }

// ---- the line

void PendingEvents::Append(const Notification& event) {
  Slot& slot = NewSlot();
  SetEvent(slot, event);
  ++load_.events;
  LinkLast(slot);
  if (index_ != nullptr) IndexNewest(slot);
}

void PendingEvents::Mark(std::shared_ptr<const SnapshotCore> state) {
  if (last_->state == nullptr) ++marks_;
  last_->state = std::move(state);
}

PendingEvents::Taken PendingEvents::Take() {
  Slot& slot = *first_;
  if (slot.indexed) index_->erase(index_->find(&slot));
  if (not_indexed_ == &slot) not_indexed_ = nullptr;
  Taken taken{std::move(slot.event), std::move(slot.state)};
  if (taken.state != nullptr) --marks_;
  Free(slot);
  return taken;
}

PendingEvents::Slot& PendingEvents::NewSlot() {
  if (free_ == nullptr) return slots_.emplace_back();
  Slot& slot = *free_;
  free_ = slot.newer;
  slot.newer = nullptr;
  return slot;
}

void PendingEvents::Free(Slot& slot) {
  load_ -= {1, slot.bytes};
  slot.bytes = 0;
  slot.indexed = false;
  Unlink(slot);
  slot.newer = std::exchange(free_, &slot);
}

void PendingEvents::SetEvent(Slot& slot, Notification event) {
  load_.bytes -= slot.bytes;
  slot.bytes = static_cast<std::uint32_t>(BytesOf(event));
  load_.bytes += slot.bytes;
  slot.event = std::move(event);
}

void PendingEvents::LinkLast(Slot& slot) {
  slot.newer = nullptr;
  slot.older = std::exchange(last_, &slot);
  (slot.older == nullptr ? first_ : slot.older->newer) = &slot;
}

void PendingEvents::Unlink(Slot& slot) {
  (slot.older == nullptr ? first_ : slot.older->newer) = slot.newer;
  (slot.newer == nullptr ? last_ : slot.newer->older) = slot.older;
}

// ---- merging

PendingEvents::NameOf::NameOf(const Slot* slot) : NameOf(slot->event.object.get()) {}
PendingEvents::NameOf::NameOf(const Block* block)
    : namespace_(block->namespace_()), name(block->name()) {}

std::size_t PendingEvents::HashOfName::operator()(const NameOf& name) const {
  const std::hash<std::string_view> hash;
  return hash(name.name) + 0x9e3779b97f4a7c15ULL * hash(name.namespace_);
}

std::size_t PendingEvents::Coalesce(const Notification& event) {
  ExtendIndex();
  const auto found = index_->find(event.object.get());
  if (found == index_->end()) {
    Append(event);
    return 0;
  }
  Slot& slot = **found;
  Notification merged = event;
  switch (Merge(slot.event, merged)) {
    case NetEffect::kNothing:
      index_->erase(found);
      slot.event = {};
      Free(slot);
      return 2;
    case NetEffect::kOne:
      SetEvent(slot, std::move(merged));
      Unlink(slot);
      LinkLast(slot);
      return 1;
    case NetEffect::kBoth:
      break;
  }
  Append(event);
  return 0;
}

void PendingEvents::IndexNewest(Slot& slot) {
  const auto [it, fresh] = index_->insert(&slot);
  if (!fresh) {
    (*it)->indexed = false;
    index_->erase(it);
    index_->insert(&slot);
  }
  slot.indexed = true;
}

void PendingEvents::ExtendIndex() {
  if (index_ == nullptr) {
    index_ = std::make_unique<Index>();
    not_indexed_ = last_;
  }
  for (int i = 0; i < kIndexStep && not_indexed_ != nullptr; ++i) {
    not_indexed_->indexed = index_->insert(not_indexed_).second;
    not_indexed_ = not_indexed_->older;
  }
}

}  // namespace kinformer::internal::cache
