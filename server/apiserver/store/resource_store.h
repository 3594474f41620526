// apiserver/store/resource_store.h
//
// ResourceStore: the objects of one resource, at every version that history covers, and the log of
// their changes.

#ifndef KINFORMER_APISERVER_STORE_RESOURCE_STORE_H_
#define KINFORMER_APISERVER_STORE_RESOURCE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"

#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

enum class EventType : std::uint8_t { kAdded, kModified, kDeleted };

// One write. `current` is the object after it; for a deletion, the last state with the deletion's
// resourceVersion.
struct StoreEvent {
  std::int64_t resource_version = 0;
  EventType type{};
  StoredObjectPtr current{};
  StoredObjectPtr previous{};
  SteadyTime time{};
  // `previous` with this event's resourceVersion, for watches whose selector it no longer matches.
  // Made on first use.
  mutable StoredObjectPtr departed{};
  // Encoded frames that differ from the object's bytes, by format. Made on first use, shared by all
  // watches.
  mutable std::map<std::string, std::shared_ptr<const std::string>, std::less<>> frames{};
};

struct HistoryLimits {
  std::size_t max_events = 100'000;
  // The newest events, which are kept whatever their age.
  std::size_t min_events = 128;
  Duration max_age = std::chrono::minutes(5);
  std::int64_t floor = 0;  // initial floor: nothing up to this version is known
};

// An ordered map from keys to versions of objects, and an event log from which the oldest entries
// are pruned. A reader of version N may walk the map at any time and sees of each object the newest
// version that is not newer than N, so LIST copies nothing and blocks no writer. A Pin keeps its
// version readable.
//
// Every write costs O(log n); only walks are O(n) in the number of objects. Loop-confined.
// Counterpart: etcd's MVCC store together with kube-apiserver's watch cache.
class ResourceStore {
 public:
  explicit ResourceStore(HistoryLimits limits) : limits_(limits), floor_(limits.floor) {}
  ResourceStore(const ResourceStore&) = delete;
  ResourceStore& operator=(const ResourceStore&) = delete;

  // ---- Writes. resourceVersions must increase.
  void Put(StoredObjectPtr stored, SteadyTime now);
  // `tombstone` is the last state with the deletion's resourceVersion.
  void Delete(StoredObjectPtr tombstone, SteadyTime now);

  // ---- Reads.
  // Returns null if there is none.
  [[nodiscard]] StoredObjectPtr Get(std::string_view key) const;
  // Number of live objects, in total and in a namespace.
  [[nodiscard]] std::size_t size() const { return live_; }
  [[nodiscard]] std::size_t size(std::string_view namespace_) const;
  // Calls `visit` for the objects at `resource_version` whose key is at least `from` and starts
  // with `prefix`, in the order of keys, until it returns false. REQUIRES: resource_version is
  // pinned, or not older than floor().
  void Walk(std::string_view prefix, std::string_view from, std::int64_t resource_version,
            const std::function<bool(const StoredObjectPtr&)>& visit) const;

  // ---- History. Events have consecutive sequence numbers.
  // All changes after this resourceVersion are known.
  [[nodiscard]] std::int64_t floor() const { return floor_; }
  [[nodiscard]] std::uint64_t begin_sequence() const { return first_sequence_; }
  [[nodiscard]] std::uint64_t end_sequence() const { return first_sequence_ + log_.size(); }
  [[nodiscard]] const StoreEvent& event(std::uint64_t sequence) const {
    return log_[static_cast<std::size_t>(sequence - first_sequence_)];
  }
  // Returns the first event after that resourceVersion.
  [[nodiscard]] std::uint64_t SequenceAfter(std::int64_t resource_version) const;
  // Drops the history up to that resourceVersion.
  void Compact(std::int64_t resource_version);

  // Returns a new store whose history begins at `floor`: with `objects` as they were then, and the
  // versions `later` of objects, tombstones among them, in the order of their resourceVersions.
  // Cheapest if `objects` are sorted by key.
  [[nodiscard]] static std::shared_ptr<ResourceStore> Loaded(HistoryLimits limits,
                                                             std::int64_t floor,
                                                             std::vector<StoredObjectPtr> objects,
                                                             std::vector<StoredObjectPtr> later,
                                                             SteadyTime now);

  // Returns a new store without history that holds the objects at `resource_version`. REQUIRES: as
  // Walk.
  [[nodiscard]] std::shared_ptr<ResourceStore> RestoredTo(std::int64_t resource_version,
                                                          SteadyTime now) const;

  // Keeps one resourceVersion readable while it exists.
  class Pin {
   public:
    Pin(std::shared_ptr<ResourceStore> store, std::int64_t resource_version);
    ~Pin();
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    [[nodiscard]] ResourceStore& store() const { return *store_; }
    [[nodiscard]] std::int64_t resource_version() const { return *position_; }

   private:
    std::shared_ptr<ResourceStore> store_;
    std::multiset<std::int64_t>::iterator position_;
  };

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // Returns whether an object may cache a protobuf form of that size, and counts it if so. The
  // total is limited: making a form takes microseconds, but caching those of a million objects
  // would take a third of the store's memory.
  [[nodiscard]] bool MayKeep(std::size_t size);

 private:
  // The newest version of one object, and the older ones that readers may still request, the oldest
  // of these first.
  struct Entry {
    StoredObjectPtr latest;
    std::vector<StoredObjectPtr> older;
    std::size_t dropped = 0;  // number of dropped versions at the front of `older`

    // Returns the newest version up to that resourceVersion; null if there is none.
    [[nodiscard]] const StoredObjectPtr* At(std::int64_t resource_version) const;
    void Push(StoredObjectPtr stored);
  };
  using Map = std::map<std::string, Entry, std::less<>>;

  void Append(EventType type, StoredObjectPtr current, StoredObjectPtr previous, SteadyTime now);
  void Trim(SteadyTime now);
  void Forget(const StoredObject& stored);
  // Drops the versions of a key that no reader can request any more.
  void Prune(const std::string& key, std::int64_t horizon);

  HistoryLimits limits_;
  Map objects_;
  std::size_t live_ = 0;
  std::size_t bytes_ = 0;
  std::size_t kept_bytes_ = 0;  // in protobuf forms
  std::unordered_map<std::string, std::size_t> live_by_namespace_;
  std::deque<StoreEvent> log_;
  std::uint64_t first_sequence_ = 0;
  std::int64_t floor_ = 0;
  // Keys of trimmed events whose versions are still pinned, with the events' resourceVersions.
  std::deque<std::pair<std::int64_t, std::string>> unpruned_;
  std::multiset<std::int64_t> pins_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_RESOURCE_STORE_H_
