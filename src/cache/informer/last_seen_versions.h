// cache/informer/last_seen_versions.h
//
// LastSeenVersions: what earlier lives of an informer have received.

#ifndef KINFORMER_CACHE_INFORMER_LAST_SEEN_VERSIONS_H_
#define KINFORMER_CACHE_INFORMER_LAST_SEEN_VERSIONS_H_

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace kinformer::internal::cache {

// By place; "": the single place. The store may lack some of what was received, and its objects may
// be newer than its own version, which is that of its oldest place: a list at that version would
// set them back. Confined to the loop.
class LastSeenVersions {
 public:
  void Record(const std::string& place, std::string version) {
    versions_[place] = std::move(version);
  }
  void Forget(const std::string& place) { versions_.erase(place); }
  // Returns the version that a list of that place must not be older than; empty: unknown.
  [[nodiscard]] std::string Of(const std::string& place) const;

 private:
  std::map<std::string, std::string, std::less<>> versions_{};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_LAST_SEEN_VERSIONS_H_
