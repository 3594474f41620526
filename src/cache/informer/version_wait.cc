#include "cache/informer/version_wait.h"

#include <compare>
#include <memory>
#include <string>
#include <utility>

#include "base/core/deadline.h"
#include "base/core/would_deadlock.h"
#include "cache/store/coverage.h"
#include "cache/store/resource_version.h"

namespace kinformer::internal::cache {
namespace {

using State = InformerState;

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

Result<void> VersionWaiters::Wait(const InformerContext& informer, std::string_view namespace_,
                                  std::string_view resourceVersion, const std::stop_token& stop,
                                  std::optional<Duration> timeout) const {
  const Wanted wanted{informer, namespace_, resourceVersion};
  const auto failed = [&](Reason reason, std::string_view why) {
    return wanted.ErrorOf(reason, why);
  };
  if (!IsWellFormedResourceVersion(resourceVersion)) {
    return failed(Reason::kInvalidArgument, "that is no version of an object or a list");
  }
  const std::uint64_t epochs = informer.statuses.epochs();
  const Result<bool> has = Has(wanted);
  if (!has.ok()) return has.error();
  if (*has) return {};
  if (informer.env.OnLoopThread()) {
    return base::WouldDeadlock(
        informer.env,
        failed(Reason::kWouldDeadlock, "the loop's thread would wait for itself").message());
  }
  const std::shared_ptr<Monitor> monitor = informer.env.NewMonitor();
  const auto wake = [monitor] {
    MonitorLock lock(*monitor);
    monitor->NotifyAll();
  };
  const std::shared_ptr<void> observation = InformerObservers::Add(informer.observers, wake);
  const Counted counted(*this);
  const std::stop_callback on_stop(stop, wake);
  const SteadyTime deadline = base::After(informer.env.Now(), timeout.value_or(Duration(0)));
  MonitorLock lock(*monitor);
  for (;;) {
    if (informer.statuses.epochs() != epochs) {
      return failed(Reason::kEpochChanged,
                    "the server went back in time, and its versions begin anew");
    }
    const Result<bool> now = Has(wanted);
    if (!now.ok()) return now.error();
    if (*now) return {};
    if (informer.Is(State::kCreated)) {
      return failed(Reason::kNotSynced, "the informer is not started; call Start");
    }
    if (informer.Is(State::kStopped)) return failed(Reason::kStopped, "the informer has stopped");
    if (!wanted.InScope()) return failed(Reason::kOutOfScope, "it does not look there");
    if (stop.stop_requested()) return failed(Reason::kCanceled, "stopped");
    if (!timeout) {
      lock.Wait();
    } else if (informer.env.Now() >= deadline) {
      return failed(Reason::kDeadlineExceeded,
                    "time is up; a collection in which nothing happens says its version about "
                    "once a minute");
    } else {
      static_cast<void>(lock.WaitUntil(deadline));
    }
  }
}

}  // namespace kinformer::internal::cache
