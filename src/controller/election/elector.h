// controller/election/elector.h
//
// Elector: decides when a candidate tries, renews and gives up, and calls the callbacks.

#ifndef KINFORMER_CONTROLLER_ELECTION_ELECTOR_H_
#define KINFORMER_CONTROLLER_ELECTION_ELECTOR_H_

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/tracing.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "controller/election/leader_news.h"
#include "controller/election/leader_work.h"
#include "controller/election/leadership.h"

namespace kinformer::internal::election {

// See leader_elector.h.
class Elector final : public LeaderElector {
 public:
  // `loop`: loop that `lock` needs, or null. `followed`: `lock`, or null if it cannot be followed.
  Elector(Env& env, std::unique_ptr<Loop> loop, std::unique_ptr<ResourceLock> lock,
          FollowedLock* followed, LeaderElectionConfig config);

  void Run(const std::stop_token& stop) override;
  [[nodiscard]] bool IsLeader() const override { return leadership_.IsLeader(); }
  [[nodiscard]] std::optional<std::int32_t> LeaderEpoch() const override {
    return leadership_.Epoch();
  }
  [[nodiscard]] std::string GetLeader() const override { return leadership_.Leader(); }
  [[nodiscard]] Result<void> Check(Duration tolerance) const override {
    return leadership_.Check(tolerance);
  }

 private:
  // Returns false if stop was requested first.
  bool Acquire(const std::stop_token& stop, LeaderNews& news);
  // Waits until another try may succeed: the record of the leader is free or has run out, or it is
  // time to read it again, since nothing tells of its renewals.
  void AwaitTurn(const std::stop_token& stop, LeaderNews& news);
  // The last error that was logged.
  struct Failure {
    std::string text{};
    SteadyTime said{};
  };
  // Logs the reason why this process cannot take part, with the remedy; repeats it after a minute,
  // and does not log that another process leads.
  void SayNotAcquired(const Error& error, Failure& failure) const;
  // Tries once, in a span. `acquires`: not for a renewal.
  Result<void> Try(bool acquires, const CallOptions& call);
  // Returns when stop is requested (true), or renewals have failed for too long.
  bool RenewUntil(const std::stop_token& stop, LeaderNews& news);
  bool RenewOnce(const std::stop_token& stop, LeaderNews& news);
  // Renews until the work has ended.
  bool AwaitWork();
  void Release(LeaderNews& news);
  void RecordEvent(std::string_view text);
  void Log(LogLevel level, std::string_view text, const std::string& error = {}) const;

  Env& env_;
  const std::unique_ptr<Loop> loop_;
  const LeaderElectionConfig config_;
  const std::shared_ptr<Gauge> status_;
  SpanContext acquired_{};  // the span of the try that began this term
  Leadership leadership_;
  // After the members that its callback may use.
  LeaderWork work_;
};

Result<void> Validate(const LeaderElectionConfig& config);

// Checks and completes the arguments of LeaderElector's functions. `loop` as above.
Result<std::unique_ptr<LeaderElector>> MakeElector(Env& env, std::unique_ptr<Loop> loop,
                                                   std::unique_ptr<ResourceLock> lock,
                                                   LeaderElectionConfig config);

}  // namespace kinformer::internal::election

#endif  // KINFORMER_CONTROLLER_ELECTION_ELECTOR_H_
