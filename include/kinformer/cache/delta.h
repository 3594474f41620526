// kinformer/cache/delta.h
//
// Delta: one change of a collection, on its way from a Reflector to a consumer that keeps a copy. A
// queue (queue.h) stores changes and returns them as Deltas.

#ifndef KINFORMER_CACHE_DELTA_H_
#define KINFORMER_CACHE_DELTA_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"

namespace kinformer {

// Kind of a change. Counterpart: cache.DeltaType.
enum class DeltaType : std::uint8_t {
  kAdded,
  kUpdated,
  kDeleted,
  // An object of a list. The consumer has to compare it with the known state.
  kReplaced,
  // A known object once more, by a resync.
  kSync,
  // A whole list, in one piece: `info` has the objects. Known objects that are not in it are gone.
  kReplacedAll,
  // All objects that the consumer knows, once more: a whole resync.
  kSyncAll,
  // No change, up to the resourceVersion in `info`.
  kBookmark,
  // An existing object with malformed bytes, with the name in `info`; or, with final_state_unknown,
  // the deletion of such an object. Counterpart: none; in client-go one malformed object stops the
  // whole list or watch.
  kUnreadable,
};

// A deleted object in an earlier state, because the deletion itself was not observed.
// Counterpart: cache.DeletedFinalStateUnknown, which may lack the object; here it is always
// present.
template <class T>
struct DeletedFinalStateUnknown {
  Ref<T> object{};
};

// A whole list. Counterpart: cache.ReplacedAllInfo.
template <class T>
struct ReplacedAllInfo {
  // Version of the collection.
  std::string resourceVersion{};
  std::vector<Ref<T>> objects{};
  // Objects that exist in the collection but have malformed bytes. They are not deleted.
  std::vector<ObjectName> unreadable{};
};

// One change. A value; copies share the object. Thread-compatible. Counterpart: cache.Delta.
template <class T>
struct Delta {
  DeltaType type{};
  // kDeleted: a tombstone, as in DeletedFinalStateUnknown. kUnreadable: the object is gone.
  bool final_state_unknown{false};
  // The state after the change; for kDeleted, the last known state. Null for changes that do not
  // concern one readable object: kReplacedAll, kSyncAll, kBookmark, kUnreadable.
  Ref<T> object{};
  // kReplacedAll: the list. kBookmark: its resourceVersion, without objects. kUnreadable: the name
  // of the object. Otherwise null.
  std::shared_ptr<const ReplacedAllInfo<T>> info{};
};

// Changes that a queue returns together, oldest first; never empty. Counterpart: cache.Deltas.
template <class T>
using Deltas = std::vector<Delta<T>>;

}  // namespace kinformer

#endif  // KINFORMER_CACHE_DELTA_H_
