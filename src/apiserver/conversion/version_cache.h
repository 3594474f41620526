// apiserver/conversion/version_cache.h
//
// VersionCache: keeps the objects of a custom resource in one version, to which a webhook converts
// them. Counterpart: the watch cache that a kube-apiserver has for each version.

#ifndef KINFORMER_APISERVER_CONVERSION_VERSION_CACHE_H_
#define KINFORMER_APISERVER_CONVERSION_VERSION_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kinformer/result.h"

#include "apiserver/conversion/object_converter.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/store/resource_store.h"

namespace kinformer::apiserver {

// First it converts all objects, and then every event, in order and under its resourceVersion, into
// a store with its own history. It does so while somebody watches that version or waits for it;
// else it falls behind, and asks nobody. Where the webhook fails, those who wait are told so, and
// watches hear nothing until it succeeds. Loop-confined.
class VersionCache {
 public:
  // Begins at once to be what readers of the resource's version find (ServedResource::converted).
  VersionCache(ServerState& state, ObjectConverter& converter, const ResourceAt& at);
  ~VersionCache();
  VersionCache(const VersionCache&) = delete;
  VersionCache& operator=(const VersionCache&) = delete;

  // Whether it is still what readers find.
  [[nodiscard]] bool valid() const;
  [[nodiscard]] bool Keeps(const std::shared_ptr<ConvertedObjects>& objects) const {
    return objects == objects_;
  }
  [[nodiscard]] bool Serves(const std::shared_ptr<ServedResource>& resource) const {
    return resource_.lock() == resource;
  }
  // Somebody watches that version, or waits for it.
  [[nodiscard]] bool Wanted() const;
  // All objects have been converted once.
  [[nodiscard]] bool begun() const { return begun_; }
  // Nothing is missing.
  [[nodiscard]] bool current() const;
  // Up to there nothing is missing. REQUIRES: begun.
  [[nodiscard]] std::int64_t resource_version() const;
  // The version, with what has been converted as its objects. REQUIRES: valid.
  [[nodiscard]] ResourceAt at() const;

  using Done = std::function<void(Result<void>)>;
  // Somebody waits for as long as he has that.
  using Ticket = std::shared_ptr<const Done>;
  // Tells when all that is stored now is there, or what the webhook says instead. `done` is called
  // on the loop, never before this has returned.
  [[nodiscard]] Ticket WhenCurrent(Done done);

  // The resource has been written to, or somebody begins to watch.
  void OnWrite();
  // Nobody finds it any more, and who waits is told so; watches end.
  void End();
  // Nobody finds it from now on; End comes next.
  void Leave();

 private:
  struct Waiter {
    std::int64_t version = 0;
    std::weak_ptr<const Done> done{};
  };

  void Schedule();
  // Converts what comes next, if anybody wants it.
  void Go();
  // Begins anew, with all objects, where the events that come next are not known any more.
  void Restart(const ServedResource& resource);
  [[nodiscard]] bool Follows(const ServedResource& resource) const;
  [[nodiscard]] std::vector<StoredObjectPtr> NextBatch() const;
  void Take(const std::vector<StoredObjectPtr>& batch, std::vector<StoredObjectPtr> converted);
  void TakeSnapshot(std::vector<StoredObjectPtr> converted);
  void TakeEvents(const std::vector<StoredObjectPtr>& events,
                  std::vector<StoredObjectPtr> converted);
  void Fail(const Error& error);
  void TellWhoWaits();

  ServerState& state_;
  ObjectConverter& converter_;
  const std::weak_ptr<ServedResource> resource_;
  const std::shared_ptr<const ServedVersion> version_;
  const std::shared_ptr<ConvertedObjects> objects_;
  bool begun_ = false;
  std::weak_ptr<ResourceStore> source_{};  // what it follows
  std::uint64_t next_ = 0;                 // the event there that comes next
  std::int64_t taken_version_ = 0;         // of the last one that has been taken over
  // All objects at one version, oldest first, while they are converted, and where they go.
  std::vector<StoredObjectPtr> snapshot_{};
  std::size_t snapshot_next_ = 0;
  std::int64_t snapshot_version_ = 0;
  std::shared_ptr<ResourceStore> fresh_{};  // null: there is no snapshot under way

  std::size_t most_;  // objects in one question
  ObjectConverter::Ticket asking_{};
  std::optional<Deadlines::Id> retry_{};
  bool scheduled_ = false;
  std::vector<Waiter> waiting_{};
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_CONVERSION_VERSION_CACHE_H_
