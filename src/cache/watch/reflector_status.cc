#include "cache/watch/reflector_status.h"

#include <algorithm>
#include <utility>

#include "base/core/user_call.h"
#include "cache/figures/informer_metrics.h"
#include "cache/watch/failure_kind.h"

namespace kinformer::internal::cache {
namespace {

// Time after which an error that persists is logged again.
constexpr Duration kSaidAgain = std::chrono::minutes(1);

bool IsTheSame(const Error& error, const Error& before) {
  return error.http_status() == before.http_status() && error.reason() == before.reason();
}

// A definition may be missing for days, and an unreadable object may stay as long: such errors are
// logged only once.
bool IsSaidOnce(const Error& error) {
  return error.http_status() == 404 || error.reason() == Reason::kDecode;
}

InformerState StateAfter(const std::optional<Error>& error) {
  if (!error) return InformerState::kBackingOff;
  if (KindOf(*error) == FailureKind::kAsksToWait) return InformerState::kRefused;
  switch (error->http_status()) {
    case 401:
    case 403:
      return InformerState::kForbidden;
    case 404:
      return InformerState::kAbsent;
    default:
      return InformerState::kBackingOff;
  }
}

}  // namespace

void ReflectorStatus::Enter(InformerState state) {
  base::MutexLock lock(mutex_);
  EnterLocked(state);
}

void ReflectorStatus::EnterLocked(InformerState state) {
  now_.retry_at.reset();
  if (now_.state == state) return;
  now_.state = state;
  now_.since = env_.Now();
}

void ReflectorStatus::OnListed(InitialList kind) {
  (kind == InitialList::kList ? lists_ : watch_lists_).fetch_add(1, std::memory_order_relaxed);
  if (kind == InitialList::kWatchList && metrics_ != nullptr) metrics_->watch_lists->Add();
  ClearError();
}

void ReflectorStatus::OnWatchStarted() {
  watches_.fetch_add(1, std::memory_order_relaxed);
  ClearError();
  Enter(InformerState::kWatching);
}

void ReflectorStatus::OnWatchBroken() {
  base::MutexLock lock(mutex_);
  now_.error = Error(Reason::kTransport, informer_ + ": the connection of the watch broke");
}

void ReflectorStatus::OnWaiting(SteadyTime until) {
  base::MutexLock lock(mutex_);
  EnterLocked(StateAfter(now_.error));
  now_.retry_at = until;
}

void ReflectorStatus::OnProgress(SteadyTime when) {
  {
    base::MutexLock lock(mutex_);
    now_.progress = now_.progress ? std::max(*now_.progress, when) : when;
  }
  if (metrics_ != nullptr) InformerMetrics::SetTime(*metrics_->last_progress, env_, when);
}

void ReflectorStatus::OnWatchError(const Error& error) {
  errors_.fetch_add(1, std::memory_order_relaxed);
  const FailureKind kind = KindOf(error);
  if (kind == FailureKind::kAsksToWait) {
    refusals_.fetch_add(1, std::memory_order_relaxed);
    if (metrics_ != nullptr) metrics_->refusals->Add();
  }
  bool told = false;
  {
    base::MutexLock lock(mutex_);
    const SteadyTime now = env_.Now();
    told = now_.error && IsTheSame(error, *now_.error) &&
           (IsSaidOnce(error) || now - said_ < kSaidAgain);
    if (!told) said_ = now;
    now_.error = error;
  }
  if (on_error_) {
    (void)base::CallUser(
        env_, "the watch error handler", [&] { on_error_(error); }, [&] { return informer_; });
  } else {
    const bool quiet = told || kind == FailureKind::kExpired;
    env_.log().Log(quiet ? LogLevel::kDebug : LogLevel::kWarning,
                   kind == FailureKind::kAsksToWait ? "the server asks to wait, will retry"
                                                    : "list or watch failed, will retry",
                   {{"informer", informer_}, {"err", error.ToString()}});
  }
  observers_->Notify();
}

void ReflectorStatus::OnEpochChanged() {
  {
    base::MutexLock lock(mutex_);
    now_.epoch = env_.Now();
  }
  epochs_.fetch_add(1, std::memory_order_release);
  env_.log().Log(LogLevel::kWarning, "the server's state is older than what it served before",
                 {{"informer", informer_}});
  observers_->Notify();
}

void ReflectorStatus::ClearError() {
  base::MutexLock lock(mutex_);
  now_.error.reset();
}

std::optional<Error> ReflectorStatus::LastError() const {
  base::MutexLock lock(mutex_);
  return now_.error;
}

InformerStatus ReflectorStatus::Status() const {
  Now now;
  {
    base::MutexLock lock(mutex_);
    now = now_;
  }
  const SteadyTime time = env_.Now();
  const auto age = [time](const std::optional<SteadyTime>& when) {
    return when ? std::optional<Duration>(time - *when) : std::nullopt;
  };
  InformerStatus status;
  status.state = now.state;
  if (now.state != InformerState::kNotStarted) status.state_age = time - now.since;
  if (now.retry_at) status.retry_in = std::max(*now.retry_at - time, Duration(0));
  status.error = std::move(now.error);
  status.progress_age = age(now.progress);
  status.epochs = epochs();
  status.epoch_age = age(now.epoch);
  return status;
}

void ReflectorStatus::AddTo(InformerStats& stats) const {
  stats.lists += lists_.load(std::memory_order_relaxed);
  stats.watch_lists += watch_lists_.load(std::memory_order_relaxed);
  stats.watches += watches_.load(std::memory_order_relaxed);
  stats.errors += errors_.load(std::memory_order_relaxed);
  stats.refusals += refusals_.load(std::memory_order_relaxed);
}

}  // namespace kinformer::internal::cache

namespace kinformer {

std::string_view ToString(InformerState state) {
  switch (state) {
    case InformerState::kNotStarted:
      return "not started";
    case InformerState::kListing:
      return "listing";
    case InformerState::kWatching:
      return "watching";
    case InformerState::kPaused:
      return "paused";
    case InformerState::kStopped:
      return "stopped";
    case InformerState::kBackingOff:
      return "backing off";
    case InformerState::kRefused:
      return "refused";
    case InformerState::kForbidden:
      return "forbidden";
    case InformerState::kAbsent:
      return "absent";
  }
  return "";
}

}  // namespace kinformer
