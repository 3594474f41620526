#include "controller/election/elector.h"

#include <algorithm>
#include <utility>

#include "kinformer/base/until.h"

#include "base/core/user_call.h"

namespace kinformer::internal::election {
namespace {

// Time for a single try to renew when the time to lead has passed, for example after the machine
// was suspended. If nobody else has taken the record, this process continues to lead.
constexpr Duration kOneTry = std::chrono::seconds(1);

// Spreads the requests of candidates that wait for the same lease.
constexpr double kJitter = 1.2;

constexpr Duration kSayAgain = std::chrono::minutes(1);

}  // namespace

Elector::Elector(Env& env, std::unique_ptr<Loop> loop, std::unique_ptr<ResourceLock> lock,
                 FollowedLock* followed, LeaderElectionConfig config)
    : env_(env),
      loop_(std::move(loop)),
      config_(std::move(config)),
      status_(env.metrics().NewGauge("leader_election_master_status",
                                     "1 while this process leads, else 0",
                                     {{"name", config_.name}})),
      leadership_(env, std::move(lock), config_, followed),
      work_(env, config_.callbacks.on_started_leading) {}

void Elector::Run(const std::stop_token& stop) {
  if (env_.OnLoopThread()) {
    env_.log().Log(LogLevel::kError, "LeaderElector::Run called on an event loop; not running",
                   {{"lock", config_.name}});
    return;
  }
  // Waits for the work of an earlier Run: two at the same time would be two leaders.
  work_.Join();
  const auto stopped = [this] {
    static_cast<void>(
        base::CallUser(env_, "on_stopped_leading", config_.callbacks.on_stopped_leading));
  };
  LeaderNews news(env_, config_.callbacks.on_new_leader);
  if (!Acquire(stop, news)) {
    stopped();
    return;
  }
  RecordEvent("became leader");
  Log(LogLevel::kInfo, "became leader");
  status_->Set(1);
  work_.Start();
  const bool asked_to = RenewUntil(stop, news);
  work_.RequestStop();
  // Another process must not begin the same work before this one has ended it.
  const bool may_release = config_.release_on_cancel && asked_to && AwaitWork();
  leadership_.End();
  status_->Set(0);
  RecordEvent("stopped leading");
  Log(LogLevel::kInfo, "stopped leading");
  if (may_release) Release(news);
  stopped();
  // The server has not answered for a long time, so the program is notified before the release.
  if (!asked_to && config_.release_on_cancel && work_.Ended()) Release(news);
}

bool Elector::Acquire(const std::stop_token& stop, LeaderNews& news) {
  Log(LogLevel::kInfo, "attempting to acquire leadership");
  Failure failure;
  bool acquired = false;
  while (!stop.stop_requested()) {
    const bool held = leadership_.ValidFor() > Duration::zero();
    const Result<void> got = Try(true, {.stop = stop});
    news.Report(leadership_.Leader());
    acquired = got.ok();
    if (acquired) break;
    if (!stop.stop_requested()) SayNotAcquired(got.error(), failure);
    // One that has run out during the try can be had now.
    if (held && leadership_.ValidFor() == Duration::zero()) continue;
    AwaitTurn(stop, news);
  }
  leadership_.StopFollowing();
  return acquired;
}

void Elector::AwaitTurn(const std::stop_token& stop, LeaderNews& news) {
  // Reads from time to time even so: the watch may be late.
  const SteadyTime read_again = env_.Now() + config_.lease_duration;
  bool changed = true;
  while (changed && !stop.stop_requested() && env_.Now() < read_again) {
    const double factor = 1 + kJitter * RandomUnit(env_);
    auto pause = std::chrono::duration_cast<Duration>(config_.retry_period * factor);
    const Duration valid = leadership_.ValidFor();
    if (valid > Duration::zero()) pause = std::min(pause, valid);
    changed = leadership_.AwaitChange({.stop = stop, .timeout = pause});
    news.Report(leadership_.Leader());
    if (changed && leadership_.ValidFor() == Duration::zero()) return;
  }
}

void Elector::SayNotAcquired(const Error& error, Failure& failure) const {
  // Another process holds it or was faster, or the server has not created the lease yet.
  const bool usual =
      IsConflict(error) || IsAlreadyExists(error) || (config_.coordinated && IsNotFound(error));
  std::string text = error.ToString();
  const SteadyTime now = env_.Now();
  if (usual || (text == failure.text && now - failure.said < kSayAgain)) {
    return Log(LogLevel::kDebug, "leadership was not acquired", text);
  }
  failure = {text, now};
  if (IsForbidden(error)) {
    text += "; grant get, create and update of leases in coordination.k8s.io (Role, RoleBinding)";
  } else if (IsNotFound(error)) {
    text += "; is there the namespace of the lease?";
  }
  Log(LogLevel::kWarning, "leadership was not acquired, will retry", text);
}

Result<void> Elector::Try(bool acquires, const CallOptions& call) {
  Span span(env_, acquires ? "election acquire" : "election renew",
            {.attributes = {{"kinformer.lease", config_.name}}});
  const SpanScope scope(span);
  if (!acquires) span.AddLink(acquired_);
  const Result<void> got = leadership_.TryAcquireOrRenew(call);
  if (span) {
    span.SetAttribute("kinformer.identity", leadership_.lock().Identity());
    span.SetAttribute("kinformer.leader", leadership_.Leader());
    span.SetAttribute("kinformer.leads", got.ok());
    // A standby has not failed because another process leads.
    if (!got && !(acquires && IsConflict(got.error()))) span.SetError(got.error().message());
    if (got && acquires) acquired_ = span.context();
  }
  return got;
}

bool Elector::RenewUntil(const std::stop_token& stop, LeaderNews& news) {
  while (!stop.stop_requested()) {
    if (!RenewOnce(stop, news)) return stop.stop_requested();
    // A slow answer has used part of the time to lead; leave enough for the next renewal.
    const Duration left = leadership_.LeadsFor();
    SleepUnlessStopped(
        env_, stop, std::min<Duration>(config_.retry_period, std::max(left - kOneTry, left / 2)));
  }
  return true;
}

bool Elector::RenewOnce(const std::stop_token& stop, LeaderNews& news) {
  // Limits the time of the attempt, so that the work stops before another process may lead.
  const Duration left = leadership_.LeadsFor();
  const Duration time =
      std::min<Duration>(config_.renew_deadline, left > Duration(0) ? left : kOneTry);
  const SteadyTime deadline = env_.Now() + time;
  while (true) {
    const SteadyTime next = env_.Now() + config_.retry_period;
    const Result<void> renewed = Try(false, {.stop = stop, .timeout = deadline - env_.Now()});
    news.Report(leadership_.Leader());
    if (renewed) return true;
    if (stop.stop_requested()) return false;
    Log(LogLevel::kWarning, "leadership was not renewed", renewed.error().ToString());
    if (!SleepUnlessStopped(env_, stop, std::min(next, deadline) - env_.Now())) return false;
    if (env_.Now() >= deadline) return false;
  }
}

bool Elector::AwaitWork() {
  const SteadyTime deadline = env_.Now() + config_.renew_deadline;
  while (!work_.WaitUntil(std::min(env_.Now() + config_.retry_period, deadline))) {
    if (env_.Now() >= deadline) {
      Log(LogLevel::kWarning,
          "on_started_leading has not returned: the lease is not released, but runs out");
      return false;
    }
    const Result<void> renewed = Try(false, {.timeout = deadline - env_.Now()});
    if (!renewed) {
      Log(LogLevel::kWarning, "leadership was not renewed", renewed.error().ToString());
    }
  }
  return true;
}

void Elector::Release(LeaderNews& news) {
  Span span(env_, "election release", {.attributes = {{"kinformer.lease", config_.name}}});
  span.AddLink(acquired_);
  const SpanScope scope(span);
  const Result<void> released = leadership_.Release(config_.renew_deadline);
  if (!released) span.SetError(released.error().message());
  news.Report(leadership_.Leader());
  if (!released) {
    Log(LogLevel::kWarning, "the lease was not released", released.error().ToString());
  }
}

void Elector::RecordEvent(std::string_view text) {
  static_cast<void>(base::CallUser(env_, "RecordEvent of a resource lock",
                                   [&] { leadership_.lock().RecordEvent(text); }));
}

void Elector::Log(LogLevel level, std::string_view text, const std::string& error) const {
  const ResourceLock& lock = leadership_.lock();
  if (error.empty()) {
    env_.log().Log(level, text, {{"lock", lock.Describe()}, {"identity", lock.Identity()}});
  } else {
    env_.log().Log(level, text,
                   {{"lock", lock.Describe()}, {"identity", lock.Identity()}, {"err", error}});
  }
}

}  // namespace kinformer::internal::election
