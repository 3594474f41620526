// cache/watch/collection_version.h
//
// CollectionVersion: which resourceVersion of its collection a reflector has, and what the next
// list asks for because of it. Counterpart: the lastSyncResourceVersion part of cache.Reflector.

#ifndef KINFORMER_CACHE_WATCH_COLLECTION_VERSION_H_
#define KINFORMER_CACHE_WATCH_COLLECTION_VERSION_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer::internal::cache {

// Confined to the loop.
class CollectionVersion {
 public:
  // `page_size` is that of all lists; 0: client-go's rules.
  explicit CollectionVersion(std::int64_t page_size) : page_size_(page_size) {}

  // What the last list or event said; empty before the first.
  [[nodiscard]] const std::string& Last() const { return last_; }
  // The watch has come this far.
  void Advance(std::string_view resourceVersion) { last_ = resourceVersion; }
  // A list has ended at this version. True: the server is older than what it served before, and
  // nobody had noticed.
  [[nodiscard]] bool Listed(std::string_view resourceVersion);
  // Is this version older than the last one? False where their order is not known.
  [[nodiscard]] bool IsNewerThan(std::string_view resourceVersion) const;

  // The server did not have the last version. The next list reads the newest.
  void SetUnavailable() { unavailable_ = true; }
  // The server has shown that it went back in time, whatever the next list's version is.
  void BeginEpoch() {
    unavailable_ = true;
    epoch_begun_ = true;
  }
  [[nodiscard]] bool unavailable() const { return unavailable_; }
  // A list at "0" came in pages, which it does only from etcd: there is no watch cache.
  void SetNoWatchCache() { no_watch_cache_ = true; }

  // What the next LIST asks for.
  [[nodiscard]] std::string ListFrom() const;
  [[nodiscard]] std::int64_t PageSize() const;
  // What the next watch-list asks for.
  [[nodiscard]] std::string WatchListFrom() const { return unavailable_ ? "" : last_; }
  // Events of a watch from here come in the order of resourceVersions. The burst of ADDED with
  // which a watch from nowhere begins does not.
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
