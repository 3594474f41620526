#include "controller/delegating/unseen_writes.h"

#include <algorithm>
#include <chrono>
#include <compare>
#include <iterator>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/object/object.h"

#include "base/core/would_deadlock.h"
#include "base/loop/signal.h"
#include "cache/store/resource_version.h"
#include "cache/store/store_core.h"
#include "controller/delegating/joined_stop.h"
#include "controller/delegating/selection.h"

namespace kinformer::internal::delegating {
namespace {

// Number of writes checked in one step of the sweep: some 50 µs on the loop.
constexpr std::size_t kSweepStep = 256;
// How long a deletion of an object is kept that the cache has not shown. A watch that lags more
// than this is about to fail anyway.
constexpr std::chrono::minutes kKeepUnshown(1);

bool IsAtLeast(std::string_view version, std::string_view wanted) {
  const auto order = cache::CompareResourceVersion(version, wanted);
  return order && *order != std::strong_ordering::less;
}

bool IsDeleting(const ObjectRef& object) {
  const ObjectRef whole = Unpacked(object);
  return Object(whole.get()).metadata().deletionTimestamp().has_value();
}

// Whether the update removed the object: nothing keeps a deleted object after its last finalizer is
// gone and its grace period is over. Such an answer may have the object's previous version.
bool IsLastState(const Block& answer) {
  const metav1::ObjectMeta metadata = Object(&answer).metadata();
  return metadata.deletionTimestamp() && metadata.finalizers().empty() &&
         metadata.deletionGracePeriodSeconds().value_or(0) == 0;
}

// Whether the cache already had the object in this state before the request.
bool IsUnchanged(const SnapshotCore* before, const Block& now) {
  const Block* const then = before == nullptr ? nullptr : before->Get(now.namespace_(), now.name());
  return then != nullptr && then->uid() == now.uid() &&
         then->resourceVersion() == now.resourceVersion();
}

// Whether the write is shown, at the latest, when the store reaches its version. This is not so for
// a removal, whose answer may have an older version.
bool IsVersion(const UnseenWrite& write) { return write.effect == WriteEffect::kWritten; }

std::string Described(const InformerCore& informer, const ObjectName& name,
                      const UnseenWrite& write) {
  std::string text = "the cache of " + informer.Describe() + " does not show ";
  switch (write.effect) {
    case WriteEffect::kWritten:
    case WriteEffect::kUnselected:
      text += "resourceVersion " + write.resourceVersion;
      break;
    case WriteEffect::kRemoved:
      text += "the removal";
      break;
    case WriteEffect::kDeleted:
    case WriteEffect::kAffected:
      text += "the deletion";
      break;
  }
  return name.name.empty() ? text : text + " of \"" + name.ToString() + '"';
}

}  // namespace

UnseenWrites::UnseenWrites(Env& env, const std::shared_ptr<InformerCore>& informer)
    : env_(env), informer_(informer) {
  MetricsSink& metrics = env.metrics();
  if (informer == nullptr || !metrics.enabled()) return;
  const std::string& name = informer->Describe();
  lag_ = metrics.NewHistogram("kinformer_own_write_lag_seconds",
                              "Time from the answer of an own write until the cache shows it",
                              {{"name", name}});
  last_lag_ = metrics.NewGauge("kinformer_own_write_last_lag_seconds",
                               "The same, of the write that was shown last", {{"name", name}});
}

void UnseenWrites::Seen(const UnseenWrite& write) const {
  if (lag_ == nullptr || write.written_at == SteadyTime{}) return;
  const std::chrono::duration<double> lag = env_.Now() - write.written_at;
  lag_->Observe(lag.count());
  last_lag_->Set(lag.count());
}

bool UnseenWrites::IsOf(const std::shared_ptr<InformerCore>& informer) const {
  return !informer_.owner_before(informer) && !informer.owner_before(informer_);
}

std::size_t UnseenWrites::size() const { return count_.load(std::memory_order_acquire); }

void UnseenWrites::TakeOver(const UnseenWrites& gone) {
  const std::shared_ptr<InformerCore> informer = this->informer();
  if (informer == nullptr) return;
  Writes writes;
  {
    const base::MutexLock lock(gone.mutex_);
    writes = gone.writes_;
  }
  if (writes.empty()) return;
  const base::MutexLock lock(mutex_);
  Listen(*informer);
  const std::uint64_t epoch = informer->Epochs();
  for (auto& [name, of_object] : writes) {
    for (UnseenWrite& write : of_object) {
      write.epoch = epoch;
      Insert(name, std::move(write), /*harmless=*/false);
    }
  }
}

UnseenWrites::State UnseenWrites::JudgeVersion(InformerCore& informer, const UnseenWrite& write,
                                               std::string_view where) {
  const auto reached = [&write](const cache::StorePosition& position) {
    return position.epoch == write.epoch &&
           IsAtLeast(position.resource_version, write.resourceVersion);
  };
  const cache::StorePosition whole = informer.PositionOf({});
  if (whole.epoch > write.epoch) return State::kOtherEpoch;
  if (reached(whole)) return State::kSeen;
  if (where.empty()) return State::kBlocks;
  // Other namespaces may lag, or may never sync.
  const cache::StorePosition position = informer.PositionOf(where);
  if (position.epoch > write.epoch || reached(position)) return State::kHarmless;
  const std::shared_ptr<const SnapshotCore> snapshot = informer.indexer().SnapshotAsItIs();
  const cache::Coverage* const coverage = snapshot->coverage();
  return coverage != nullptr && !coverage->Includes(where) ? State::kHarmless : State::kBlocks;
}

UnseenWrites::State UnseenWrites::Judge(InformerCore& informer, const ObjectName& name,
                                        UnseenWrite& write, std::string_view where) const {
  if (name.name.empty()) return JudgeVersion(informer, write, where);
  const cache::StorePosition position = informer.PositionOf(name.namespace_);
  if (position.epoch > write.epoch) return State::kOtherEpoch;
  const bool reached =
      position.epoch == write.epoch && IsAtLeast(position.resource_version, write.resourceVersion);
  const bool shows_version =
      write.effect == WriteEffect::kWritten || write.effect == WriteEffect::kUnselected;
  if (reached && shows_version) return State::kSeen;
  const ObjectRef cached = informer.indexer().Get(name.namespace_, name.name);
  const bool same = cached && (write.uid.empty() || cached->uid() == write.uid);
  switch (write.effect) {
    case WriteEffect::kWritten:
      return position.epoch == write.epoch && cached &&
                     IsAtLeast(cached->resourceVersion(), write.resourceVersion)
                 ? State::kSeen
                 : State::kBlocks;
    case WriteEffect::kUnselected:
      if (cached) {
        return IsAtLeast(cached->resourceVersion(), write.resourceVersion) ? State::kSeen
                                                                           : State::kBlocks;
      }
      return env_.Now() >= write.forgotten_at ? State::kSeen : State::kHarmless;
    case WriteEffect::kRemoved:
      if (!reached) return State::kBlocks;
      return same && !cache::IsOlderResourceVersion(write.resourceVersion,
                                                    cached->resourceVersion())
                 ? State::kBlocks
                 : State::kSeen;
    case WriteEffect::kDeleted:
      if (same && !IsDeleting(cached)) {
        write.shown = true;
        return State::kBlocks;
      }
      return same || write.shown || reached || env_.Now() >= write.forgotten_at ? State::kSeen
                                                                                : State::kHarmless;
    case WriteEffect::kAffected:
      // An object that is already being deleted does not change.
      return same && cached->resourceVersion() == write.resourceVersion && !IsDeleting(cached)
                 ? State::kBlocks
                 : State::kSeen;
  }
  return State::kSeen;
}

void UnseenWrites::Erased(const ObjectName& name, const UnseenWrite& write) {
  count_.fetch_sub(1, std::memory_order_acq_rel);
  if (write.effect == WriteEffect::kAffected) --affected_;
  if (IsVersion(write)) {
    --versioned_;
  } else {
    by_effect_.erase({name, write.effect, write.uid});
  }
}

std::optional<UnseenWrites::Blocker> UnseenWrites::Settle(InformerCore& informer,
                                                          Writes::iterator at, std::uint64_t newest,
                                                          std::string_view where) {
  std::optional<Blocker> blocker;
  const ObjectName& name = at->first;
  OfObject& writes = at->second;
  for (auto write = writes.begin(); write != writes.end();) {
    if (write->sequence > newest) break;
    const State state = Judge(informer, name, *write, where);
    if (state == State::kBlocks) {
      blocker = Blocker{name, *write, std::string(name.name.empty() ? where : name.namespace_)};
      break;
    }
    if (state == State::kHarmless) {
      ++write;
      continue;
    }
    if (state == State::kOtherEpoch) {
      ++lost_;
    } else {
      Seen(*write);
    }
    Erased(name, *write);
    write = writes.erase(write);
  }
  if (writes.empty()) writes_.erase(at);
  return blocker;
}

std::optional<UnseenWrites::Blocker> UnseenWrites::SettleAll(InformerCore& informer,
                                                             std::string_view namespace_,
                                                             std::uint64_t newest) {
  auto at = writes_.lower_bound({std::string(namespace_), ""});
  while (at != writes_.end()) {
    if (!namespace_.empty() && at->first.namespace_ != namespace_) break;
    const auto next = std::next(at);
    if (std::optional<Blocker> blocker = Settle(informer, at, newest, namespace_)) return blocker;
    at = next;
  }
  return std::nullopt;
}

void UnseenWrites::Listen(InformerCore& informer) {
  if (listening_ != nullptr) return;
  listening_ = informer.ObserveVersions([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->StoreChanged();
  });
}

void UnseenWrites::Add(InformerCore& informer, const ObjectName& name, UnseenWrite write) {
  Listen(informer);  // before the check of the store, so that no version is missed
  const State state = Judge(informer, name, write, {});
  if (state == State::kSeen) Seen(write);
  if (state == State::kSeen || state == State::kOtherEpoch) return;
  Insert(name, std::move(write), state == State::kHarmless);
}

bool UnseenWrites::Replace(const ObjectName& name, UnseenWrite& write) {
  const auto found = by_effect_.find({name, write.effect, write.uid});
  if (found == by_effect_.end()) return false;
  // Reads that wait for the previous write now wait for this one.
  UnseenWrite& before = *found->second;
  write.sequence = before.sequence;
  write.shown = write.shown || before.shown;
  before = std::move(write);
  return true;
}

void UnseenWrites::Insert(const ObjectName& name, UnseenWrite write, bool harmless) {
  if (!IsVersion(write) && Replace(name, write)) return;
  if (harmless && others() >= kMostWrites) return;
  // Beyond the limit, only the version of a removal is kept.
  if (write.effect == WriteEffect::kRemoved && others() >= kMostWrites) {
    write.effect = WriteEffect::kWritten;
  }
  write.sequence = ++sequence_;
  count_.fetch_add(1, std::memory_order_acq_rel);
  OfObject& of_object = writes_[name];
  of_object.push_back(std::move(write));
  const auto added = std::prev(of_object.end());
  if (added->effect == WriteEffect::kAffected) ++affected_;
  if (!IsVersion(*added)) {
    by_effect_.emplace(OfEffect{name, added->effect, added->uid}, added);
  } else if (++versioned_ > kMostWrites) {
    KeepNewestVersion();
  }
}

void UnseenWrites::KeepNewestVersion() {
  // It gets the smallest sequence number of the replaced ones, so that waiting reads see it.
  UnseenWrite version{.effect = WriteEffect::kWritten, .sequence = sequence_};
  const auto erase = [&](const ObjectName& name, const UnseenWrite& write) {
    if (!IsVersion(write)) return false;
    version.sequence = std::min(version.sequence, write.sequence);
    const bool newer =
        version.resourceVersion.empty() || write.epoch > version.epoch ||
        (write.epoch == version.epoch &&
         cache::IsOlderResourceVersion(version.resourceVersion, write.resourceVersion));
    if (newer) {
      version.epoch = write.epoch;
      version.resourceVersion = write.resourceVersion;
    }
    Erased(name, write);
    return true;
  };
  for (auto at = writes_.begin(); at != writes_.end();) {
    std::erase_if(at->second, [&](const UnseenWrite& write) { return erase(at->first, write); });
    at = at->second.empty() ? writes_.erase(at) : std::next(at);
  }
  count_.fetch_add(1, std::memory_order_acq_rel);
  ++versioned_;
  writes_[ObjectName()].push_back(std::move(version));
}

void UnseenWrites::Wrote(const Block& answer, std::uint64_t epoch) {
  // A version without an order cannot be waited for.
  if (!cache::IsWellFormedResourceVersion(answer.resourceVersion())) return;
  const std::shared_ptr<InformerCore> informer = this->informer();
  if (informer == nullptr) return;
  const ObjectName name{std::string(answer.namespace_()), std::string(answer.name())};
  const std::shared_ptr<const SnapshotCore> snapshot = informer->indexer().SnapshotAsItIs();
  const cache::Coverage* coverage = snapshot->coverage();
  if (coverage != nullptr && !coverage->Includes(name.namespace_, name.name)) return;
  UnseenWrite write{.effect = WriteEffect::kWritten,
                    .uid = std::string(answer.uid()),
                    .resourceVersion = std::string(answer.resourceVersion()),
                    .epoch = epoch,
                    .forgotten_at = env_.Now() + kKeepUnshown,
                    .written_at = env_.Now()};
  if (!Selects(coverage, answer)) {
    write.effect = WriteEffect::kUnselected;
    write.written_at = {};  // it is never shown
  } else if (IsLastState(answer)) {
    write.effect = WriteEffect::kRemoved;
  }
  const base::MutexLock lock(mutex_);
  Add(*informer, name, std::move(write));
}

bool UnseenWrites::Deleted(const ObjectName& name, std::string_view uid, std::uint64_t epoch) {
  const std::shared_ptr<InformerCore> informer = this->informer();
  if (informer == nullptr) return false;
  const std::shared_ptr<const SnapshotCore> snapshot = informer->indexer().SnapshotAsItIs();
  const cache::Coverage* coverage = snapshot->coverage();
  if (coverage != nullptr && !coverage->Includes(name.namespace_, name.name)) return true;
  UnseenWrite write{.effect = WriteEffect::kDeleted,
                    .uid = std::string(uid),
                    .epoch = epoch,
                    .forgotten_at = env_.Now() + kKeepUnshown,
                    .written_at = env_.Now()};
  const Block* const cached = snapshot->Get(name.namespace_, name.name);
  const base::MutexLock lock(mutex_);
  if (const auto written = writes_.find(name); written != writes_.end()) {
    // An answer without a uid refers to the object that this client wrote last.
    const UnseenWrite& last = written->second.back();
    if (write.uid.empty()) write.uid = last.uid;
    const bool has_version = IsVersion(last) || last.effect == WriteEffect::kRemoved;
    if (has_version && last.uid == write.uid) write.resourceVersion = last.resourceVersion;
  }
  if (write.uid.empty()) {
    if (cached == nullptr) return true;
    write.uid = std::string(cached->uid());
  }
  Add(*informer, name, std::move(write));
  return true;
}

void UnseenWrites::KeepDeleted(const ObjectName& name, std::string_view uid) {
  const base::MutexLock lock(mutex_);
  Insert(name,
         {.effect = WriteEffect::kDeleted,
          .uid = std::string(uid),
          .forgotten_at = env_.Now() + kKeepUnshown},
         /*harmless=*/true);
}

std::shared_ptr<const SnapshotCore> UnseenWrites::Snapshot() const {
  const std::shared_ptr<InformerCore> informer = this->informer();
  return informer == nullptr ? nullptr : informer->indexer().SnapshotAsItIs();
}

std::vector<ObjectName> UnseenWrites::DeletedAllOf(std::string_view namespace_,
                                                   const LabelSelector& labels,
                                                   const FieldSelector& fields, std::uint64_t epoch,
                                                   const SnapshotCore* before) {
  const std::shared_ptr<InformerCore> informer = this->informer();
  if (informer == nullptr) return {};
  const std::shared_ptr<const SnapshotCore> snapshot = informer->indexer().SnapshotAsItIs();
  std::vector<ObjectName> unknown;
  const base::MutexLock lock(mutex_);
  for (const auto& [name, writes] : writes_) {
    if (name.name.empty() || (!namespace_.empty() && name.namespace_ != namespace_)) continue;
    const UnseenWrite& last = writes.back();
    if (IsVersion(last) || last.effect == WriteEffect::kRemoved) unknown.push_back(name);
  }
  SnapshotCore::Cursor cursor;
  while (const Block* packed = snapshot->Next(cursor)) {
    if (!namespace_.empty() && packed->namespace_() != namespace_) continue;
    const Block* block = snapshot->Whole(packed);
    if (!Matches(*block, labels, fields)) continue;
    ObjectName name{std::string(block->namespace_()), std::string(block->name())};
    if (!IsUnchanged(before, *block)) {
      // The server may have created it after the deletion.
      if (!IsDeleting(ObjectRef::Share(block))) unknown.push_back(std::move(name));
      continue;
    }
    Add(*informer, name,
        {.effect = WriteEffect::kAffected,
         .uid = std::string(block->uid()),
         .resourceVersion = std::string(block->resourceVersion()),
         .epoch = epoch});
  }
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  return unknown;
}

void UnseenWrites::MustReach(std::string_view resourceVersion) {
  const std::shared_ptr<InformerCore> informer = this->informer();
  if (informer == nullptr || !cache::IsWellFormedResourceVersion(resourceVersion)) return;
  const base::MutexLock lock(mutex_);
  Add(*informer, {},
      {.effect = WriteEffect::kWritten,
       .resourceVersion = std::string(resourceVersion),
       .epoch = informer->Epochs()});
}

std::optional<UnseenWrites::Blocker> UnseenWrites::FindBlocker(InformerCore& informer,
                                                               const ObjectName& which,
                                                               std::uint64_t newest) {
  if (const auto version = writes_.find(ObjectName()); version != writes_.end()) {
    std::optional<Blocker> blocker = Settle(informer, version, newest, which.namespace_);
    if (blocker) return blocker;
  }
  if (which.name.empty()) return SettleAll(informer, which.namespace_, newest);
  const auto at = writes_.find(which);
  if (at == writes_.end()) return std::nullopt;
  return Settle(informer, at, newest, which.namespace_);
}

std::optional<UnseenWrites::Blocker> UnseenWrites::BlockerNow(InformerCore& informer,
                                                              const ObjectName& which,
                                                              std::uint64_t& newest) {
  const base::MutexLock lock(mutex_);
  newest = sequence_;
  return FindBlocker(informer, which, newest);
}

bool UnseenWrites::Shows(const ObjectName& which) {
  if (size() == 0) return true;
  const std::shared_ptr<InformerCore> informer = this->informer();
  std::uint64_t newest = 0;
  return informer == nullptr || !BlockerNow(*informer, which, newest);
}

Result<void> UnseenWrites::WaitFor(const ObjectName& which, const ReadPatience& patience) {
  const std::shared_ptr<InformerCore> informer = this->informer();
  if (informer == nullptr) return {};
  std::uint64_t newest = 0;
  const std::optional<Blocker> first = BlockerNow(*informer, which, newest);
  if (!first) return {};
  if (env_.OnLoopThread()) {
    return base::WouldDeadlock(
        env_, "on a loop's thread nobody can wait for what this client has written: " +
                  Described(*informer, first->name, first->write));
  }
  return BlockOn(env_, SeenTask(shared_from_this(), which, patience));
}

std::optional<Result<void>> UnseenWrites::Decide(InformerCore& informer, const ObjectName& which,
                                                 std::uint64_t newest, const ReadPatience& patience,
                                                 Blocker& last) {
  std::optional<Blocker> blocker;
  {
    const base::MutexLock lock(mutex_);
    blocker = FindBlocker(informer, which, newest);
  }
  if (!blocker) {
    const cache::StorePosition position = informer.PositionOf(last.namespace_);
    if (position.epoch <= last.write.epoch) return Result<void>();
    return Error(Reason::kEpochChanged,
                 "the server went back in time, and may have lost what this client had written: " +
                     Described(informer, last.name, last.write));
  }
  last = *std::move(blocker);
  const auto failed = [&](Reason reason, std::string_view why) {
    return Error(reason, Described(informer, last.name, last.write) + " yet: " + std::string(why));
  };
  if (informer.IsStopped()) return failed(Reason::kStopped, "the informer has stopped");
  if (patience.stop.stop_requested() || patience.other_stop.stop_requested()) {
    return failed(Reason::kCanceled, "stopped");
  }
  if (env_.Now() >= patience.deadline) {
    return failed(Reason::kStale, "this client wrote it, and the watch lags; try again later");
  }
  return std::nullopt;
}

Task<Result<void>> UnseenWrites::SeenTask(std::shared_ptr<UnseenWrites> self, ObjectName which,
                                          ReadPatience patience) {
  // Keeps the informer until the end: its last handle must not be released under the mutex.
  const std::shared_ptr<InformerCore> informer = self->informer();
  if (informer == nullptr) co_return Result<void>();
  std::uint64_t newest = 0;
  const std::optional<Blocker> first = self->BlockerNow(*informer, which, newest);
  if (!first) co_return Result<void>();
  Blocker last = *first;
  const auto signal = std::make_shared<base::Signal>();
  // Observed before the next look at the store, so that no version is missed.
  const std::shared_ptr<void> observation =
      informer->ObserveVersions([signal] { signal->Notify(); });
  const JoinedStop stop(patience.stop, patience.other_stop);
  std::optional<SteadyTime> deadline;
  if (patience.deadline != SteadyTime::max()) deadline = patience.deadline;
  const auto check = [&] { return self->Decide(*informer, which, newest, patience, last); };
  co_return co_await base::AwaitUntil(self->env_, signal, stop.token(), deadline, check);
}

void UnseenWrites::StoreChanged() {
  std::shared_ptr<void> ended;
  {
    const base::MutexLock lock(mutex_);
    if (writes_.empty()) {
      ended = std::move(listening_);
      return;
    }
    sweep_again_ = true;
    if (std::exchange(sweeps_, true)) return;
  }
  env_.loop().Post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Sweep();
  });
}

void UnseenWrites::Sweep() {
  const std::shared_ptr<InformerCore> informer = this->informer();
  std::shared_ptr<void> ended;
  std::size_t lost = 0;
  bool more = false;
  {
    const base::MutexLock lock(mutex_);
    if (!swept_) sweep_again_ = false;
    auto at = swept_ ? writes_.upper_bound(*swept_) : writes_.begin();
    std::size_t looked = 0;
    while (informer != nullptr && at != writes_.end() && looked < kSweepStep) {
      const auto next = std::next(at);
      looked += at->second.size();
      swept_ = at->first;
      static_cast<void>(Settle(*informer, at, sequence_, {}));
      at = next;
    }
    if (informer == nullptr || at == writes_.end()) swept_.reset();
    more = informer != nullptr && (swept_ || sweep_again_);
    sweeps_ = more;
    if (writes_.empty()) ended = std::move(listening_);
    lost = std::exchange(lost_, 0);
  }
  if (lost > 0) {
    env_.log().Log(
        LogLevel::kWarning,
        "the server went back in time: nobody waits any more for what was written before",
        {{"informer", informer->Describe()}, {"writes", std::to_string(lost)}});
  }
  if (!more) return;
  env_.loop().Post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Sweep();
  });
}

}  // namespace kinformer::internal::delegating
