#include "controller/election/leadership.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "kinformer/base/until.h"

#include "base/core/user_call.h"

namespace kinformer::internal::election {
namespace {

// Other candidates take over lease_duration after they saw the last renewal. A leader whose
// renewals fail keeps trying for renew_deadline after its last success and the wait behind it. It
// may lead that long, but always ends before others may take over.
Duration TimeToLead(const LeaderElectionConfig& config, Duration lease_duration) {
  return std::min(config.renew_deadline + config.retry_period,
                  config.renew_deadline + (lease_duration - config.renew_deadline) / 2);
}

// Calls a function of the user's lock; an exception becomes an ordinary error.
template <class Call>
auto Contained(Env& env, const ResourceLock& lock, const Call& call) {
  return base::CallUserForResult(env, "resource lock", call, [&] { return lock.Describe(); });
}

}  // namespace

Leadership::Leadership(Env& env, std::unique_ptr<ResourceLock> lock,
                       const LeaderElectionConfig& config, FollowedLock* followed)
    : env_(env),
      lock_(std::move(lock)),
      followed_(followed),
      lease_duration_(std::chrono::floor<std::chrono::seconds>(config.lease_duration)),
      request_timeout_(std::max<Duration>(std::chrono::seconds(1), config.renew_deadline / 2)),
      leads_for_(TimeToLead(config, lease_duration_)),
      coordinated_(config.coordinated),
      slow_path_(env.metrics().NewCounter("leader_election_slowpath_total",
                                          "Renewals that had to read the record first",
                                          {{"name", config.name}})) {}

LeaderElectionRecord Leadership::NewRecord() const {
  const metav1::MicroTime now(
      std::chrono::floor<std::chrono::system_clock::duration>(env_.WallNow()));
  return {.holderIdentity = lock_->Identity(),
          .leaseDurationSeconds = static_cast<std::int32_t>(lease_duration_.count()),
          .acquireTime = now,
          .renewTime = now};
}

Result<void> Leadership::TryAcquireOrRenew(const CallOptions& call) {
  // The time before the request, since the server may have written long before the answer came.
  const BootTime start = env_.BootNow();
  const client::Patience patience(env_, call, "the attempt");
  Result<void> got = coordinated_ ? RenewWhatTheServerGave(patience) : Elect(patience);
  if (got) {
    leads_until_.store((start + leads_for_).time_since_epoch().count(), std::memory_order_release);
  } else if (!IsOurs()) {
    End();
  }
  return got;
}

Result<void> Leadership::Elect(const client::Patience& patience) {
  const BootTime now = env_.BootNow();
  // Writes without reading the record first, which saves a request: the server refuses the write if
  // another process has changed the record.
  if (IsOurs() && IsValid(now)) {
    LeaderElectionRecord renewed = NewRecord();
    {
      const base::MutexLock lock(mutex_);
      renewed.acquireTime = observed_.record.acquireTime;
      renewed.leaderTransitions = observed_.record.leaderTransitions;
    }
    if (Write(renewed, patience)) return {};
  }

  Result<LeaderElectionRecord> there = Read(patience);
  if (!there) {
    if (!IsNotFound(there.error())) return std::move(there).error();
    return Create(NewRecord(), patience);
  }
  // A record that is seen for the first time counts as valid: its age is unknown.
  if (!there->holderIdentity.empty() && !IsOurs() && IsValid(now)) return HeldByAnother();
  LeaderElectionRecord record = NewRecord();
  record.leaderTransitions = there->leaderTransitions;
  if (IsOurs()) {
    record.acquireTime = there->acquireTime;
    slow_path_->Add();
  } else if (record.leaderTransitions < std::numeric_limits<std::int32_t>::max()) {
    // The stored number can be set by anyone who may write the lease. Above the maximum it would
    // become negative, which the server refuses.
    ++record.leaderTransitions;
  }
  return Write(record, patience);
}

Result<void> Leadership::RenewWhatTheServerGave(const client::Patience& patience) {
  const BootTime now = env_.BootNow();
  Result<LeaderElectionRecord> there = Read(patience);
  if (!there) return std::move(there).error();
  if (!IsOurs()) return HeldByAnother();
  if (!IsValid(now)) {
    return Error(Reason::kConflict, "lease " + lock_->Describe() + " has expired");
  }
  // The term ends: the lease is left to expire.
  if (!there->preferredHolder.empty()) {
    return Error(Reason::kConflict,
                 "lease " + lock_->Describe() + " shall go to " + there->preferredHolder);
  }
  LeaderElectionRecord record = NewRecord();
  record.acquireTime = there->acquireTime;
  record.leaderTransitions = there->leaderTransitions;
  record.strategy = there->strategy;
  return Write(record, patience);
}

Result<CallOptions> Leadership::ForOneRequest(const client::Patience& patience) const {
  Result<CallOptions> call = patience.Left();
  if (call) {
    call->timeout = call->timeout == Duration::zero()
                        ? request_timeout_
                        : std::min<Duration>(call->timeout, request_timeout_);
  }
  return call;
}

Result<LeaderElectionRecord> Leadership::Read(const client::Patience& patience) {
  const Result<CallOptions> call = ForOneRequest(patience);
  if (!call) return call.error();
  Result<LeaderElectionRecord> there = Contained(env_, *lock_, [&] { return lock_->Get(*call); });
  if (there) See(*there);
  return there;
}

Result<void> Leadership::Create(const LeaderElectionRecord& record,
                                const client::Patience& patience) {
  const Result<CallOptions> call = ForOneRequest(patience);
  if (!call) return call.error();
  Result<void> made = Contained(env_, *lock_, [&] { return lock_->Create(record, *call); });
  if (made) Observe(record);
  return made;
}

Result<void> Leadership::Write(const LeaderElectionRecord& record,
                               const client::Patience& patience) {
  const Result<CallOptions> call = ForOneRequest(patience);
  if (!call) return call.error();
  Result<void> written = Contained(env_, *lock_, [&] { return lock_->Update(record, *call); });
  if (written) Observe(record);
  return written;
}

void Leadership::See(const LeaderElectionRecord& record) {
  const base::MutexLock lock(mutex_);
  if (!observed_.at || record != observed_.record) observed_ = {record, env_.BootNow()};
}

bool Leadership::AwaitChange(const CallOptions& call) {
  if (followed_ == nullptr) {
    SleepUnlessStopped(env_, call.stop, call.timeout);
    return false;
  }
  const std::optional<LeaderElectionRecord> changed = followed_->AwaitChange(call);
  if (changed) See(*changed);
  return changed.has_value();
}

void Leadership::StopFollowing() {
  if (followed_ != nullptr) followed_->StopFollowing();
}

void Leadership::Observe(const LeaderElectionRecord& record) {
  const base::MutexLock lock(mutex_);
  observed_ = {record, env_.BootNow()};
}

void Leadership::End() { leads_until_.store(0, std::memory_order_release); }

Result<void> Leadership::Release(Duration timeout) {
  End();
  const client::Patience patience(env_, {.timeout = timeout}, "the release");
  while (true) {
    Result<LeaderElectionRecord> there = Read(patience);
    if (!there) return std::move(there).error();
    // Another process has taken it in the meantime and keeps it.
    if (there->holderIdentity != lock_->Identity()) return {};
    LeaderElectionRecord record = NewRecord();
    record.holderIdentity.clear();
    record.leaseDurationSeconds = 1;
    record.leaderTransitions = there->leaderTransitions;
    Result<void> written = Write(record, patience);
    if (written || !IsConflict(written.error())) return written;
  }
}

bool Leadership::IsOurs() const {
  const base::MutexLock lock(mutex_);
  return observed_.record.holderIdentity == lock_->Identity();
}

bool Leadership::IsValid(BootTime now) const {
  const base::MutexLock lock(mutex_);
  return observed_.at &&
         *observed_.at + std::chrono::seconds(observed_.record.leaseDurationSeconds) > now;
}

Duration Leadership::ValidFor() const {
  const base::MutexLock lock(mutex_);
  const LeaderElectionRecord& record = observed_.record;
  // In a coordinated election, the server gives it.
  const bool free = record.holderIdentity.empty() || record.holderIdentity == lock_->Identity();
  if (!observed_.at || free) return Duration(0);
  return std::max(
      Duration(0),
      Duration(*observed_.at + std::chrono::seconds(record.leaseDurationSeconds) - env_.BootNow()));
}

std::string Leadership::Leader() const {
  const base::MutexLock lock(mutex_);
  return observed_.record.holderIdentity;
}

std::optional<std::int32_t> Leadership::Epoch() const {
  const base::MutexLock lock(mutex_);
  if (!IsLeader()) return std::nullopt;
  return observed_.record.leaderTransitions;
}

Result<void> Leadership::Check(Duration tolerance) const {
  const base::MutexLock lock(mutex_);
  if (!observed_.at || observed_.record.holderIdentity != lock_->Identity() ||
      env_.BootNow() - *observed_.at <= lease_duration_ + tolerance) {
    return {};
  }
  return Error(Reason::kTimeout, "failed election to renew leadership on lease " +
                                     lock_->Describe() + ": its last renewal is too old");
}

Error Leadership::HeldByAnother() const {
  return Error(Reason::kConflict, "lease " + lock_->Describe() + " is held by " +
                                      (Leader().empty() ? "nobody yet" : "\"" + Leader() + "\""));
}

}  // namespace kinformer::internal::election
