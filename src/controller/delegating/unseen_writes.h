// controller/delegating/unseen_writes.h
//
// UnseenWrites: tracks writes of a client that one informer's cache does not show yet, and lets
// reads wait for them.

#ifndef KINFORMER_CONTROLLER_DELEGATING_UNSEEN_WRITES_H_
#define KINFORMER_CONTROLLER_DELEGATING_UNSEEN_WRITES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/object_name.h"

#include "base/core/mutex.h"

namespace kinformer::internal::delegating {

// Effect of a write on an object; the comments say what a cache shows once it has seen the write.
enum class WriteEffect : std::uint8_t {
  kWritten,     // the store or the object has reached that version
  kUnselected,  // the cache does not select that version: it must not show an older one
  kRemoved,   // an update took the last finalizer of a deleted object: another incarnation, a later
              // version, or no object
  kDeleted,   // the object has a deletionTimestamp or another incarnation, or is gone
  kAffected,  // a deletion of many: anything but the state that was marked, unless that was being
              // deleted
};

struct UnseenWrite {
  WriteEffect effect{};
  std::string uid{};  // empty: unknown
  // For kDeleted: version of the last write to the object that was not seen by then, or empty.
  std::string resourceVersion{};
  // Epoch of the informer when the write was sent.
  std::uint64_t epoch = 0;
  // Position in the order of answers; an entry that replaced others has the smallest of theirs.
  std::uint64_t sequence = 0;
  // For kDeleted: whether the cache has shown the object.
  bool shown = false;
  // For kDeleted and kUnselected: the cache may lack the object only because it lags behind another
  // client that created it. After this time it has caught up, and the write is dropped.
  SteadyTime forgotten_at{};
  SteadyTime written_at{};  // when it was answered
};

// Deadline and stop tokens of a read that waits; either token ends the wait.
struct ReadPatience {
  SteadyTime deadline = SteadyTime::max();
  std::stop_token stop{};
  std::stop_token other_stop{};
};

// Thread-safe. A write is dropped once the store has the version that shows it: while there are
// writes, the loop checks some of them after each commit. Their number is limited: more than
// kMostWrites versions are replaced by the newest of them, for which reads then wait. Deletions are
// limited to one of each effect for an object, and to kMostWrites for objects that the cache does
// not show.
//
// Lock order: this mutex before all locks of the informer. Calls no user code under it.
class UnseenWrites : public std::enable_shared_from_this<UnseenWrites> {
 public:
  static constexpr std::size_t kMostWrites = 10'000;

  // If `informer` is null, keeps writes that the next informer must show; see TakeOver.
  UnseenWrites(Env& env, const std::shared_ptr<InformerCore>& informer);

  // Null if the informer is destroyed or there never was one.
  [[nodiscard]] std::shared_ptr<InformerCore> informer() const { return informer_.lock(); }
  // Whether this is for that informer. Unlike informer(), it creates no reference to release.
  [[nodiscard]] bool IsOf(const std::shared_ptr<InformerCore>& informer) const;
  [[nodiscard]] bool IsOfNobody() const { return informer_.expired(); }
  // Adds writes that a destroyed informer had not shown, since this one may lack them too.
  void TakeOver(const UnseenWrites& gone);

  // ---- Records writes. `epoch`: epoch of the informer (Epochs) before the request was sent.
  void Wrote(const Block& answer, std::uint64_t epoch);
  // Returns false if the informer is destroyed.
  bool Deleted(const ObjectName& name, std::string_view uid, std::uint64_t epoch);
  // Records a deletion for the next informer.
  void KeepDeleted(const ObjectName& name, std::string_view uid);
  // Returns the content of the cache, or null if the informer is destroyed.
  [[nodiscard]] std::shared_ptr<const SnapshotCore> Snapshot() const;
  // Records a deletion of all matching objects of a namespace. `before`: the cache before the
  // request was sent, or null; objects unchanged since then are marked. Returns the names of other
  // objects that may have been deleted: objects added or changed in the meantime, and objects
  // written by this client that the cache does not show yet.
  std::vector<ObjectName> DeletedAllOf(std::string_view namespace_, const LabelSelector& labels,
                                       const FieldSelector& fields, std::uint64_t epoch,
                                       const SnapshotCore* before);
  // Reads must wait until the store, or the namespace that is read, has this version.
  void MustReach(std::string_view resourceVersion);

  // ---- Reads. `which`: an object; without a name, all of the namespace; without that, all.
  // Returns whether the cache shows the writes.
  [[nodiscard]] bool Shows(const ObjectName& which);
  // Awaits that the cache shows the writes. kStale: the deadline passed. kEpochChanged: the server
  // was reset and may have lost the write. kCanceled, kStopped.
  [[nodiscard]] static Task<Result<void>> SeenTask(std::shared_ptr<UnseenWrites> self,
                                                   ObjectName which, ReadPatience patience);
  // Blocks on that. kWouldDeadlock on a loop's thread, if there is something to wait for.
  [[nodiscard]] Result<void> WaitFor(const ObjectName& which, const ReadPatience& patience);

  [[nodiscard]] std::size_t size() const;
  // Returns when the oldest write was answered for which reads wait; empty: there is none.
  [[nodiscard]] std::optional<SteadyTime> OldestUnseen();

 private:
  enum class State : std::uint8_t { kBlocks, kHarmless, kSeen, kOtherEpoch };
  // Writes of one object. The entry with an empty name is a version of the whole store.
  using OfObject = std::list<UnseenWrite>;
  using Writes = std::map<ObjectName, OfObject>;
  using OfEffect = std::tuple<ObjectName, WriteEffect, std::string>;  // the last part is the uid
  struct Blocker {
    ObjectName name{};
    UnseenWrite write{};
    std::string namespace_{};  // namespace whose position was compared
  };

  // All of these require the mutex. `where`: the namespace that is read; empty means all.
  [[nodiscard]] State Judge(InformerCore& informer, const ObjectName& name, UnseenWrite& write,
                            std::string_view where) const;
  [[nodiscard]] static State JudgeVersion(InformerCore& informer, const UnseenWrite& write,
                                          std::string_view where);
  // Drops writes that are shown, up to the first write that blocks, and returns that one. Writes
  // after sequence number `newest` do not block.
  std::optional<Blocker> Settle(InformerCore& informer, Writes::iterator at, std::uint64_t newest,
                                std::string_view where);
  std::optional<Blocker> SettleAll(InformerCore& informer, std::string_view namespace_,
                                   std::uint64_t newest);
  void Listen(InformerCore& informer);
  // Adds the write unless the cache shows it already.
  void Add(InformerCore& informer, const ObjectName& name, UnseenWrite write);
  // `harmless`: reads need not wait for the write, unless the cache later shows an object that it
  // does not have yet.
  void Insert(const ObjectName& name, UnseenWrite write, bool harmless);
  // Replaces a write of the same object, effect and uid. Returns false if there is none.
  bool Replace(const ObjectName& name, UnseenWrite& write);
  // Replaces all writes with a version by the newest of them.
  void KeepNewestVersion();
  void Erased(const ObjectName& name, const UnseenWrite& write);
  // The cache shows the write, or the deletion: records how long that took.
  void Seen(const UnseenWrite& write) const;
  // Number of writes that are neither kWritten nor kAffected; Insert limits it.
  [[nodiscard]] std::size_t others() const { return size() - versioned_ - affected_; }

  // Settles what a read of `which` waits for, and returns the first write that blocks it.
  std::optional<Blocker> FindBlocker(InformerCore& informer, const ObjectName& which,
                                     std::uint64_t newest);

  // ---- These lock the mutex.
  // Does the same for all writes so far, and returns the sequence number of the last one.
  std::optional<Blocker> BlockerNow(InformerCore& informer, const ObjectName& which,
                                    std::uint64_t& newest);
  // Returns the result of a wait, or nothing if it goes on. `last`: the last blocker.
  std::optional<Result<void>> Decide(InformerCore& informer, const ObjectName& which,
                                     std::uint64_t newest, const ReadPatience& patience,
                                     Blocker& last);
  void StoreChanged();
  void Sweep();

  Env& env_;
  const std::weak_ptr<InformerCore> informer_;
  // From the answer of a write until the cache shows it. Null without a metrics sink.
  std::shared_ptr<Histogram> lag_;
  std::shared_ptr<Gauge> last_lag_;
  mutable base::Mutex mutex_;
  // Guarded by the mutex.
  Writes writes_;
  // Writes with an effect that occurs once per object: all but kWritten.
  std::map<OfEffect, OfObject::iterator> by_effect_;
  std::atomic<std::size_t> count_{0};  // number of writes; also read without the mutex
  std::size_t versioned_ = 0;          // number with kWritten
  std::size_t affected_ = 0;           // number with kAffected: at most one per cached object
  std::uint64_t sequence_ = 0;
  std::size_t lost_ = 0;               // number lost by an epoch change and not yet logged
  std::shared_ptr<void> listening_;    // observes the store while there are writes
  std::optional<ObjectName> swept_{};  // where the sweep continues; empty: at the beginning
  bool sweeps_ = false;                // the next step is posted
  bool sweep_again_ = false;           // the store changed during the sweep
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_UNSEEN_WRITES_H_
