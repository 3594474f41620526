// kinformer/leaderelection/leader_elector.h
//
// LeaderElector: lets one of several processes do the work, as long as it renews a record in time,
// usually a Lease. When it stops renewing, another process takes over.
//
//   Config config = Config::LoadDefault().OrExit();
//   StopSource stop = StopOnSignals();
//   auto elector = LeaderElector::NewForLease(config, {.namespace_ = "default", .name = "printer"},
//       {.release_on_cancel = true,
//        .callbacks = {.on_started_leading = [](const std::stop_token& until) { Print(until); },
//                      .on_stopped_leading = [] { std::puts("another one prints"); }}}).OrExit();
//   elector->Run(stop.token());
//
// Guarantee: no two processes that follow these rules hold the record at the same time, whatever
// their clocks show, unless one clock runs faster than another by the factor lease_duration /
// (renew_deadline + retry_period). Not guaranteed: a process that was stopped in the middle of a
// write may finish it when it continues, long after another has taken over. So check IsLeader()
// before each piece of work, and if a late write would do harm, let the server compare
// LeaderEpoch().

#ifndef KINFORMER_LEADERELECTION_LEADER_ELECTOR_H_
#define KINFORMER_LEADERELECTION_LEADER_ELECTOR_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/config.h"
#include "kinformer/internal/attributes.h"
#include "kinformer/internal/callable.h"
#include "kinformer/leaderelection/lease_lock.h"
#include "kinformer/leaderelection/resource_lock.h"

namespace kinformer {

namespace internal {
struct StartedLeadingWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "on_started_leading is called with the token that tells it to stop, and returns "
                  "nothing: [](const std::stop_token& stop) { ... }");
  }
};
struct StoppedLeadingWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "on_stopped_leading is called with nothing, and returns nothing: [] { ... }");
  }
};
struct NewLeaderWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "on_new_leader is called with who leads, and returns nothing: [](const "
                  "std::string& identity) { ... }");
  }
};
}  // namespace internal

// Callbacks. Exceptions are logged and counted. Counterpart: leaderelection.LeaderCallbacks.
struct LeaderCallbacks {
  // Does the work, on a thread of its own, until the token requests to stop: leadership has ended
  // or is about to end. Or starts the work and returns. Must be set.
  internal::Callable<void(const std::stop_token& stop), internal::StartedLeadingWords>
      on_started_leading{};
  // Called by Run at its end, exactly once, even if this process never led. The work may still be
  // running then, if it ignores its token: a program that cannot exclude that should exit here.
  // Must be set.
  internal::Callable<void(), internal::StoppedLeadingWords> on_stopped_leading{};
  // Reports a new leader: its identity, which may be this process's own, or "" for none. Called on
  // a thread of its own, one call at a time, in the order of the changes, until Run returns.
  internal::Callable<void(const std::string& identity), internal::NewLeaderWords> on_new_leader{};
};

// Options of an elector. Counterpart: leaderelection.LeaderElectionConfig. The default durations
// are those of Kubernetes' own components; client-go has no defaults.
struct LeaderElectionConfig {
  // Time that other candidates wait after the last renewal that they saw. Must exceed
  // renew_deadline. Fractions of a second are dropped, since a Lease stores seconds.
  TimeSpan lease_duration{std::chrono::seconds(15)};
  // Time that the leader tries to renew before it gives up; less if answers took long, so that the
  // work is told to stop before another process may lead. Must exceed 1.2 x retry_period.
  TimeSpan renew_deadline{std::chrono::seconds(10)};
  // Time between renewals, and about that between the questions of a candidate. One that may watch
  // the Lease asks seldom: it learns of renewals, and of a release, at once.
  TimeSpan retry_period{std::chrono::seconds(2)};
  // Releases the record when Run is stopped, so that another process can lead at once, and not
  // after lease_duration. Waits until on_started_leading has returned: it is asked to stop, and the
  // record is renewed meanwhile, for renew_deadline at most; after that the record is left to
  // expire. Work that on_started_leading gave to other threads must end before it returns.
  bool release_on_cancel{false};
  LeaderCallbacks callbacks{};
  // Name in metrics and logs; empty: the lock's description.
  std::string name{};
  // Lets the server elect among LeaseCandidates and write the leader into the record; this process
  // only renews a record that it was given. Counterpart: Coordinated.
  bool coordinated{false};
};

namespace internal {
// A config that contains the lock, as in Go: calls with it are rejected with an explanation.
template <class Lock>
struct ElectionWithLock {
  Lock lock{};
  TimeSpan lease_duration{};
  TimeSpan renew_deadline{};
  TimeSpan retry_period{};
  bool release_on_cancel{};
  LeaderCallbacks callbacks{};
  std::string name{};
};
}  // namespace internal

// Takes part in one election. Thread-safe. Destruction waits until on_started_leading has returned.
// Do not destroy it while Run is running.
//
// Metrics, with the label `name`: leader_election_master_status (1 while this process leads),
// leader_election_slowpath_total (renewals that had to read the record first).
//
// Counterpart: leaderelection.LeaderElector. Differences: the record is not released while the work
// still runs, or if another process has taken it meanwhile; the leader is told to stop before the
// record is released; on_stopped_leading does not wait for a release that the server does not
// answer; a candidate tries when the record runs out, and watches a Lease where it may.
class LeaderElector {
 public:
  // Creates an elector. kInvalidArgument: a duration is out of bounds, or a callback is missing.
  // `env` must outlive it. The lock sends the requests; NewForLease says what it should not share.
  static Result<std::unique_ptr<LeaderElector>> New(Env& env, std::unique_ptr<ResourceLock> lock,
                                                    LeaderElectionConfig config);
  // Creates an elector with a Lease as lock, and threads and a connection of its own, so that no
  // other work of the process can delay a renewal. If `lock.identity` is empty, a NewLeaderIdentity
  // is used. kConfig: see Config.
  static Result<std::unique_ptr<LeaderElector>> NewForLease(const Config& config,
                                                            LeaseLockOptions lock,
                                                            LeaderElectionConfig election);
  // Does the same on a loop of its own in addition to those of `env`, which must outlive it.
  static Result<std::unique_ptr<LeaderElector>> NewForLease(Env& env, const Config& config,
                                                            LeaseLockOptions lock,
                                                            LeaderElectionConfig election);
  static Result<std::unique_ptr<LeaderElector>> New(
      Env& env, internal::ElectionWithLock<std::unique_ptr<ResourceLock>> election)
      KINFORMER_UNAVAILABLE(
          "the lock stands before the rest: New(env, std::move(lock), "
          "{.callbacks = {...}})");
  static Result<std::unique_ptr<LeaderElector>> NewForLease(
      const Config& config, internal::ElectionWithLock<LeaseLockOptions> election)
      KINFORMER_UNAVAILABLE(
          "the lock stands before the rest: NewForLease(config, {.namespace_ = "
          "\"default\", .name = \"my-operator\"}, {.callbacks = {...}})");
  virtual ~LeaderElector() = default;
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Waits for leadership, leads, and returns when leadership is lost or `stop` is requested.
  // Blocks: call it on a thread of the program or of Env::NewThread; on an event loop it logs an
  // error and returns at once. May be called again after it has returned.
  virtual void Run(const std::stop_token& stop) = 0;

  // Returns true if this process may act as leader now. Compares the last renewal with a clock that
  // runs while the machine sleeps (Env::BootNow), so that a process that was suspended, or whose
  // renewing thread hangs, notices here and not only by its token. Costs about one reading of the
  // clock; never blocks.
  [[nodiscard]] virtual bool IsLeader() const = 0;
  // Returns the number of this term (LeaderElectionRecord::leaderTransitions), while IsLeader().
  // Later leaders have greater numbers, unless the Lease is deleted.
  [[nodiscard]] virtual std::optional<std::int32_t> LeaderEpoch() const = 0;
  // Returns the identity of the last leader seen; "" for none.
  [[nodiscard]] virtual std::string GetLeader() const = 0;
  // Returns an error, which names the lock, if this process should lead but has not renewed for
  // lease_duration and `tolerance`. For a liveness probe that restarts it. Counterpart: Check.
  [[nodiscard]] virtual Result<void> Check(Duration tolerance) const = 0;

 protected:
  LeaderElector() = default;
};

// Connects an elector, which may be created later, to a health endpoint. Thread-safe. Counterpart:
// leaderelection.HealthzAdaptor.
class LeaderHealthzAdaptor {
 public:
  // Creates an adaptor. `tolerance`: see LeaderElector::Check.
  explicit LeaderHealthzAdaptor(Duration tolerance) : tolerance_(tolerance) {}
  void SetLeaderElection(std::shared_ptr<const LeaderElector> elector);
  // Returns OK as long as there is no elector; then LeaderElector::Check.
  [[nodiscard]] Result<void> Check() const;

 private:
  const Duration tolerance_;
  mutable std::mutex mutex_;
  std::shared_ptr<const LeaderElector> elector_;
};

}  // namespace kinformer

#endif  // KINFORMER_LEADERELECTION_LEADER_ELECTOR_H_
