// client/discovery_cache.h
//
// DiscoveryCache: what a server said, in memory and perhaps in files.

#ifndef KINFORMER_CLIENT_DISCOVERY_CACHE_H_
#define KINFORMER_CLIENT_DISCOVERY_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kinformer/base/env.h"

#include "client/discovery_documents.h"
#include "client/discovery_files.h"

namespace kinformer::internal {

// Shared by all copies of a DiscoveryClient. Its mutex guards all members but `files`.
class DiscoveryCache {
 public:
  // An aggregated document with its ETag, so that the server need not send it again.
  struct Aggregated {
    std::string etag{};
    std::shared_ptr<const client::ApiGroupVersions> groups{};
  };

  std::mutex mutex;
  std::shared_ptr<const client::ApiGroupVersions> groups{};  // null: unknown
  WallTime written{};                                        // when the server said that
  bool fresh = false;                                        // not from files
  bool ignores_files = false;
  std::uint64_t epoch = 0;  // of Invalidate: what was asked for before is not kept
  std::map<std::string, Aggregated> aggregated{};  // by path
  std::shared_ptr<const client::OpenApiPaths> paths{};
  std::string paths_etag{};
  std::shared_ptr<const client::OpenApiPaths> tagged_paths{};           // of this ETag
  std::map<std::string, std::shared_ptr<const std::string>> schemas{};  // by URL
  std::size_t schema_bytes = 0;

  std::unique_ptr<const client::DiscoveryFiles> files{};  // null: memory only

  void Invalidate();
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CLIENT_DISCOVERY_CACHE_H_
