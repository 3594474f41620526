// apiserver/server/shared_objects.h
//
// SharedObjects: keeps the stores of a server equal to a shared storage, and makes its writes
// there.

#ifndef KINFORMER_APISERVER_SERVER_SHARED_OBJECTS_H_
#define KINFORMER_APISERVER_SERVER_SHARED_OBJECTS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/registry/server_state.h"
#include "apiserver/registry/shared_commits.h"
#include "apiserver/registry/stored_keys.h"
#include "apiserver/store/shared_storage.h"
#include "apiserver/write/background/lifecycle.h"
#include "apiserver/write/object/object_writer.h"
#include "base/core/own_calls.h"

namespace kinformer::apiserver {

// The stores change only by what the storage tells, in its order, whoever made the write; so they
// are the same in all servers, at the same versions. Loop-confined.
class SharedObjects final : public SharedCommits {
 public:
  // `reload` is called when all that is stored was replaced, and when this server begins to lead.
  SharedObjects(ServerState& state, ObjectWriter& writer, Lifecycle& lifecycle,
                std::shared_ptr<SharedStorage> storage, std::function<void()> reload);
  ~SharedObjects() override;
  SharedObjects(const SharedObjects&) = delete;
  SharedObjects& operator=(const SharedObjects&) = delete;

  // Takes up what is stored. Blocks until the stores are as new as the storage was when it was
  // opened.
  void TakeUp();

  [[nodiscard]] std::shared_ptr<void> Commit(SharedChange change,
                                             std::function<void(Committed)> done) override;
  Committed CommitNow(const SharedChange& change) override;
  [[nodiscard]] std::shared_ptr<void> Freshen(std::function<void(Result<void>)> done) override;
  [[nodiscard]] bool leads() const override { return led_; }

 private:
  static SharedWrite WriteOf(const SharedChange& change);
  void OnNews();
  // Applies changes until the stores have that version. Returns false if it takes too long.
  bool Reach(std::int64_t version);
  void Apply(const SharedBatch& batch);
  void Replace(const SharedBatch& batch);
  void ApplyEntry(const SharedEntry& entry, std::vector<ObjectWriter::Applied>& applied);
  // Makes the object of an entry; null if it cannot be read, which is logged.
  StoredObjectPtr Made(const StoredPlace& place, ServedResource& resource, const SharedEntry& entry,
                       json::Value& object) const;
  void NotRead(const SharedEntry& entry, const Error& why) const;
  void FollowLead();
  // Calls `done` in a later turn, once the stores have the version or it takes too long.
  void WhenReached(std::int64_t version, std::weak_ptr<int> ticket,
                   std::function<void(Result<void>)> done);
  void AskRevision();

  // A request that waits for the latest revision.
  struct Asker {
    std::weak_ptr<int> ticket{};
    std::function<void(Result<void>)> done{};
  };

  ServerState& state_;
  ObjectWriter& writer_;
  Lifecycle& lifecycle_;
  const std::shared_ptr<SharedStorage> storage_;
  const std::function<void()> reload_;
  std::vector<Asker> askers_{};  // who asked after the question under way
  bool asking_ = false;
  bool led_ = false;
  bool posted_ = false;
  const internal::base::OwnCalls own_calls_{};
  const std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_SHARED_OBJECTS_H_
