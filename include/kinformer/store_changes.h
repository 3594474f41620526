// kinformer/store_changes.h
//
// ChangesSince: what changed in a store since a snapshot of it, net for each key.
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

#ifndef KINFORMER_STORE_CHANGES_H_
#define KINFORMER_STORE_CHANGES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/net_changes.h"
#include "kinformer/internal/reading_side.h"
#include "kinformer/ref.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/snapshot.h"

namespace kinformer {

// How much of what changed is kept; the oldest goes first.
struct ChangeWindow {
  std::size_t events = 10'000;
  // Of the objects in those events, where the store has them still, too.
  std::size_t bytes = std::size_t{64} << 20;
};

// `object` is the one that is there now; of a deletion, the last one that was.
template <ObjectView T>
struct NetChange {
  NetChangeType type{};
  Ref<T> object{};
};

// The objects of the older version, less what was deleted, with what was added or updated, are
// those of `snapshot`.
template <ObjectView T>
struct StoreChanges {
  std::vector<NetChange<T>> changes{};  // one for each key, in the order of their last change
  Snapshot<T> snapshot{};
};

// From now on the store of this Store, Indexer, Lister or SharedInformer keeps its changes, within
// the larger of the windows that anybody asked for, for as long as it lives. Costs 16 bytes for an
// event, about 100 for a version, and the objects that the store would have freed. A store that
// nobody asked keeps nothing.
//
// Thread-safe. Never blocks. Counterpart: none in client-go.
template <internal::ReadingSide Source>
void KeepChanges(const Source& source, ChangeWindow window = {}) {
  internal::ReadingSideOf(source)->KeepChanges(window.events, window.bytes);
}

// What changed from a version of the same store (Snapshot::version, Snapshot::epoch) to the current
// one. Who keeps the two numbers rather than the snapshot keeps no memory.
//
// A key that was added and deleted since is left out; one that was deleted and added again is
// updated: its uid tells. An object that was written again without a change may be given as
// updated.
//
// kExpired: the window does not reach back so far, changes were not kept then, or the server went
// back in time meanwhile (another epoch): take a Snapshot, and compare it with what you know.
// kInvalidArgument: the store has not been at that version yet, so it is another's.
//
// Thread-safe. Waits for nobody but, for a moment, a commit.
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
// The same for a snapshot of the store.
template <internal::ReadingSide Source>
[[nodiscard]] Result<StoreChanges<internal::ViewOf<Source>>> ChangesSince(
    const Source& source, const Snapshot<internal::ViewOf<Source>>& since) {
  return ChangesSince(source, since.version(), since.epoch());
}

}  // namespace kinformer

#endif  // KINFORMER_STORE_CHANGES_H_
