#include "cache/pipeline/version_wait.h"

#include <compare>
#include <string>

#include "base/deadline.h"
#include "cache/pipeline/informer_impl.h"
#include "cache/store/resource_version.h"

namespace kinformer::internal::cache {
namespace {

using State = InformerCore::Impl::State;

class Counted {
 public:
  explicit Counted(std::atomic<int>& count) : count_(count) {
    count_.fetch_add(1, std::memory_order_acq_rel);
  }
  ~Counted() { count_.fetch_sub(1, std::memory_order_release); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<int>& count_;
};

Error ErrorOf(Reason reason, const InformerCore::Impl& informer, std::string_view wanted,
              std::string_view why) {
  std::string has = informer.store->ResourceVersion();
  if (has.empty()) has = "none yet";
  return Error(reason, "waiting until the cache of " + informer.describe + " has resourceVersion " +
                           std::string(wanted) + ", it has " + has + ": " + std::string(why));
}

// Whether the store has all up to that version. An error: it never will, or nobody can tell.
Result<bool> Has(const InformerCore::Impl& informer, std::string_view wanted) {
  const StorePosition position = informer.store->Position();
  // The server has gone back; what the store has is of the history that ended.
  if (position.epoch != informer.reflector_status.epochs()) return false;
  if (position.resource_version.empty()) return false;
  const auto order = CompareResourceVersion(position.resource_version, wanted);
  if (order) return *order != std::strong_ordering::less;
  if (position.resource_version == wanted) return true;
  if (position.resource_version == "0") return false;
  return ErrorOf(Reason::kInvalidArgument, informer, wanted,
                 "this server's versions have no order");
}

}  // namespace

Result<void> VersionWaiters::Wait(const InformerCore::Impl& informer,
                                  std::string_view resourceVersion, const std::stop_token& stop,
                                  std::optional<Duration> timeout) const {
  const auto failed = [&](Reason reason, std::string_view why) {
    return ErrorOf(reason, informer, resourceVersion, why);
  };
  if (!IsWellFormedResourceVersion(resourceVersion)) {
    return failed(Reason::kInvalidArgument, "that is no version of an object or a list");
  }
  const std::uint64_t epochs = informer.reflector_status.epochs();
  const Result<bool> has = Has(informer, resourceVersion);
  if (!has) return has.error();
  if (*has) return {};
  if (informer.env.OnLoopThread()) {
    return failed(Reason::kWouldDeadlock, "the loop's thread would wait for itself");
  }
  const std::shared_ptr<Monitor> monitor = informer.env.NewMonitor();
  const auto wake = [monitor] {
    MonitorLock lock(*monitor);
    monitor->NotifyAll();
  };
  const std::shared_ptr<void> observation = InformerObservers::Add(informer.observers, wake);
  const Counted counted(count_);
  const std::stop_callback on_stop(stop, wake);
  const SteadyTime deadline = base::After(informer.env.Now(), timeout.value_or(Duration(0)));
  MonitorLock lock(*monitor);
  for (;;) {
    if (informer.reflector_status.epochs() != epochs) {
      return failed(Reason::kEpochChanged,
                    "the server went back in time, and its versions begin anew");
    }
    const Result<bool> now = Has(informer, resourceVersion);
    if (!now) return now.error();
    if (*now) return {};
    if (informer.Is(State::kCreated)) {
      return failed(Reason::kNotSynced, "the informer is not started; call Start");
    }
    if (informer.Is(State::kStopped)) return failed(Reason::kStopped, "the informer has stopped");
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

namespace kinformer::internal {

Result<void> InformerCore::Impl::WaitForResourceVersion(std::string_view resourceVersion,
                                                        const std::stop_token& stop,
                                                        std::optional<Duration> timeout) const {
  return version_waiters.Wait(*this, resourceVersion, stop, timeout);
}

Result<void> InformerCore::WaitForResourceVersion(std::string_view resourceVersion,
                                                  const std::stop_token& stop,
                                                  std::optional<Duration> timeout) const {
  return impl_->WaitForResourceVersion(resourceVersion, stop, timeout);
}

Result<void> IndexerCore::WaitForResourceVersion(std::string_view resourceVersion,
                                                 const std::stop_token& stop,
                                                 std::optional<Duration> timeout) const {
  if (owner_ != nullptr) return owner_->WaitForResourceVersion(resourceVersion, stop, timeout);
  return Error(Reason::kInvalidArgument,
               "this store is kept up to date by the program, not by an informer: nobody can wait "
               "for a resourceVersion of it");
}

}  // namespace kinformer::internal
