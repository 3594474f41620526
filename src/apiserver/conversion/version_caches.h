// apiserver/conversion/version_caches.h
//
// VersionCaches: the caches of all versions to which webhooks convert, each from when somebody
// first reads it until its definition changes, or others of its resource are read.

#ifndef KINFORMER_APISERVER_CONVERSION_VERSION_CACHES_H_
#define KINFORMER_APISERVER_CONVERSION_VERSION_CACHES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kinformer/result.h"

#include "apiserver/conversion/object_converter.h"
#include "apiserver/conversion/version_cache.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// What a read of a collection looks at.
struct ReadFrom {
  ResourceAt at{};
  std::int64_t resource_version = 0;  // the latest that is there
};

// Loop-confined.
class VersionCaches {
 public:
  // Both must outlive it.
  VersionCaches(ServerState& state, ObjectConverter& converter)
      : state_(state), converter_(converter) {}

  // Answers with what `then` makes of the collection as it is stored now: at once where it is there
  // in that version, else when it has been converted, or with why it cannot be. REQUIRES:
  // IsConverted(at).
  using Then = std::function<ResponsePtr(Result<ReadFrom> from)>;
  ResponsePtr WhenCurrent(const ResourceAt& at, const Then& then);
  // The same of the collection as it has been converted at some time.
  ResponsePtr WhenBegun(const ResourceAt& at, const Then& then);

  // That resource has been written to.
  void OnWrite(const ServedResource& resource);
  // Definitions have changed.
  void Prune();

 private:
  // A definition may have thousands of versions, and each cache has all objects once more.
  static constexpr std::size_t kMostOfResource = 8;

  VersionCache& Find(const ResourceAt& at);
  // For another cache of that resource: of too many the one goes that nobody wants, or the one
  // which was asked for the longest time ago.
  void MakeRoom(const ResourceAt& at);
  static ReadFrom FromCache(const VersionCache& cache);
  static ResponsePtr When(VersionCache& cache, Then then);

  ServerState& state_;
  ObjectConverter& converter_;
  // The one that was asked for last stands at the end.
  std::vector<std::shared_ptr<VersionCache>> caches_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_CONVERSION_VERSION_CACHES_H_
