#include "cache/pipeline/reflector_status.h"

#include "base/user_call.h"
#include "cache/pipeline/failure_kind.h"

namespace kinformer::internal::cache {

void ReflectorStatus::OnListed() {
  lists_.fetch_add(1, std::memory_order_relaxed);
  ClearError();
}

void ReflectorStatus::OnWatchStarted() {
  watches_.fetch_add(1, std::memory_order_relaxed);
  ClearError();
}

void ReflectorStatus::OnWatchError(const Error& error) {
  errors_.fetch_add(1, std::memory_order_relaxed);
  {
    base::MutexLock lock(mutex_);
    last_error_ = error;
  }
  if (on_error_) {
    (void)base::CallUser(
        env_, "the watch error handler", [&] { on_error_(error); }, [&] { return informer_; });
  } else {
    const FailureKind kind = KindOf(error);
    env_.log().Log(kind == FailureKind::kExpired ? LogLevel::kDebug : LogLevel::kWarning,
                   kind == FailureKind::kAsksToWait ? "the server asks to wait, will retry"
                                                    : "list or watch failed, will retry",
                   {{"informer", informer_}, {"err", error.ToString()}});
  }
  observers_->Notify();
}

void ReflectorStatus::OnEpochChanged() {
  epochs_.fetch_add(1, std::memory_order_relaxed);
  env_.log().Log(LogLevel::kWarning, "the server's state is older than what it served before",
                 {{"informer", informer_}});
}

void ReflectorStatus::ClearError() {
  base::MutexLock lock(mutex_);
  last_error_.reset();
}

std::optional<Error> ReflectorStatus::LastError() const {
  base::MutexLock lock(mutex_);
  return last_error_;
}

void ReflectorStatus::AddTo(InformerStats& stats) const {
  stats.lists = lists_.load(std::memory_order_relaxed);
  stats.watches = watches_.load(std::memory_order_relaxed);
  stats.errors = errors_.load(std::memory_order_relaxed);
  stats.epochs = epochs_.load(std::memory_order_relaxed);
  if (const std::optional<Error> error = LastError()) stats.last_error = error->ToString();
}

}  // namespace kinformer::internal::cache
