// kinformer/cache/store_changes.h
//
// ChangesSince: net changes of a store since a snapshot of it, by key.
//
//   KeepChanges(pods, {.events = 50'000});
//   Snapshot<corev1::Pod> known = pods.Snapshot();
//   ...
//   auto news = ChangesSince(pods, known);
//   if (news) {
//     for (const NetChange<corev1::Pod>& change : news->changes) ...
//     known = news->snapshot;
//   } else {
//     known = pods.Snapshot();  // kExpired: anything may have changed
//   }

#ifndef KINFORMER_CACHE_STORE_CHANGES_H_
#define KINFORMER_CACHE_STORE_CHANGES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/cache/event_type.h"
#include "kinformer/cache/snapshot.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/net_changes.h"
#include "kinformer/internal/reading_side.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Limits of the changes that a store keeps; the oldest are discarded first.
struct ChangeWindow {
  std::size_t events = 10'000;
  // Bytes of the objects in those events, including objects that are still in the store.
  std::size_t bytes = std::size_t{64} << 20;
};

// A net change. `object` is the current object; for a deletion, the last one.
template <ObjectView T>
struct NetChange {
  EventType type{};
  Ref<T> object{};
};

// Net changes between two versions. Applying them to the older version gives the objects of
// `snapshot`.
template <ObjectView T>
struct StoreChanges {
  std::vector<NetChange<T>> changes{};  // one for each key, in the order of their last change
  Snapshot<T> snapshot{};
};

// Makes the store of this Store, Indexer, Lister or SharedInformer keep its changes from now on,
// for as long as it lives, within the largest window that was requested. Costs 16 bytes per event,
// about 100 per version, and the objects that the store would have freed. Without a call, a store
// keeps no changes.
//
// Thread-safe. Never blocks. Counterpart: none in client-go.
template <internal::ReadingSide Source>
void KeepChanges(const Source& source, ChangeWindow window = {}) {
  internal::ReadingSideOf(source)->KeepChanges(window.events, window.bytes);
}

// Returns the changes from a version of the same store (Snapshot::version, Snapshot::epoch) to the
// current one. Callers that keep the two numbers instead of a snapshot keep no objects in memory.
//
// A key that was added and deleted since then is omitted; one that was deleted and added again is
// an update with another uid. An object that was written without a change may be reported as
// updated.
//
// kExpired: the window does not reach back that far, changes were not kept yet, or the server went
// back in time meanwhile (another epoch): take a Snapshot, and compare it with the known state.
// kInvalidArgument: the store has not reached that version, so it belongs to another store.
//
// Thread-safe. May wait for a commit, for a moment.
template <internal::ReadingSide Source>
[[nodiscard]] Result<StoreChanges<internal::ViewOf<Source>>> ChangesSince(const Source& source,
                                                                          std::uint64_t version,
                                                                          std::uint64_t epoch) {
  using T = internal::ViewOf<Source>;
  Result<internal::NetChanges> untyped =
      internal::ReadingSideOf(source)->ChangesSince(version, epoch);
  if (!untyped) return std::move(untyped).error();
  StoreChanges<T> typed;
  typed.changes.reserve(untyped->changes.size());
  for (internal::NetChanges::Change& change : untyped->changes) {
    typed.changes.push_back({change.type, Ref<T>(std::move(change.object))});
  }
  typed.snapshot = Snapshot<T>(std::move(untyped->snapshot));
  return typed;
}
// Does the same for a snapshot of the store.
template <internal::ReadingSide Source>
[[nodiscard]] Result<StoreChanges<internal::ViewOf<Source>>> ChangesSince(
    const Source& source, const Snapshot<internal::ViewOf<Source>>& since) {
  return ChangesSince(source, since.version(), since.epoch());
}

}  // namespace kinformer

#endif  // KINFORMER_CACHE_STORE_CHANGES_H_
