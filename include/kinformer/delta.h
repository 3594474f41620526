// kinformer/delta.h
//
// Delta: one change of a collection on its way from a Reflector to whoever keeps a copy of it. A
// queue (delta_fifo.h) takes them in and gives them out as Deltas.

#ifndef KINFORMER_DELTA_H_
#define KINFORMER_DELTA_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/object_name.h"
#include "kinformer/ref.h"

namespace kinformer {

// What has changed. Counterpart: cache.DeltaType.
enum class DeltaType : std::uint8_t {
  kAdded,
  kUpdated,
  kDeleted,
  // An object of a list. Whether it differs from what is known, the consumer finds out.
  kReplaced,
  // An object that is known already, once more: of a resync.
  kSync,
  // A whole list, in one piece: `info` has the objects. What is not among them is gone.
  kReplacedAll,
  // All objects that the consumer knows, once more: a whole resync.
  kSyncAll,
  // Nothing has changed, up to the resourceVersion in `info`.
  kBookmark,
  // An object is there, under the name in `info`, but its bytes are malformed; or, with
  // final_state_unknown, such an object is gone. client-go has none: there one malformed object
  // stops the whole list or watch.
  kUnreadable,
};

// An object that is gone, and of which only an earlier state is known: nobody saw the deletion
// itself. Counterpart: cache.DeletedFinalStateUnknown, which may lack the object; here it never
// does.
template <class T>
struct DeletedFinalStateUnknown {
  Ref<T> object{};
};

// A whole list. Counterpart: cache.ReplacedAllInfo.
template <class T>
struct ReplacedAllInfo {
  // Of the collection.
  std::string resourceVersion{};
  std::vector<Ref<T>> objects{};
  // Objects that are in the collection too, but whose bytes are malformed. They are not gone.
  std::vector<ObjectName> unreadable{};
};

// A value; copies share the object. Thread-compatible. Counterpart: cache.Delta.
template <class T>
struct Delta {
  DeltaType type{};
  // kDeleted: a tombstone, as of DeletedFinalStateUnknown. kUnreadable: the object is gone.
  bool final_state_unknown{false};
  // The state after the change; of kDeleted, the last state known. Null for the kinds that are not
  // about one readable object: kReplacedAll, kSyncAll, kBookmark, kUnreadable.
  Ref<T> object{};
  // kReplacedAll: the list. kBookmark: its resourceVersion, and no objects. kUnreadable: the one
  // name. Otherwise null.
  std::shared_ptr<const ReplacedAllInfo<T>> info{};
};

// What a queue gives out at a time, oldest first; never empty. Counterpart: cache.Deltas.
template <class T>
using Deltas = std::vector<Delta<T>>;

}  // namespace kinformer

#endif  // KINFORMER_DELTA_H_
