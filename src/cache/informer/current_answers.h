// cache/informer/current_answers.h
//
// CurrentAnswers: collects the answers of an informer's parts to one CurrentQuestion each.

#ifndef KINFORMER_CACHE_INFORMER_CURRENT_ANSWERS_H_
#define KINFORMER_CACHE_INFORMER_CURRENT_ANSWERS_H_

#include <functional>
#include <optional>
#include <utility>

#include "kinformer/base/result.h"

#include "base/core/mutex.h"

namespace kinformer::internal::cache {

// Thread-safe.
class CurrentAnswers {
 public:
  // `notify` is called at each answer and failure.
  explicit CurrentAnswers(std::function<void()> notify) : notify_(std::move(notify)) {}

  // One more question; Answered is called for it. The first one is asked by the constructor, and
  // answered when all others have been asked.
  void Asked() {
    const base::MutexLock lock(mutex_);
    ++left_;
  }
  void Answered() {
    {
      const base::MutexLock lock(mutex_);
      --left_;
    }
    notify_();
  }
  // A request has failed. `for_good`: the server refuses it, and Answered follows.
  void Failed(const Error& error, bool for_good) {
    {
      const base::MutexLock lock(mutex_);
      error_ = error;
      if (for_good) refusal_ = error;
    }
    notify_();
  }

  [[nodiscard]] bool complete() const {
    const base::MutexLock lock(mutex_);
    return left_ == 0;
  }
  // Returns the last failure of a request.
  [[nodiscard]] std::optional<Error> error() const {
    const base::MutexLock lock(mutex_);
    return error_;
  }
  // Returns the failure of a request that the server refuses.
  [[nodiscard]] std::optional<Error> refusal() const {
    const base::MutexLock lock(mutex_);
    return refusal_;
  }

 private:
  const std::function<void()> notify_;
  mutable base::Mutex mutex_;
  int left_ KINFORMER_GUARDED_BY(mutex_) = 1;
  std::optional<Error> error_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<Error> refusal_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_CURRENT_ANSWERS_H_
