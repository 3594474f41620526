// kinformer/leader_elector.h
//
// LeaderElector: of several processes that could do the same work, one does it, as long as it
// renews a record in time (a Lease, mostly). When it stops, another takes over.
//
//   Config config = Config::LoadDefault().OrExit();
//   StopSource stop = StopOnSignals();
//   auto elector = LeaderElector::NewForLease(config, {.namespace_ = "default", .name = "printer"},
//       {.release_on_cancel = true,
//        .callbacks = {.on_started_leading = [](const std::stop_token& until) { Print(until); },
//                      .on_stopped_leading = [] { std::puts("another one prints"); }}}).OrExit();
//   elector->Run(stop.token());
//
// What it guarantees, and what it does not: no two processes that follow these rules hold the
// record at once, whatever their clocks show, as long as no clock runs faster than another by
// lease_duration to renew_deadline + retry_period. But a process that was stopped in the middle of
// a write may finish it when it goes on, long after another one has taken over. So ask IsLeader()
// before each piece of work, and where a write must not come late, give the server LeaderEpoch() to
// compare.

#ifndef KINFORMER_LEADER_ELECTOR_H_
#define KINFORMER_LEADER_ELECTOR_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/config.h"
#include "kinformer/env.h"
#include "kinformer/internal/attributes.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/resource_lock.h"
#include "kinformer/result.h"

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

// What they throw is logged and counted. Counterpart: leaderelection.LeaderCallbacks.
struct LeaderCallbacks {
  // Does the work, on a thread of its own, until the token says stop: leadership has ended or is
  // about to. Or starts it, and returns. Must be set.
  internal::Callable<void(const std::stop_token& stop), internal::StartedLeadingWords>
      on_started_leading{};
  // Called by Run at its end, exactly once, also if this process never led. The work may still be
  // going on then, if it does not look at its token: a program that cannot be sure of that ends
  // here. Must be set.
  internal::Callable<void(), internal::StoppedLeadingWords> on_stopped_leading{};
  // Who leads now: an identity, which may be this process's own, or "" for nobody. Called on a
  // thread of its own, one call at a time, in the order of the changes, until Run returns.
  internal::Callable<void(const std::string& identity), internal::NewLeaderWords> on_new_leader{};
};

// Counterpart: leaderelection.LeaderElectionConfig. The lengths of time are those of Kubernetes'
// own components, which client-go leaves to each program.
struct LeaderElectionConfig {
  // How long the others wait after the last renewal that they saw. More than renew_deadline; what
  // is less than a second of it does not count, since a Lease says it in seconds.
  internal::TimeSpan lease_duration{std::chrono::seconds(15)};
  // How long the leader tries to renew before it gives up: less where answers have taken long, so
  // that the work is told to stop before another may lead. More than 1.2 x retry_period.
  internal::TimeSpan renew_deadline{std::chrono::seconds(10)};
  internal::TimeSpan retry_period{std::chrono::seconds(2)};
  // When Run is stopped, the record is given up, so that another one leads at once instead of after
  // lease_duration. Not before on_started_leading has returned: it is told to stop, and the record
  // is renewed meanwhile, for renew_deadline at most; past that it is left to run out. Work that
  // on_started_leading has handed to others must end before it returns.
  bool release_on_cancel{false};
  LeaderCallbacks callbacks{};
  // In metrics and logs; empty: what the lock describes.
  std::string name{};
  // The server elects among LeaseCandidates, and writes whom into the record: this process only
  // renews what it was given. Counterpart: Coordinated.
  bool coordinated{false};
};

namespace internal {
// The lock among the rest, as in Go: calls with it are refused in words.
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
// It must not happen while Run runs.
//
// Metrics, with the label `name`: leader_election_master_status (1 while this process leads),
// leader_election_slowpath_total (renewals that had to read the record first).
//
// Counterpart: leaderelection.LeaderElector. Different: the record is not released under work that
// still goes on, nor where another one has taken it meanwhile; the leader is told to stop before
// the record is released, and on_stopped_leading does not wait for a release that the server does
// not answer.
class LeaderElector {
 public:
  // kInvalidArgument: a length of time is out of bounds, or a callback is missing. `env` must
  // outlive it. Requests are made by the lock; see NewForLease for what they should not share.
  static Result<std::unique_ptr<LeaderElector>> New(Env& env, std::unique_ptr<ResourceLock> lock,
                                                    LeaderElectionConfig config);
  // The same with a Lease as lock, threads and a connection of its own, so that nothing that the
  // process decodes or computes can delay a renewal. `lock.identity` may be empty: then it is a
  // NewLeaderIdentity. kConfig: see Config.
  static Result<std::unique_ptr<LeaderElector>> NewForLease(const Config& config,
                                                            LeaseLockOptions lock,
                                                            LeaderElectionConfig election);
  // The same on a loop of its own beside those of `env`, which must outlive it.
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

  // Waits for leadership, leads, and returns when leadership is lost or stop is requested. Blocks:
  // for a thread of the program or of Env::NewThread; on an event loop it is an error in the log,
  // and returns at once. May be called again, but not twice at a time.
  virtual void Run(const std::stop_token& stop) = 0;

  // May this process act as leader now? Compares a clock that goes on while the machine sleeps
  // (Env::BootNow) with the last renewal, so a process that was suspended, or whose renewing thread
  // hangs, learns it here and not only from its token. Costs about a reading of the clock; never
  // blocks.
  [[nodiscard]] virtual bool IsLeader() const = 0;
  // The number of this term (LeaderElectionRecord::leaderTransitions), while IsLeader(). Later
  // leaders have greater ones, as long as nobody deletes the Lease.
  [[nodiscard]] virtual std::optional<std::int32_t> LeaderEpoch() const = 0;
  // The identity of the leader that was last seen; "" for none.
  [[nodiscard]] virtual std::string GetLeader() const = 0;
  // An error names the lock: this process should lead, but has not renewed for lease_duration and
  // `tolerance`. For a liveness probe: then the process should be restarted. Counterpart: Check.
  [[nodiscard]] virtual Result<void> Check(Duration tolerance) const = 0;

 protected:
  LeaderElector() = default;
};

// Joins an elector that may not exist yet to a health endpoint. Thread-safe. Counterpart:
// leaderelection.HealthzAdaptor.
class LeaderHealthzAdaptor {
 public:
  // `tolerance`: see LeaderElector::Check.
  explicit LeaderHealthzAdaptor(Duration tolerance) : tolerance_(tolerance) {}
  void SetLeaderElection(std::shared_ptr<const LeaderElector> elector);
  // OK before there is an elector.
  [[nodiscard]] Result<void> Check() const;

 private:
  const Duration tolerance_;
  mutable std::mutex mutex_;
  std::shared_ptr<const LeaderElector> elector_;
};

}  // namespace kinformer

#endif  // KINFORMER_LEADER_ELECTOR_H_
