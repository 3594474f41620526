// apiserver/discovery/openapi_hashes.h
//
// OpenApiHashes: hashes of the /openapi/v3 documents made so far, by which clients find out whether
// they have the current document already.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_HASHES_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_HASHES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace kinformer::apiserver {

// Loop-confined.
class OpenApiHashes {
 public:
  // Limit of hashes, since definitions may create any number of groups. At the limit all are
  // dropped; those still in use are soon made again.
  static constexpr std::size_t kMost = 1024;

  struct Hash {
    std::uint64_t revision = 0;  // of the resource table
    std::string text{};
  };

  // Returns null if none is known.
  [[nodiscard]] const Hash* Find(const std::string& path) const {
    const auto found = hashes_.find(path);
    return found == hashes_.end() ? nullptr : &found->second;
  }
  // Stores the hash of a path's latest revision.
  void Note(const std::string& path, std::uint64_t revision, std::string text) {
    const auto found = hashes_.find(path);
    if (found != hashes_.end()) {
      if (revision >= found->second.revision) found->second = {revision, std::move(text)};
      return;
    }
    if (hashes_.size() >= kMost) hashes_.clear();
    hashes_.emplace(path, Hash{revision, std::move(text)});
  }
  [[nodiscard]] std::size_t size() const { return hashes_.size(); }

 private:
  std::map<std::string, Hash> hashes_;  // by "apis/apps/v1"
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_HASHES_H_
