// apiserver/conversion/version_caches.h
//
// VersionCaches: caches of all versions that webhooks convert to. A cache lives from the first read
// until its definition changes or caches of other versions displace it.

#ifndef KINFORMER_APISERVER_CONVERSION_VERSION_CACHES_H_
#define KINFORMER_APISERVER_CONVERSION_VERSION_CACHES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kinformer/base/result.h"

#include "apiserver/conversion/object_converter.h"
#include "apiserver/conversion/version_cache.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Collection that a read uses, and its version.
struct ReadFrom {
  ResourceAt at{};
  std::int64_t resource_version = 0;  // of the newest state available
};

// Loop-confined.
class VersionCaches {
 public:
  // Both must outlive it.
  VersionCaches(ServerState& state, ObjectConverter& converter)
      : state_(state), converter_(converter) {}

  // Returns the response that `then` makes of the collection as stored now: at once where that
  // version is cached, else after conversion. A failed conversion is passed to `then` as an error.
  // REQUIRES: IsConverted(at).
  using Then = std::function<ResponsePtr(Result<ReadFrom> from)>;
  ResponsePtr WhenCurrent(const ResourceAt& at, const Then& then);
  // The same, for the collection as of any earlier conversion; faster, maybe stale.
  ResponsePtr WhenBegun(const ResourceAt& at, const Then& then);
  // Returns the collection as WhenCurrent passes it.
  Task<Result<ReadFrom>> Current(ResourceAt at);

  // Notifies the caches of a write to `resource`.
  void OnWrite(const ServedResource& resource);
  // Removes caches whose definitions have changed.
  void Prune();

 private:
  // Limits memory: a definition may have many versions, and each cache holds all objects again.
  static constexpr std::size_t kMostOfResource = 8;

  VersionCache& Find(const ResourceAt& at);
  // Makes room for another cache of the resource. At the limit, evicts a cache without users, else
  // the least recently used.
  void MakeRoom(const ResourceAt& at);
  static ReadFrom FromCache(const VersionCache& cache);
  static ResponsePtr When(VersionCache& cache, Then then);

  ServerState& state_;
  ObjectConverter& converter_;
  // Ordered by last use, most recent at the end.
  std::vector<std::shared_ptr<VersionCache>> caches_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_CONVERSION_VERSION_CACHES_H_
