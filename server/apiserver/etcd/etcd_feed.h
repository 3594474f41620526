// apiserver/etcd/etcd_feed.h
//
// EtcdFeed: all changes of etcd, in order, none lost and none twice: one watch that is begun again
// where it broke, and a read of everything where the changes since are gone.

#ifndef KINFORMER_APISERVER_ETCD_ETCD_FEED_H_
#define KINFORMER_APISERVER_ETCD_ETCD_FEED_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/env.h"

#include "apiserver/etcd/etcd.h"
#include "apiserver/store/shared_storage.h"

namespace kinformer::apiserver {

// Thread-safe.
class EtcdFeed final : public EtcdWatcher, public std::enable_shared_from_this<EtcdFeed> {
 public:
  // `prefix`: "/registry/". `news` is called on any thread when a queue that was empty has changes;
  // `vacant` when `lead_key` was removed.
  struct Listener {
    std::function<void()> news{};
    std::function<void()> vacant{};
  };
  EtcdFeed(std::shared_ptr<Etcd> etcd, std::string prefix, std::string lead_key, std::int64_t page,
           Listener listener);

  // Reads all keys of the prefix at that revision, or the latest one if it is 0. Blocks.
  Result<SharedBatch> ReadAll(std::int64_t revision, Duration patience);
  // Begins to watch after that revision.
  void Begin(std::int64_t revision);
  std::optional<SharedBatch> Next();
  // Returns false at the deadline.
  bool Wait(SteadyTime deadline);
  void End();

  void OnChanges(std::vector<EtcdValue> changes) override;
  void OnEnd(const Error& why, std::int64_t compacted) override;

 private:
  using Pages = std::shared_ptr<SharedBatch>;

  void Watch();
  void WatchLater();
  void Resync();
  void ReadPage(std::string begin, const Pages& pages,
                std::function<void(Result<SharedBatch>)> done);
  [[nodiscard]] std::optional<SharedEntry> EntryOf(EtcdValue value) const;
  // Queues it. Returns whether there was nothing before. REQUIRES: locked.
  bool Queue(SharedBatch batch);

  const std::shared_ptr<Etcd> etcd_;
  const std::string prefix_;
  const std::string lead_key_;
  const std::int64_t page_;
  const Listener listener_;
  const std::unique_ptr<Monitor> monitor_;
  std::deque<SharedBatch> queue_{};
  std::int64_t revision_ = 0;  // the last one in the queue
  Duration delay_{0};          // before the next watch
  bool troubled_ = false;      // the watch has ended since the last change
  bool resyncs_ = false;
  bool ended_ = false;
  Timer timer_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ETCD_ETCD_FEED_H_
