// apiserver/store/resource_store.h
//
// ResourceStore: the objects of one resource, at every version that history still covers, and the
// log of what happened to them.

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

#include "kinformer/env.h"

#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

enum class EventType : std::uint8_t { kAdded, kModified, kDeleted };

// One write. `current` is the object after it; of a deletion the last state under the deletion's
// resourceVersion.
struct StoreEvent {
  std::int64_t resource_version = 0;
  EventType type{};
  StoredObjectPtr current{};
  StoredObjectPtr previous{};
  SteadyTime time{};
  // `previous` under this event's resourceVersion, for watchers out of whose selector it went. Made
  // when first needed.
  mutable StoredObjectPtr departed{};
  // Frames in encodings that are not simply the object's bytes, by format. Made when first needed,
  // shared by all watchers.
  mutable std::map<std::string, std::shared_ptr<const std::string>, std::less<>> frames{};
};

struct HistoryLimits {
  std::size_t max_events = 100'000;
  // The newest ones, which stay whatever their age.
  std::size_t min_events = 128;
  Duration max_age = std::chrono::minutes(5);
  std::int64_t floor = 0;  // nothing up to there is known, from the start
};

// An ordered map from keys to versions of objects, and an event log from whose end the oldest
// versions are pruned. A reader of version N walks the map at any time and takes of each object the
// newest version that is not newer than N, so LIST needs no copy and blocks no writer. A Pin keeps
// its version readable.
//
// Every write costs O(log n); nothing here is O(n) in the number of objects but a walk.
// Loop-confined. Counterpart: etcd's MVCC store together with kube-apiserver's watch cache.
class ResourceStore {
 public:
  explicit ResourceStore(HistoryLimits limits) : limits_(limits), floor_(limits.floor) {}
  ResourceStore(const ResourceStore&) = delete;
  ResourceStore& operator=(const ResourceStore&) = delete;

  // ---- Writes. resourceVersions ascend.
  void Put(StoredObjectPtr stored, SteadyTime now);
  // `tombstone` is the last state under the deletion's resourceVersion.
  void Delete(StoredObjectPtr tombstone, SteadyTime now);

  // ---- Reads.
  // Null where there is none.
  [[nodiscard]] StoredObjectPtr Get(std::string_view key) const;
  // Live objects now; of one namespace.
  [[nodiscard]] std::size_t size() const { return live_; }
  [[nodiscard]] std::size_t size(std::string_view namespace_) const;
  // Calls `visit` for the objects at `resource_version` whose key is at least `from` and starts
  // with `prefix`, in the order of keys, until it returns false. REQUIRES: resource_version is
  // pinned, or not older than floor().
  void Walk(std::string_view prefix, std::string_view from, std::int64_t resource_version,
            const std::function<bool(const StoredObjectPtr&)>& visit) const;

  // ---- History. Events have consecutive sequence numbers.
  // Everything after this resourceVersion is known.
  [[nodiscard]] std::int64_t floor() const { return floor_; }
  [[nodiscard]] std::uint64_t begin_sequence() const { return first_sequence_; }
  [[nodiscard]] std::uint64_t end_sequence() const { return first_sequence_ + log_.size(); }
  [[nodiscard]] const StoreEvent& event(std::uint64_t sequence) const {
    return log_[static_cast<std::size_t>(sequence - first_sequence_)];
  }
  // The first event after that resourceVersion.
  [[nodiscard]] std::uint64_t SequenceAfter(std::int64_t resource_version) const;
  // Forgets what happened up to that resourceVersion.
  void Compact(std::int64_t resource_version);

  // A store without history that holds what this one held at `resource_version`.
  // REQUIRES: as Walk.
  [[nodiscard]] std::shared_ptr<ResourceStore> RestoredTo(std::int64_t resource_version,
                                                          SteadyTime now) const;

  // Keeps the versions of one resourceVersion readable while it exists.
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
  // May an object keep a protobuf form of that size? Counts it if so. All forms together are
  // bounded: making one costs microseconds, keeping those of a million objects a third of the
  // store.
  [[nodiscard]] bool MayKeep(std::size_t size);

 private:
  // The newest version of one object, and the older ones that somebody may still ask for, oldest
  // first.
  struct Entry {
    StoredObjectPtr latest;
    std::vector<StoredObjectPtr> older;
    std::size_t dropped = 0;  // how many at the front of `older` are gone

    // The newest that is not newer than that; null where there is none.
    [[nodiscard]] const StoredObjectPtr* At(std::int64_t resource_version) const;
    void Push(StoredObjectPtr stored);
  };
  using Map = std::map<std::string, Entry, std::less<>>;

  void Append(EventType type, StoredObjectPtr current, StoredObjectPtr previous, SteadyTime now);
  void Trim(SteadyTime now);
  void Forget(const StoredObject& stored);
  // Drops versions of a key that no reader can ask for any more.
  void Prune(const std::string& key, std::int64_t horizon);

  HistoryLimits limits_;
  Map objects_;
  std::size_t live_ = 0;
  std::size_t bytes_ = 0;
  std::size_t kept_bytes_ = 0;  // of protobuf forms
  std::unordered_map<std::string, std::size_t> live_by_namespace_;
  std::deque<StoreEvent> log_;
  std::uint64_t first_sequence_ = 0;
  std::int64_t floor_ = 0;
  // Keys of trimmed events whose versions a pin still holds, with the events' resourceVersions.
  std::deque<std::pair<std::int64_t, std::string>> unpruned_;
  std::multiset<std::int64_t> pins_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_RESOURCE_STORE_H_
