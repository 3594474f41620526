// sinks/feed/feed_part.h
//
// FeedPart: one resource of a feed: its reflector, and the changes that wait for the sink.

#ifndef KINFORMER_SINKS_FEED_FEED_PART_H_
#define KINFORMER_SINKS_FEED_FEED_PART_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/delta.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/object/object_name.h"
#include "kinformer/sinks/snapshot_feed.h"
#include "kinformer/sinks/snapshot_sink.h"

#include "cache/apply/staged_list.h"
#include "cache/watch/reflector.h"
#include "cache/watch/reflector_status.h"
#include "client/contained_list_watch.h"

namespace kinformer::internal::sinks {

// Changes up to one version of the collection, or a list of it.
struct FeedStep {
  std::vector<SinkChange> changes{};
  std::string version{};
  bool is_list = false;
  std::vector<ObjectName> unreadable{};  // of a list
  std::size_t bytes = 0;                 // of the objects; 0 for a list
};

// Made and destroyed with the feed. Functions with Locked in their name need the feed's lock, the
// others are for the loop.
class FeedPart final : public cache::ReflectorStore, public std::enable_shared_from_this<FeedPart> {
 public:
  // `monitor`: the feed's lock, notified when something waits. All must outlive it, but
  // `lister_watcher` is used between Start and Stop only.
  FeedPart(Env& env, Monitor& monitor, ExportedResource resource, ListerWatcher& lister_watcher,
           const SnapshotFeedOptions& options);

  [[nodiscard]] const ExportedResource& resource() const { return resource_; }

  // Begins at the version that the sink holds. Lists if it is empty, or if `lists`.
  void Start(std::string held, bool lists);
  void Stop();

  // Returns when the next step should be committed; nothing if none waits.
  [[nodiscard]] std::optional<SteadyTime> DueLocked() const;
  // Takes all changes that wait, up to a list, or the list if it is first. REQUIRES: something
  // waits.
  [[nodiscard]] FeedStep TakeLocked();
  // A step that was taken is in the sink.
  void CommittedLocked(std::size_t events, std::size_t bytes);

  // cache::ReflectorStore
  void Change(DeltaType type, ObjectRef object) override;
  void Unreadable(std::string_view namespace_, std::string_view name, bool deleted) override;
  void Bookmark(std::string_view /*resourceVersion*/) override {}
  void ReplaceBegin() override { staged_.Clear(); }
  void ReplaceItem(ObjectRef object) override { staged_.Add(std::move(object)); }
  void ReplaceUnreadable(std::string_view namespace_, std::string_view name) override {
    staged_.AddUnreadable({std::string(namespace_), std::string(name)});
  }
  void ReplaceRemove(std::string_view namespace_, std::string_view name) override {
    staged_.Remove({std::string(namespace_), std::string(name)});
  }
  void ReplaceEnd(std::string_view resourceVersion) override;
  Result<void> Resync() override { return {}; }
  void ChunkEnd() override;

 private:
  void AppendLocked(FeedStep step);
  [[nodiscard]] bool IsFullLocked() const;
  // Applies the policy of a sink that is too slow.
  void OverflowLocked();
  void CoalesceLocked();
  void CountLocked();

  Env& env_;
  Monitor& monitor_;
  const ExportedResource resource_;
  const SnapshotFeedOptions& options_;
  const std::string name_;
  client::ContainedListWatch lister_watcher_;

  // Used on the loop.
  cache::ReflectorStatus status_;
  cache::StagedList staged_{};
  FeedStep chunk_{};  // of the piece of data that is being read
  std::string published_{};
  bool dropping_ = false;  // what the watch sends is dropped until a list comes
  std::unique_ptr<cache::Reflector> reflector_{};

  // Guarded by the lock.
  std::deque<FeedStep> steps_{};
  SteadyTime due_{};
  std::size_t events_ = 0;  // waiting, or taken and not yet committed; without lists
  std::size_t bytes_ = 0;
  std::size_t taken_events_ = 0;
  std::size_t taken_bytes_ = 0;
  std::size_t coalesce_at_ = 0;  // number of events at which coalescing may help again
  bool blocked_ = false;
};

}  // namespace kinformer::internal::sinks

#endif  // KINFORMER_SINKS_FEED_FEED_PART_H_
