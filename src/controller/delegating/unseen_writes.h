// controller/delegating/unseen_writes.h
//
// UnseenWrites: what a client has written and one informer does not show yet, and the waits of
// those who read.

#ifndef KINFORMER_CONTROLLER_DELEGATING_UNSEEN_WRITES_H_
#define KINFORMER_CONTROLLER_DELEGATING_UNSEEN_WRITES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/field_selector.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/label_selector.h"
#include "kinformer/object_name.h"
#include "kinformer/result.h"

namespace kinformer::internal::delegating {

// What a write has done to an object, and so what a cache shows once it has seen it.
enum class WriteEffect : std::uint8_t {
  kWritten,     // the store is at that version, or the object is
  kUnselected,  // the cache does not take up that version: none of an older one
  kRemoved,   // an update took the last finalizer of a deleted object: another incarnation, a later
              // version, or none
  kDeleted,   // a deletionTimestamp, another incarnation, or none
  kAffected,  // a deletion of many: anything but the state that was marked, unless that was being
              // deleted
};

struct UnseenWrite {
  WriteEffect effect{};
  std::string uid{};  // empty: not known
  // Of kDeleted the version of the object's last write that was not seen by then, or empty.
  std::string resourceVersion{};
  // The informer's when the write was begun.
  std::uint64_t epoch = 0;
  // In the order in which they were answered; of one that stands for several, that of the first.
  std::uint64_t sequence = 0;
  // kDeleted: the cache has shown the object.
  bool shown = false;
  // kDeleted, kUnselected: what the cache does not have yet it may get: somebody else created it,
  // and the cache has not come so far. By then it will have.
  SteadyTime forgotten_at{};
};

// Until when, and unless who says stop, a read waits. Both tokens count.
struct ReadPatience {
  SteadyTime deadline = SteadyTime::max();
  std::stop_token stop{};
  std::stop_token other_stop{};
};

// Thread-safe. Writes are taken off at the version of the store that shows them: while there are
// any, the loop looks at some of them after each commit. They are bounded: more than kMostWrites
// versions are replaced by the newest among them, and whoever reads then waits until the store has
// that; of deletions an object has one of each effect, and of those that the cache does not show
// there are no more than kMostWrites.
//
// Lock order: this one's monitor before anything of the informer. Nothing calls out under it.
class UnseenWrites : public std::enable_shared_from_this<UnseenWrites> {
 public:
  static constexpr std::size_t kMostWrites = 10'000;

  // Null: there is none yet. This one keeps what the next informer has to show; see TakeOver.
  UnseenWrites(Env& env, const std::shared_ptr<InformerCore>& informer);

  // Null: it is gone, or was never there.
  [[nodiscard]] std::shared_ptr<InformerCore> informer() const { return informer_.lock(); }
  // The same without a handle that somebody would have to drop.
  [[nodiscard]] bool IsOf(const std::shared_ptr<InformerCore>& informer) const;
  [[nodiscard]] bool IsOfNobody() const { return informer_.expired(); }
  // What an informer that is gone had not shown, this one may lack, too.
  void TakeOver(const UnseenWrites& gone);

  // ---- What has been written. `epoch`: of the informer (Epochs) before the request was sent.
  void Wrote(const Block& answer, std::uint64_t epoch);
  // False: the informer is gone.
  bool Deleted(const ObjectName& name, std::string_view uid, std::uint64_t epoch);
  // For the next informer.
  void KeepDeleted(const ObjectName& name, std::string_view uid);
  // What the cache has; null: the informer is gone.
  [[nodiscard]] std::shared_ptr<const SnapshotCore> Snapshot() const;
  // A deletion of all objects of a namespace that match. `before`: the cache before the request was
  // sent, or null. What it had and has not changed since is marked. Gives the names of what else
  // may have been deleted, as nobody can say here: what came or changed in the meantime, and what
  // has been written and is not in the cache yet.
  std::vector<ObjectName> DeletedAllOf(std::string_view namespace_, const LabelSelector& labels,
                                       const FieldSelector& fields, std::uint64_t epoch,
                                       const SnapshotCore* before);
  // The store must be at that version before anything is read, or the namespace that is read.
  void MustReach(std::string_view resourceVersion);

  // ---- Waiting. kStale: the deadline has passed. kEpochChanged: the server went back in time, and
  // nobody knows what has become of the write. kCanceled, kStopped, kWouldDeadlock.
  [[nodiscard]] Result<void> WaitFor(const ObjectName& name, const ReadPatience& patience);
  // For all of that namespace; empty: of all.
  [[nodiscard]] Result<void> WaitForAll(std::string_view namespace_, const ReadPatience& patience);

  [[nodiscard]] std::size_t size() const;

 private:
  enum class State : std::uint8_t { kBlocks, kHarmless, kSeen, kOtherEpoch };
  // An object's writes. That of no name is the store's own version.
  using OfObject = std::list<UnseenWrite>;
  using Writes = std::map<ObjectName, OfObject>;
  using OfEffect = std::tuple<ObjectName, WriteEffect, std::string>;  // the last: its uid
  struct Blocker {
    ObjectName name{};
    UnseenWrite write{};
    std::string namespace_{};  // whose position it was judged by
  };

  // All of these under the monitor. `where`: the namespace that is read; empty: all.
  [[nodiscard]] State Judge(InformerCore& informer, const ObjectName& name, UnseenWrite& write,
                            std::string_view where) const;
  [[nodiscard]] static State JudgeVersion(InformerCore& informer, const UnseenWrite& write,
                                          std::string_view where);
  // Takes off what is seen, up to the first write that blocks, which is the result. Later ones than
  // `newest` block nobody.
  std::optional<Blocker> Settle(InformerCore& informer, Writes::iterator at, std::uint64_t newest,
                                std::string_view where);
  std::optional<Blocker> SettleAll(InformerCore& informer, std::string_view namespace_,
                                   std::uint64_t newest);
  void Listen(InformerCore& informer);
  // Unless the cache shows it already.
  void Add(InformerCore& informer, const ObjectName& name, UnseenWrite write);
  // `harmless`: nobody need wait for it, unless the cache shows something that it does not have
  // yet.
  void Insert(const ObjectName& name, UnseenWrite write, bool harmless);
  // Of what is found by its effect. False: there is no such write of that object yet.
  bool Replace(const ObjectName& name, UnseenWrite& write);
  // In the place of all that have a version.
  void KeepNewestVersion();
  void Erased(const ObjectName& name, const UnseenWrite& write);
  // Of those that the cache has to show at some time, or not at all.
  [[nodiscard]] std::size_t others() const { return size() - versioned_ - affected_; }

  using FindBlocker = std::function<std::optional<Blocker>(InformerCore&, std::uint64_t newest)>;
  [[nodiscard]] Result<void> Wait(const FindBlocker& find, const ReadPatience& patience);
  void StoreChanged();
  void Sweep();

  Env& env_;
  const std::weak_ptr<InformerCore> informer_;
  const std::unique_ptr<Monitor> monitor_;
  // Under the monitor.
  Writes writes_;
  // All of an effect that an object has once: all but kWritten.
  std::map<OfEffect, OfObject::iterator> by_effect_;
  std::atomic<std::size_t> count_{0};  // of them; read without the monitor, too
  std::size_t versioned_ = 0;          // of them, of kWritten
  std::size_t affected_ = 0;           // of them, of kAffected: no more than the cache has objects
  std::uint64_t sequence_ = 0;
  std::size_t lost_ = 0;               // in an epoch that ended, since the log last said so
  std::shared_ptr<void> listening_;    // to the store, while there are any
  std::optional<ObjectName> swept_{};  // up to where the sweep has got; empty: it begins anew
  bool sweeps_ = false;                // it is posted
  bool sweep_again_ = false;           // the store has changed since it began
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_UNSEEN_WRITES_H_
