// cache/apply/store_part_writer.h
//
// StorePartWriter: what stands between the queue of one part and the store. Writes the part's
// changes with the coverage, the position and the room that belong to them.

#ifndef KINFORMER_CACHE_APPLY_STORE_PART_WRITER_H_
#define KINFORMER_CACHE_APPLY_STORE_PART_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/object/object_name.h"

#include "cache/apply/gap_detector.h"
#include "cache/apply/limit_share.h"
#include "cache/apply/part_positions.h"
#include "cache/apply/parted_store.h"
#include "cache/apply/relist.h"
#include "cache/delivery/notification.h"
#include "cache/deltas/delta.h"
#include "cache/store/fifo_buffer.h"
#include "cache/store/key_set.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

class InformerMetrics;

struct StorePartWriterOptions {
  std::string name{};  // of the informer, in messages
  // As in InformerControllerOptions.
  bool uid_change_is_update{false};
  bool ever_synced{false};
  std::function<void()> relist{};
  InformerMetrics* metrics = nullptr;  // null: none
};

// Writes batches of changes, and whole lists over several turns of the loop. Each is one version of
// the store. The store decides whether an object is new, not the event's type. Objects that do not
// fit under the limit are left out.
//
// Confined to the loop. The store must outlive it. Only one writer of the store may be between the
// start and the end of a list.
class StorePartWriter {
 public:
  // `part`: one of the store's parts, or the objects of a place that the store no longer covers.
  StorePartWriter(Env& env, PartedStore& store, StorePart part, StorePartWriterOptions options);

  [[nodiscard]] const StorePart& part() const { return part_; }
  [[nodiscard]] const std::string& name() const { return options_.name; }

  // ---- what the reflector receives
  // A list begins to arrive. Drops what is known of one that has not ended, as it failed.
  void ListBegins() { room_.BeginList(); }
  // Makes an object of the list what the store will hold. False: there is no room for it.
  [[nodiscard]] bool TakeListed(ObjectRef& object);
  // The list enters the queue. `epoch`: the one in which it was received.
  void ListQueued(std::uint64_t epoch, KeySet left_out);
  // Stops to judge events by uids, because the transform changes them.
  void DistrustUids() { gaps_.DistrustUids(); }

  // ---- what leaves the queue
  // Begins a batch, and drops the notifications of the one before.
  void BeginBatch();
  // Applies one change. Ignores lists and resyncs.
  void Apply(Delta& delta, bool is_in_initial_list);
  // Publishes the batch. `synced`: the first list is part of it or was written before.
  void EndBatch(bool synced) { Commit(synced); }
  // Notifications of the batch in order; the caller may move them out.
  [[nodiscard]] std::vector<Notification>& notifications() { return notifications_; }

  // Writes the oldest list of the queue: begins, works until the time is over and returns true once
  // all is written, and publishes it.
  void BeginRelist(std::unique_ptr<DeltaExtra> list, Relist::Observer observer);
  [[nodiscard]] bool ContinueRelist(SteadyTime until) { return relist_->Continue(until); }
  std::unique_ptr<Relist> EndRelist(bool synced);
  [[nodiscard]] bool relisting() const { return relist_ != nullptr; }

  // Called after each batch and list, unless nothing can be listed any more: offers room that is
  // free.
  void OfferRoom();

  // ---- completeness
  // The part is incomplete from now on, until a list that arrives later is written. Returns true if
  // a version says so already; else the one that is open will.
  bool ResourceAbsent();
  // The next list of the queue does not make the part complete.
  void ExpectAnotherList() { ++lists_until_complete_; }
  struct Completeness {
    // Every object of the part is in the store, is unreadable, or was left out under a policy that
    // permits it.
    bool complete = false;
    // No more objects are left out than the policy permits.
    bool has_room = true;
    bool operator==(const Completeness&) const = default;
  };
  // Returns the state as of the last commit.
  [[nodiscard]] const Completeness& completeness() const { return completeness_; }

  // Returns whether the part is the server's state at its version: no newer change is applied, and
  // no list waits in the queue.
  [[nodiscard]] bool IsExact() const { return !unversioned_ && !relisting() && lists_.empty(); }
  // Returns the version of this part.
  [[nodiscard]] const std::string& ResourceVersion() const { return position_->resource_version(); }

 private:
  // A list that waits in the queue.
  struct QueuedList {
    std::uint64_t epoch = 0;
    KeySet left_out{};
  };

  // Checks a watch event before it is applied. False if its change is in the store already.
  // `spot`: that of the object's key.
  bool IsNews(const Delta& delta, const StoreSpot& spot);
  void Write(const ObjectRef& object, const StoreSpot& spot, bool is_in_initial_list);
  // Handles an object that does not fit under the limit.
  void LeaveOut(const Block& object);
  void ApplyUnreadable(Delta& delta);
  void ApplyDelete(std::string_view namespace_, std::string_view name, ObjectRef last,
                   bool final_state_unknown);
  // Records that an object of this version was written.
  void Wrote(std::string_view resourceVersion);
  void SetComplete(bool complete);
  // Publishes what was written as a version of the store.
  void Commit(bool synced);
  // Returns the number of left-out objects of this part.
  [[nodiscard]] std::size_t LeftOutHere() const {
    return store_.coverage.left_out().SizeOf(part_.key());
  }

  Env& env_;
  PartedStore& store_;
  const StorePart part_;
  const StorePartWriterOptions options_;
  const std::shared_ptr<PartPosition> position_;
  LimitShare room_;
  GapDetector gaps_;

  FifoBuffer<QueuedList> lists_;  // in the queue, oldest first
  std::unique_ptr<Relist> relist_;
  KeySet relist_left_out_{};  // of the list that is being written
  std::vector<Notification> notifications_;
  std::uint64_t epoch_ = 0;   // of the changes being applied
  bool unversioned_ = false;  // the last change has no known version
  Completeness completeness_{};
  // Number of lists to write before the part is complete again after the resource was absent.
  std::size_t lists_until_complete_ = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_STORE_PART_WRITER_H_
