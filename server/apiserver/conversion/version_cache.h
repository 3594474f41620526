// apiserver/conversion/version_cache.h
//
// VersionCache: holds the objects of a custom resource in a version that a webhook converts to.
// Counterpart: kube-apiserver's watch cache, which exists once for each version.

#ifndef KINFORMER_APISERVER_CONVERSION_VERSION_CACHE_H_
#define KINFORMER_APISERVER_CONVERSION_VERSION_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kinformer/base/result.h"

#include "apiserver/conversion/object_converter.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/store/resource_store.h"
#include "base/core/own_calls.h"

namespace kinformer::apiserver {

// Converts all objects, and then each event, in order and under its resourceVersion, into a store
// with its own history, as long as there are watches or waiters for that version; otherwise it
// falls behind without calling the webhook. If the webhook fails, waiters get the error, and
// watches get no events until it succeeds. Loop-confined.
class VersionCache {
 public:
  // Registers itself for readers of the version at once (ServedResource::converted).
  VersionCache(ServerState& state, ObjectConverter& converter, const ResourceAt& at);
  ~VersionCache();
  VersionCache(const VersionCache&) = delete;
  VersionCache& operator=(const VersionCache&) = delete;

  // Returns whether it is still registered for readers.
  [[nodiscard]] bool valid() const;
  [[nodiscard]] bool Keeps(const std::shared_ptr<ConvertedObjects>& objects) const {
    return objects == objects_;
  }
  [[nodiscard]] bool Serves(const std::shared_ptr<ServedResource>& resource) const {
    return resource_.lock() == resource;
  }
  // Returns whether the version has watches or waiters.
  [[nodiscard]] bool Wanted() const;
  // Whether all objects have been converted at least once.
  [[nodiscard]] bool begun() const { return next_.has_value(); }
  // Whether no write is missing. REQUIRES: valid.
  [[nodiscard]] bool current() const;
  // Returns the version up to which no write is missing. REQUIRES: begun, valid.
  [[nodiscard]] std::int64_t resource_version() const;
  // Returns the version, with the converted objects as its store. REQUIRES: valid.
  [[nodiscard]] ResourceAt at() const;

  using Done = std::function<void(Result<void>)>;
  // Owns the waiting; destroying it cancels the callback.
  using Ticket = std::shared_ptr<const Done>;
  // Calls `done` when everything stored now is converted, or with the webhook's error. Calls it on
  // the loop, never before returning.
  [[nodiscard]] Ticket WhenCurrent(Done done);

  // Notifies of a write to the resource, or of a new watch.
  void OnWrite();
  // Ends all watches, and fails all waiters; readers cannot find it any more.
  void End();
  // Unregisters it, so that readers no longer find it; End must follow.
  void Leave();

 private:
  struct Waiter {
    std::int64_t version;
    std::weak_ptr<const Done> done;
  };

  // All objects at one version that are not yet converted, oldest first, and the store of the
  // converted ones.
  struct Snapshot {
    std::int64_t version;
    std::deque<StoredObjectPtr> objects;
    std::shared_ptr<ResourceStore> store;
  };

  void Schedule();
  // Converts the next batch, if there are watches or waiters.
  void Go();
  // Starts again with all objects, if the next events are no longer in the log.
  void Restart(const ResourceStore& source);
  [[nodiscard]] bool Follows(const ResourceStore& source) const;
  [[nodiscard]] std::vector<StoredObjectPtr> NextBatch(const ResourceStore& source) const;
  void TakeSnapshot(const ResourceStore& source, std::vector<StoredObjectPtr> converted);
  void TakeEvents(const std::vector<StoredObjectPtr>& events,
                  std::vector<StoredObjectPtr> converted);
  void RetryLater();
  void TellWhoWaits();
  void TellAll(const Error& error);

  ServerState& state_;
  ObjectConverter& converter_;
  // Another store for the resource makes this invalid.
  const std::weak_ptr<ServedResource> resource_;
  const std::shared_ptr<const ServedVersion> version_;
  const std::shared_ptr<ConvertedObjects> objects_;
  std::optional<std::uint64_t> next_{};  // the next event; absent until all objects are converted
  std::int64_t taken_version_ = 0;       // of the last event converted
  std::optional<Snapshot> snapshot_{};   // the conversion of all objects under way

  std::size_t most_;  // objects in one call
  AsyncTicket asking_{};
  std::optional<Deadlines::Id> retry_{};
  bool scheduled_ = false;
  std::vector<Waiter> waiting_{};
  const internal::base::OwnCalls own_calls_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_CONVERSION_VERSION_CACHE_H_
