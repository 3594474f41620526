// controller/client/unseen_writes.h
//
// UnseenWrites: what a client has written and one informer does not show yet, and the waits of
// those who read.

#ifndef KINFORMER_CONTROLLER_CLIENT_UNSEEN_WRITES_H_
#define KINFORMER_CONTROLLER_CLIENT_UNSEEN_WRITES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/field_selector.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/informer_core.h"
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
  std::uint64_t sequence = 0;  // in the order in which they were answered
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
// any, the loop looks at some of them after each commit. More than kMostWrites are replaced by the
// newest version among them: whoever reads then waits until the store has that.
//
// Lock order: this one's monitor before anything of the informer. Nothing calls out under it.
class UnseenWrites : public std::enable_shared_from_this<UnseenWrites> {
 public:
  static constexpr std::size_t kMostWrites = 10'000;

  explicit UnseenWrites(Env& env);

  // The informer that is read from now on. What another one had not shown, this one may lack, too.
  void Attach(const std::shared_ptr<InformerCore>& informer);
  // Null: it is gone, or was never there.
  [[nodiscard]] std::shared_ptr<InformerCore> informer() const;

  // ---- What has been written. `epoch`: of the informer (Epochs) before the request was sent.
  void Wrote(const Block& answer, std::uint64_t epoch);
  void Deleted(const ObjectName& name, std::string_view uid, std::uint64_t epoch);
  // All objects that the cache has in that namespace and that match. Gives the names of those that
  // have been written and are not in the cache yet: nobody can say of them here.
  std::vector<ObjectName> DeletedAllOf(std::string_view namespace_, const LabelSelector& labels,
                                       const FieldSelector& fields, std::uint64_t epoch);
  // The store must be at that version before anything is read.
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
  using Writes = std::map<ObjectName, std::vector<UnseenWrite>>;
  struct Blocker {
    ObjectName name{};
    UnseenWrite write{};
  };

  // All of these under the monitor.
  [[nodiscard]] State Judge(InformerCore& informer, const ObjectName& name,
                            UnseenWrite& write) const;
  // Takes off what is seen, up to the first write that blocks, which is the result. Later ones than
  // `newest` block nobody.
  std::optional<Blocker> Settle(InformerCore& informer, Writes::iterator at, std::uint64_t newest);
  std::optional<Blocker> SettleAll(InformerCore& informer, std::string_view namespace_,
                                   std::uint64_t newest);
  void Add(InformerCore& informer, const ObjectName& name, UnseenWrite write);
  // In the place of all that have a version.
  void KeepNewestVersion(const UnseenWrite& newest);
  void Erased(const UnseenWrite& write);

  using FindBlocker = std::function<std::optional<Blocker>(InformerCore&, std::uint64_t newest)>;
  [[nodiscard]] Result<void> Wait(const FindBlocker& find, const ReadPatience& patience);
  void StoreChanged();
  void Sweep();

  Env& env_;
  const std::unique_ptr<Monitor> monitor_;
  // Under the monitor.
  std::weak_ptr<InformerCore> informer_;
  Writes writes_;
  std::atomic<std::size_t> count_{0};  // of them; read without the monitor, too
  std::size_t versioned_ = 0;          // of them
  std::uint64_t sequence_ = 0;
  std::size_t lost_ = 0;               // in an epoch that ended, since the log last said so
  std::shared_ptr<void> listening_;    // to the store, while there are any
  std::optional<ObjectName> swept_{};  // up to where the sweep has got; empty: it begins anew
  bool sweeps_ = false;                // it is posted
  bool sweep_again_ = false;           // the store has changed since it began
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_CLIENT_UNSEEN_WRITES_H_
