// apiserver/discovery/openapi_hashes.h
//
// OpenApiHashes: the hashes of the documents of /openapi/v3 that have been made, by which clients
// know whether they have one.

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
  // Groups come and go with definitions, and whoever makes them chooses their names. Where there
  // would be more, all are forgotten: those that are asked for are soon there again.
  static constexpr std::size_t kMost = 1024;

  struct Hash {
    std::uint64_t revision = 0;  // of the resource table
    std::string text{};
  };

  // Null: none is known.
  [[nodiscard]] const Hash* Find(const std::string& path) const {
    const auto found = hashes_.find(path);
    return found == hashes_.end() ? nullptr : &found->second;
  }
  // Keeps the hash of the latest revision of a path.
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
