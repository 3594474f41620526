// client/discovery_tasks.h
//
// Tasks that ask a server for discovery documents, and keep what it says.

#ifndef KINFORMER_CLIENT_DISCOVERY_TASKS_H_
#define KINFORMER_CLIENT_DISCOVERY_TASKS_H_

#include <map>
#include <memory>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/client/request_options.h"
#include "kinformer/json/json.h"

#include "client/client_core.h"
#include "client/discovery_cache.h"
#include "client/discovery_documents.h"

namespace kinformer::internal::client {

// A client and its cache, on which the tasks below work.
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

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_DISCOVERY_TASKS_H_
