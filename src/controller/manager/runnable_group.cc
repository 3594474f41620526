#include "controller/manager/runnable_group.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/core/inside.h"
#include "base/core/user_call.h"

namespace kinformer::internal {

Result<RunnableTraits> TraitsOf(Env& env, const Runnable& runnable) {
  RunnableTraits traits{.name = "runnable"};
  Result<void> said = base::CallUser(env, "Runnable::name", [&] { traits.name = runnable.name(); });
  const auto name = [&] { return traits.name; };
  if (said) {
    said = base::CallUser(env, "Runnable::group", [&] { traits.group = runnable.group(); }, name);
  }
  if (said) {
    said = base::CallUser(
        env, "Runnable::HasWarmup", [&] { traits.has_warmup = runnable.HasWarmup(); }, name);
  }
  if (!said) return said.error();
  return traits;
}

GroupRunner::GroupRunner(Env& env, Body body, OnError on_error)
    : env_(env), body_(body), on_error_(std::move(on_error)), monitor_(env.NewMonitor()) {}

GroupRunner::~GroupRunner() {
  static_cast<void>(Stop(env_.Now()));
  for (const auto& member : members_) {
    if (member->thread != nullptr) member->thread->Join();
  }
}

GroupRunner::Members GroupRunner::TakeGoneLocked() {
  Members gone;
  for (auto at = members_.begin(); at != members_.end();) {
    const auto next = std::next(at);
    if ((*at)->removed && (*at)->ended) gone.splice(gone.end(), members_, at);
    at = next;
  }
  return gone;
}

Result<void> GroupRunner::Add(std::shared_ptr<Runnable> runnable, std::string name) {
  Members gone;
  MonitorLock lock(*monitor_);
  gone = TakeGoneLocked();
  if (phase_ == Phase::kStopped) {
    return Error(Reason::kStopped, "the manager has ended: " + name + " cannot be added any more");
  }
  if (std::ranges::any_of(members_, [&](const auto& m) { return m->runnable == runnable; })) {
    return Error(Reason::kAlreadyExists, name + " has been added before");
  }
  members_.push_back(std::make_shared<Member>(std::move(runnable), std::move(name)));
  if (phase_ == Phase::kStarted) LaunchLocked(*members_.back());
  return {};
}

GroupRunner::Removal GroupRunner::Remove(const std::shared_ptr<Runnable>& runnable) {
  const bool may_wait = !env_.OnLoopThread() && !base::Inside::Of(runnable.get());
  Members gone;
  std::shared_ptr<Member> removed;
  bool still_runs = false;
  {
    MonitorLock lock(*monitor_);
    gone = TakeGoneLocked();
    const auto it = std::ranges::find_if(
        members_, [&](const auto& m) { return m->runnable == runnable && !m->removed; });
    if (it == members_.end()) return Removal::kNotHere;
    removed = *it;
    removed->removed = true;
    still_runs = !may_wait && removed->thread != nullptr && !removed->ended;
    if (!still_runs) members_.erase(it);
  }
  removed->stop.request_stop();
  if (still_runs) return Removal::kStillRuns;
  if (removed->thread != nullptr) removed->thread->Join();
  return Removal::kEnded;
}

void GroupRunner::LaunchLocked(Member& member) {
  member.thread = env_.NewThread(member.name, [this, &member] { Run(member); });
}

void GroupRunner::Run(Member& member) {
  const base::Inside inside(member.runnable.get());
  const Result<void> result = base::CallUserForResult(
      env_, "runnable",
      [&] {
        return body_ == Body::kStart ? member.runnable->Start(member.stop.get_token())
                                     : member.runnable->Warmup(member.stop.get_token());
      },
      [&] { return member.name; });
  if (!result) Report(member, result.error());
  MonitorLock lock(*monitor_);
  member.ended = true;
  monitor_->NotifyAll();
}

void GroupRunner::Report(const Member& member, const Error& error) {
  // A cancellation after a stop request is not an error.
  if (error.reason() == Reason::kCanceled && member.stop.stop_requested()) return;
  on_error_(Error(error).WithContext(member.name));
}

void GroupRunner::Start(const std::stop_token& stop) {
  std::vector<std::shared_ptr<Member>> members;
  {
    MonitorLock lock(*monitor_);
    if (phase_ != Phase::kNew) return;
    phase_ = Phase::kStarted;
    for (const auto& member : members_) LaunchLocked(*member);
    members.assign(members_.begin(), members_.end());
  }
  if (body_ == Body::kWarmup) return;
  for (const auto& member : members) {
    Result<void> ready;
    const Result<void> called = base::CallUser(
        env_, "WaitUntilReady of a runnable",
        [&] { ready = member->runnable->WaitUntilReady(stop); }, [&] { return member->name; });
    if (!called) ready = called;
    if (stop.stop_requested()) return;
    if (!ready) Report(*member, ready.error());
  }
}

void GroupRunner::RequestStop() {
  std::vector<std::shared_ptr<Member>> members;
  {
    MonitorLock lock(*monitor_);
    if (phase_ == Phase::kNew) members_.clear();
    phase_ = Phase::kStopped;
    monitor_->NotifyAll();
    members.assign(members_.begin(), members_.end());
  }
  for (const auto& member : members) member->stop.request_stop();
}

std::vector<std::string> GroupRunner::Stop(SteadyTime deadline) {
  RequestStop();
  std::vector<std::string> hanging;
  MonitorLock lock(*monitor_);
  const std::vector<std::shared_ptr<Member>> members(members_.begin(), members_.end());
  const auto all_ended = [&] {
    return std::ranges::all_of(members, [](const auto& m) { return m->ended; });
  };
  while (!all_ended() && env_.Now() < deadline) lock.WaitUntil(deadline);
  for (const auto& member : members) {
    if (!member->ended) hanging.push_back(member->name);
  }
  return hanging;
}

void GroupRunner::WaitUntilEnded() {
  MonitorLock lock(*monitor_);
  while (phase_ != Phase::kStopped ||
         !std::ranges::all_of(members_, [](const auto& m) { return m->ended; })) {
    lock.Wait();
  }
}

}  // namespace kinformer::internal
