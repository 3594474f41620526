// cache/watch/collection_version.h
//
// CollectionVersion: tracks the resourceVersion of a reflector's collection and derives from it
// what the next list asks for. Counterpart: lastSyncResourceVersion of cache.Reflector.

#ifndef KINFORMER_CACHE_WATCH_COLLECTION_VERSION_H_
#define KINFORMER_CACHE_WATCH_COLLECTION_VERSION_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer::internal::cache {

// Confined to the loop.
class CollectionVersion {
 public:
  // `page_size` applies to all lists; 0: the rules of client-go.
  explicit CollectionVersion(std::int64_t page_size) : page_size_(page_size) {}

  // Returns the resourceVersion of the last list or event; empty before the first.
  [[nodiscard]] const std::string& Last() const { return last_; }
  // Records the resourceVersion that the watch has reached.
  void Advance(std::string_view resourceVersion) { last_ = resourceVersion; }
  // Records the resourceVersion at which a list ended. Returns true if it is older than the last
  // one and BeginEpoch was not called: the server went back in time unnoticed.
  [[nodiscard]] bool Listed(std::string_view resourceVersion);
  // Returns whether `resourceVersion` is older than Last(). False if they cannot be compared.
  [[nodiscard]] bool IsNewerThan(std::string_view resourceVersion) const;

  // Records that the server lacks the last version. The next list reads the newest state.
  void SetUnavailable() { unavailable_ = true; }
  // Records that the server went back in time, whatever the version of the next list is.
  void BeginEpoch() {
    unavailable_ = true;
    epoch_begun_ = true;
  }
  [[nodiscard]] bool unavailable() const { return unavailable_; }
  // Records that a list at "0" came in pages, which only etcd does: there is no watch cache.
  void SetNoWatchCache() { no_watch_cache_ = true; }

  // Returns the resourceVersion and the page size for the next LIST.
  [[nodiscard]] std::string ListFrom() const;
  [[nodiscard]] std::int64_t PageSize() const;
  // Returns the resourceVersion for the next watch-list.
  [[nodiscard]] std::string WatchListFrom() const { return unavailable_ ? "" : last_; }
  // Returns whether events of a watch from here are ordered by resourceVersion. The initial burst
  // of ADDED events of a watch without a start version is not ordered.
  [[nodiscard]] bool OrdersEvents() const { return !last_.empty() && last_ != "0"; }

 private:
  const std::int64_t page_size_;
  std::string last_;
  bool unavailable_ = false;
  bool epoch_begun_ = false;
  bool no_watch_cache_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_COLLECTION_VERSION_H_
