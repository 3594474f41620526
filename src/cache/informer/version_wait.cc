#include "cache/informer/version_wait.h"

#include <compare>
#include <memory>
#include <string>
#include <utility>

#include "base/core/deadline.h"
#include "base/core/would_deadlock.h"
#include "base/loop/signal.h"
#include "cache/store/coverage.h"
#include "cache/store/resource_version.h"

namespace kinformer::internal::cache {
namespace {

using State = InformerStage;

class Counted {
 public:
  explicit Counted(const VersionWaiters& waiters) : waiters_(waiters) { waiters_.CountIn(); }
  ~Counted() { waiters_.CountOut(); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  const VersionWaiters& waiters_;
};

// The parameters of one wait.
struct Wanted {
  const InformerContext& informer;
  std::string_view namespace_;  // empty: the informer's whole collection
  std::string_view version;

  [[nodiscard]] StorePosition Position() const { return informer.PositionOf(namespace_); }
  [[nodiscard]] Error ErrorOf(Reason reason, std::string_view why) const {
    std::string has = Position().resource_version;
    if (has.empty()) has = "none yet";
    std::string what = informer.describe;
    if (!namespace_.empty()) what += ", namespace " + std::string(namespace_) + ',';
    return Error(reason, "waiting until the cache of " + what + " has resourceVersion " +
                             std::string(version) + ", it has " + has + ": " + std::string(why));
  }
  // Returns why a wait ends without the version, apart from its deadline; empty if it goes on.
  [[nodiscard]] std::optional<Error> EndOfWait(const std::stop_token& stop) const {
    if (informer.Is(State::kCreated)) {
      return ErrorOf(Reason::kNotSynced, "the informer is not started; call Start");
    }
    if (informer.Is(State::kStopped)) return ErrorOf(Reason::kStopped, "the informer has stopped");
    if (!InScope()) return ErrorOf(Reason::kOutOfScope, "it does not look there");
    if (stop.stop_requested()) return ErrorOf(Reason::kCanceled, "stopped");
    return std::nullopt;
  }
  [[nodiscard]] bool InScope() const {
    const std::shared_ptr<const SnapshotCore> snapshot = informer.store.Snapshot();
    const Coverage* coverage = snapshot->coverage();
    return namespace_.empty() || coverage == nullptr || coverage->Includes(namespace_);
  }
};

// Returns whether the store has all up to that version; an error if that cannot be decided.
Result<bool> Has(const Wanted& what) {
  const std::string_view wanted = what.version;
  const StorePosition position = what.Position();
  // The server went back in time, and the store still has its earlier history.
  if (position.epoch != what.informer.statuses.epochs()) return false;
  if (position.resource_version.empty()) return false;
  const auto order = CompareResourceVersion(position.resource_version, wanted);
  if (order) return *order != std::strong_ordering::less;
  if (position.resource_version == wanted) return true;
  if (position.resource_version == "0") return false;
  return what.ErrorOf(Reason::kInvalidArgument, "this server's versions have no order");
}

}  // namespace

Task<Result<void>> VersionWaiters::Wait(const InformerContext& informer, std::string namespace_,
                                        std::string version, std::stop_token stop,
                                        std::optional<Duration> timeout) const {
  const Wanted wanted{informer, namespace_, version};
  const std::uint64_t epochs = informer.statuses.epochs();
  const auto signal = std::make_shared<base::Signal>();
  const std::shared_ptr<void> observation =
      InformerObservers::Add(informer.observers, [signal] { signal->Notify(); });
  const Counted counted(*this);
  std::optional<SteadyTime> deadline;
  if (timeout) deadline = base::After(informer.env.Now(), *timeout);
  const auto check = [&]() -> std::optional<Result<void>> {
    if (informer.statuses.epochs() != epochs) {
      return wanted.ErrorOf(Reason::kEpochChanged,
                            "the server went back in time, and its versions begin anew");
    }
    const Result<bool> now = Has(wanted);
    if (!now.ok()) return now.error();
    if (*now) return Result<void>();
    if (std::optional<Error> end = wanted.EndOfWait(stop)) return *std::move(end);
    if (deadline && informer.env.Now() >= *deadline) {
      return wanted.ErrorOf(Reason::kDeadlineExceeded,
                            "time is up; a collection in which nothing happens says its version "
                            "about once a minute");
    }
    return std::nullopt;
  };
  co_return co_await base::AwaitUntil(informer.env, signal, stop, deadline, check);
}

std::optional<Result<void>> VersionWaiters::WithoutWaiting(const InformerContext& informer,
                                                           std::string_view namespace_,
                                                           std::string_view version) {
  const Wanted wanted{informer, namespace_, version};
  if (!IsWellFormedResourceVersion(version)) {
    return wanted.ErrorOf(Reason::kInvalidArgument, "that is no version of an object or a list");
  }
  const Result<bool> has = Has(wanted);
  if (!has.ok()) return has.error();
  if (*has) return Result<void>();
  return std::nullopt;
}

Error VersionWaiters::OnLoop(const InformerContext& informer, std::string_view namespace_,
                             std::string_view version) {
  const Wanted wanted{informer, namespace_, version};
  return base::WouldDeadlock(
      informer.env,
      wanted.ErrorOf(Reason::kWouldDeadlock, "the loop's thread would wait for itself").message());
}

}  // namespace kinformer::internal::cache
