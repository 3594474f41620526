// cache/listener.h
//
// Listener: one registered handler: what waits for it, and the calls to it. Counterpart: processorListener.

#ifndef KINFORMER_CACHE_LISTENER_H_
#define KINFORMER_CACHE_LISTENER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/snapshot_core.h"

#include "base/mutex.h"

namespace kinformer::internal {

class ListenerMetrics;

// A live event.
struct Notification {
  RawEvent::Kind kind{};
  bool is_in_initial_list = false;
  bool final_state_unknown = false;
  ObjectRef old_object{};  // kUpdate
  ObjectRef object{};
};

// Events that are worked out from snapshots as they are delivered, so that a list of any size waits in constant space.
struct Replay {
  std::shared_ptr<const SnapshotCore> before{};  // null: nothing
  std::shared_ptr<const SnapshotCore> after{};
  bool initial = false;            // what is added is part of the initial list
  bool include_unchanged = false;  // an update for objects that are the same in both
  bool uid_change_is_update = false;

  // Not a resync, which leaves the handler's state as it was.
  [[nodiscard]] bool IsDifference() const { return before != nullptr || initial; }

  // How far it has come.
  bool deletions_done = false;
  bool at_end = false;
  SnapshotCore::Cursor cursor{};
  std::array<const Block*, 64> batch{};
  std::size_t next = 0;
  std::size_t size = 0;
};

// The loop pushes; a thread of the pool delivers. Thread-safe. Kept alive by its informer, its registrations and its own task.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  struct Hooks {
    std::function<void(const TraceEvent&)> trace{};
    // On a pool thread: it has become synced, idle after Suspend, or not full again.
    std::function<void()> changed{};
    std::function<void()> drained{};
    std::shared_ptr<ListenerMetrics> metrics{};  // null: none
  };

  Listener(Env& env, std::shared_ptr<RawHandler> handler, HandlerOptions options, Hooks hooks,
           std::weak_ptr<InformerCore::Impl> owner);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // ---- by the loop
  // `after`: the store once these have happened; needed by kDropAndResync, else null.
  void Push(std::span<const Notification> events, std::shared_ptr<const SnapshotCore> after);
  void PushReplay(Replay replay);
  // All that makes up the initial list has been pushed.
  void PushSynced();
  // No callback starts between Suspend and Resume; what waits is kept.
  void Suspend();
  void Resume();
  // kBlock, and at its bound.
  [[nodiscard]] bool Full() const { return full_.load(std::memory_order_acquire); }

  // ---- by anyone
  // No callback starts any more. Waits for one that runs, except inside it.
  Result<void> Remove();
  // The same without the wait.
  void Discard();
  // Waits until no callback runs, except inside one.
  void WaitIdle();
  Result<void> WaitForSync(const std::stop_token& stop, std::optional<Duration> timeout);
  [[nodiscard]] bool HasSynced() const { return synced_.load(std::memory_order_acquire); }
  [[nodiscard]] bool removed() const { return removed_.load(std::memory_order_acquire); }
  [[nodiscard]] HandlerStats Stats() const;
  [[nodiscard]] const HandlerOptions& options() const { return options_; }
  [[nodiscard]] const std::weak_ptr<InformerCore::Impl>& owner() const { return owner_; }

 private:
  // What waits, in order.
  struct Entry {
    enum class Kind : std::uint8_t { kLive, kVoid, kReplay, kSynced, kMark };
    Kind kind = Kind::kVoid;
    Notification event{};
    std::unique_ptr<Replay> replay{};
    std::shared_ptr<const SnapshotCore> mark{};
  };

  // True: the caller posts a turn, which is the listener's only one.
  bool NeedsTurn() KINFORMER_REQUIRES(mutex_);
  void PostTurn();
  void Schedule() KINFORMER_REQUIRES(mutex_);
  void RunSome();
  // Takes what to do next: some live events, or a replay, or the synced mark. False: nothing.
  bool Take(bool& synced) KINFORMER_REQUIRES(mutex_);
  void DeliverTaken();
  void DeliverReplay();
  void Deliver(const RawEvent& event);
  void LogMalformed(const Block& object, SteadyTime now);
  [[nodiscard]] bool Halted() const;
  void Clear() KINFORMER_REQUIRES(mutex_);
  void Notify();
  [[nodiscard]] bool Running() const;
  [[nodiscard]] std::shared_ptr<Monitor> MonitorForWaiting();

  void Append(const Notification& event) KINFORMER_REQUIRES(mutex_);
  void Coalesce(const Notification& event) KINFORMER_REQUIRES(mutex_);
  void BuildIndex() KINFORMER_REQUIRES(mutex_);
  void Void(Entry& entry) KINFORMER_REQUIRES(mutex_);
  void Compact() KINFORMER_REQUIRES(mutex_);
  void DropAndResync(std::shared_ptr<const SnapshotCore> after) KINFORMER_REQUIRES(mutex_);
  [[nodiscard]] bool OverBound() const KINFORMER_REQUIRES(mutex_);
  void UpdateFull() KINFORMER_REQUIRES(mutex_);
  void Report() KINFORMER_REQUIRES(mutex_);  // to the metrics

  Env& env_;
  const std::shared_ptr<RawHandler> handler_;
  const HandlerOptions options_;
  const Hooks hooks_;
  const std::weak_ptr<InformerCore::Impl> owner_;

  mutable Mutex mutex_;
  std::deque<Entry> entries_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t head_ KINFORMER_GUARDED_BY(mutex_) = 0;  // number of entries_.front()
  std::size_t live_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::size_t live_bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::size_t voids_ KINFORMER_GUARDED_BY(mutex_) = 0;
  // While coalescing: the newest live entry of each key since the last entry that is not live.
  bool coalescing_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::unordered_map<std::string, std::uint64_t> index_ KINFORMER_GUARDED_BY(mutex_);
  bool scheduled_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool running_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::shared_ptr<Monitor> monitor_ KINFORMER_GUARDED_BY(mutex_);

  std::atomic<bool> removed_{false};
  std::atomic<bool> pausing_{false};
  std::atomic<bool> synced_{false};
  std::atomic<bool> full_{false};
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> coalesced_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> exceptions_{0};
  std::atomic<std::int64_t> longest_ns_{0};

  // Of the thread that delivers while there is one (scheduled_), else under the mutex.
  std::vector<Notification> taken_;
  std::size_t next_taken_ = 0;
  std::unique_ptr<Replay> replay_;
  std::string key_;
  std::uint64_t malformed_events_ = 0;  // whose handler read malformed fields
  SteadyTime malformed_logged_{};
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_LISTENER_H_
