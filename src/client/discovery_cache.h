// client/discovery_cache.h
//
// DiscoveryCache: what a server said, in memory and perhaps in files, and the tasks that ask it.

#ifndef KINFORMER_CLIENT_DISCOVERY_CACHE_H_
#define KINFORMER_CLIENT_DISCOVERY_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/client/request_options.h"

#include "client/client_core.h"
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

namespace client {

// What the tasks below work on.
struct Discovery {
  std::shared_ptr<ClientCore> core{};
  std::shared_ptr<DiscoveryCache> cache{};
};

struct KnownGroups {
  std::shared_ptr<const ApiGroupVersions> groups{};
  bool fetched = false;  // by this call
};

// Returns what is known, or else asks the server. `whole`: group versions that failed for reasons
// that may pass are asked for again.
Task<Result<KnownGroups>> FindGroups(Discovery discovery, CallOptions call, bool whole);

// discovery_fetch.cc: sends GET, and reads the answer as JSON. With an `etag`, the answer may be
// 304; then the result is null and has the flag.
struct Fetched {
  json::Value document{};
  std::string body{};
  std::string etag{};
  bool not_modified = false;
};
Task<Result<Fetched>> GetJson(std::shared_ptr<ClientCore> core, std::string target,
                              std::string accept, std::string etag, CallOptions call);

struct FetchedGroups {
  ApiGroupVersions groups{};
  std::map<std::string, DiscoveryCache::Aggregated> aggregated{};
};
// Asks for all groups. `known`: aggregated documents of earlier times.
Task<Result<FetchedGroups>> FetchGroups(std::shared_ptr<ClientCore> core,
                                        std::map<std::string, DiscoveryCache::Aggregated> known,
                                        CallOptions call);
// Asks for the resources of one version, and returns it with them, or with its error. Fails only if
// the caller has no more time.
Task<Result<ApiGroupVersion>> FetchVersion(std::shared_ptr<ClientCore> core,
                                           ApiGroupVersion version, CallOptions call);

// discovery_openapi.cc
Task<Result<OpenApiPaths>> FindOpenApiPaths(Discovery discovery, CallOptions call);
Task<Result<std::shared_ptr<const std::string>>> FindOpenApiSchema(Discovery discovery,
                                                                   std::string path,
                                                                   CallOptions call);

}  // namespace client
}  // namespace kinformer::internal

#endif  // KINFORMER_CLIENT_DISCOVERY_CACHE_H_
