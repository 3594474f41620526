// controller/election/leadership.h
//
// Leadership: one candidate's view of the record, and the rules by which it takes, renews and
// releases it. Elector decides when that happens.

#ifndef KINFORMER_CONTROLLER_ELECTION_LEADERSHIP_H_
#define KINFORMER_CONTROLLER_ELECTION_LEADERSHIP_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/leaderelection/resource_lock.h"

#include "base/core/mutex.h"
#include "client/patience.h"
#include "controller/election/followed_lock.h"

namespace kinformer::internal::election {

// The times in a record are never compared with the local clock. Only the time counts for which
// this process has seen the record unchanged, by its own clock.
//
// One thread at a time may try and give up; the other functions are thread-safe.
class Leadership {
 public:
  // `followed`: the same lock, or null if it cannot be followed.
  Leadership(Env& env, std::unique_ptr<ResourceLock> lock, const LeaderElectionConfig& config,
             FollowedLock* followed = nullptr);

  // Takes the record if it is free or was not renewed for its duration; renews it if this process
  // holds it. An error gives the reason why this process does not hold it now; kConflict: another
  // process does. `call` applies to all requests together; each gets at most half of
  // renew_deadline, or a second, so that one hanging request does not use up the time.
  Result<void> TryAcquireOrRenew(const CallOptions& call);
  // Waits until the record of another changes (true), or until the end of `call`, which has a
  // timeout. For the thread that tries.
  bool AwaitChange(const CallOptions& call);
  // AwaitChange will not be called for some time.
  void StopFollowing();
  // Returns how long the record is valid, as far as this process knows; 0: it may be taken.
  [[nodiscard]] Duration ValidFor() const;
  // Ends the leadership of this process at once, without a request or a wait.
  void End();
  // Lets others take the record at once, if this process still holds it. Returns the error of the
  // last attempt if it did not succeed within `timeout`.
  Result<void> Release(Duration timeout);

  [[nodiscard]] bool IsLeader() const {
    return env_.BootNow().time_since_epoch().count() < leads_until_.load(std::memory_order_acquire);
  }
  // Returns how long the last renewal lets this process lead. Negative: it has ended.
  [[nodiscard]] Duration LeadsFor() const {
    return Duration(leads_until_.load(std::memory_order_acquire)) -
           env_.BootNow().time_since_epoch();
  }
  [[nodiscard]] std::optional<std::int32_t> Epoch() const;
  [[nodiscard]] std::string Leader() const;
  [[nodiscard]] Result<void> Check(Duration tolerance) const;
  [[nodiscard]] ResourceLock& lock() const { return *lock_; }

 private:
  struct Observed {
    LeaderElectionRecord record{};
    std::optional<BootTime> at{};  // when this process saw it change, or changed it
  };

  [[nodiscard]] LeaderElectionRecord NewRecord() const;
  Result<void> Elect(const client::Patience& patience);
  Result<void> RenewWhatTheServerGave(const client::Patience& patience);
  Result<LeaderElectionRecord> Read(const client::Patience& patience);
  // Notes a record of the server, which counts from now on if it has changed.
  void See(const LeaderElectionRecord& record);
  Result<void> Create(const LeaderElectionRecord& record, const client::Patience& patience);
  Result<void> Write(const LeaderElectionRecord& record, const client::Patience& patience);
  [[nodiscard]] Result<CallOptions> ForOneRequest(const client::Patience& patience) const;
  void Observe(const LeaderElectionRecord& record);
  [[nodiscard]] bool IsOurs() const;
  [[nodiscard]] bool IsValid(BootTime now) const;
  [[nodiscard]] Error HeldByAnother() const;

  Env& env_;
  const std::unique_ptr<ResourceLock> lock_;
  FollowedLock* const followed_;
  const std::chrono::seconds lease_duration_;
  const Duration request_timeout_;
  const Duration leads_for_;  // counted from the start of a renewal
  const bool coordinated_;
  const std::shared_ptr<Counter> slow_path_;
  // Time, in nanoseconds of the boot-time clock, until which the last renewal is valid.
  std::atomic<std::int64_t> leads_until_{0};
  mutable base::Mutex mutex_;
  Observed observed_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::election

#endif  // KINFORMER_CONTROLLER_ELECTION_LEADERSHIP_H_
