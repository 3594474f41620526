// kinformer/workqueue/rate_limiter.h
//
// RateLimiter: decides how long a failed item waits before it is tried again. A first failure is
// retried within milliseconds; an item that keeps failing is retried less and less often; and all
// retries together stay below a rate.
//
//   auto limiter = DefaultControllerRateLimiter<ObjectName>(env);

#ifndef KINFORMER_WORKQUEUE_RATE_LIMITER_H_
#define KINFORMER_WORKQUEUE_RATE_LIMITER_H_

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/queue_item.h"
#include "kinformer/internal/token_bucket.h"

namespace kinformer {

// Delays retries. Thread-safe, never blocks. Counterpart: workqueue.TypedRateLimiter.
template <class Item>
class RateLimiter {
 public:
  virtual ~RateLimiter() = default;
  // Counts a failure of `item` and returns its delay.
  [[nodiscard]] virtual Duration When(const Item& item) = 0;
  // Resets the failures of `item`: it succeeded or was given up.
  virtual void Forget(const Item& item) = 0;
  // Returns the number of failures of `item` since the last Forget.
  [[nodiscard]] virtual int NumRequeues(const Item& item) const = 0;
};

namespace internal {

// Explains an argument that is not a rate limiter.
template <class Given>
constexpr void ExplainLimiter() {
  static_assert(kNeverHolds<Given>,
                "a rate limiter is given away: std::make_unique<ItemExponentialFailureRateLimiter<"
                "Request>>(5ms, 1000s), or another class for the queue's items");
}

// Returns a random delay in [delay, delay * (1 + factor)).
[[nodiscard]] Duration JitteredDelay(Env& env, Duration delay, double factor);

// Returns base * 2^failures, at most max.
[[nodiscard]] Duration ExponentialDelay(Duration base, Duration max, int failures);

// Counts failures per item. An item is remembered until it is forgotten.
template <class Item, class Hash>
class FailureCounts {
  static_assert(CheckQueueItem<Item, Hash>());

 public:
  // Adds one; returns the number before.
  int Increment(const Item& item) {
    const std::lock_guard lock(mutex_);
    return counts_[item]++;
  }
  void Forget(const Item& item) {
    const std::lock_guard lock(mutex_);
    counts_.erase(item);
  }
  int Get(const Item& item) const {
    const std::lock_guard lock(mutex_);
    const auto it = counts_.find(item);
    return it == counts_.end() ? 0 : it->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Item, int, Hash> counts_;
};

}  // namespace internal

// Delays each item by base, 2*base, 4*base, ... up to max. Counterpart:
// TypedItemExponentialFailureRateLimiter.
template <class Item, class Hash = std::hash<Item>>
class ItemExponentialFailureRateLimiter final : public RateLimiter<Item> {
 public:
  ItemExponentialFailureRateLimiter(Duration base_delay, Duration max_delay)
      : base_delay_(base_delay), max_delay_(max_delay) {}
  [[nodiscard]] Duration When(const Item& item) override {
    return internal::ExponentialDelay(base_delay_, max_delay_, failures_.Increment(item));
  }
  void Forget(const Item& item) override { failures_.Forget(item); }
  [[nodiscard]] int NumRequeues(const Item& item) const override { return failures_.Get(item); }

 private:
  const Duration base_delay_;
  const Duration max_delay_;
  internal::FailureCounts<Item, Hash> failures_;
};

// Allows a few fast attempts, then slow ones. Counterpart: TypedItemFastSlowRateLimiter.
template <class Item, class Hash = std::hash<Item>>
class ItemFastSlowRateLimiter final : public RateLimiter<Item> {
 public:
  ItemFastSlowRateLimiter(Duration fast_delay, Duration slow_delay, int max_fast_attempts)
      : fast_delay_(fast_delay), slow_delay_(slow_delay), max_fast_attempts_(max_fast_attempts) {}
  [[nodiscard]] Duration When(const Item& item) override {
    return failures_.Increment(item) < max_fast_attempts_ ? fast_delay_ : slow_delay_;
  }
  void Forget(const Item& item) override { failures_.Forget(item); }
  [[nodiscard]] int NumRequeues(const Item& item) const override { return failures_.Get(item); }

 private:
  const Duration fast_delay_;
  const Duration slow_delay_;
  const int max_fast_attempts_;
  internal::FailureCounts<Item, Hash> failures_;
};

// Takes tokens for all items from one bucket: `burst` at once, then `qps` per second. Starts full,
// and fills continuously. qps <= 0 or infinite: no limit. burst below 1 counts as 1.
//
// An item that waits for its token gets no second one, but the remaining time of the first. So an
// item that is added faster than the rate is processed at the rate; in client-go each call takes a
// token, and the item's delay grows without end. Thread-safe; `env` must outlive it. Counterpart:
// TypedBucketRateLimiter.
template <class Item, class Hash = std::hash<Item>>
class BucketRateLimiter final : public RateLimiter<Item> {
 public:
  BucketRateLimiter(Env& env, double qps, int burst) : env_(env), bucket_(qps, burst) {}
  [[nodiscard]] Duration When(const Item& item) override {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = env_.Now();
    // Removes items whose token is available; tokens become available in the order of Reserve.
    while (!order_.empty() && order_.front()->second <= now) {
      waiting_.erase(waiting_.find(order_.front()->first));
      order_.pop_front();
    }
    const auto known = waiting_.find(item);
    if (known != waiting_.end()) return known->second - now;
    const Duration wait = bucket_.Reserve(now);
    if (wait > Duration::zero() && wait < SteadyTime::max() - now) {
      order_.push_back(&*waiting_.emplace(item, now + wait).first);
    }
    return wait;
  }
  void Forget(const Item&) override {}
  [[nodiscard]] int NumRequeues(const Item&) const override { return 0; }

 private:
  using Waiting = std::unordered_map<Item, SteadyTime, Hash>;  // with the time of its token
  Env& env_;
  std::mutex mutex_;
  internal::TokenBucket bucket_;
  Waiting waiting_;
  std::deque<const typename Waiting::value_type*> order_;  // earliest first
};

// Returns the longest delay of several limiters; each of them counts every call. Counterpart:
// TypedMaxOfRateLimiter.
template <class Item>
class MaxOfRateLimiter final : public RateLimiter<Item> {
 public:
  explicit MaxOfRateLimiter(std::vector<std::unique_ptr<RateLimiter<Item>>> limiters)
      : limiters_(std::move(limiters)) {}
  [[nodiscard]] Duration When(const Item& item) override {
    Duration longest{0};
    for (const auto& limiter : limiters_) longest = std::max(longest, limiter->When(item));
    return longest;
  }
  void Forget(const Item& item) override {
    for (const auto& limiter : limiters_) limiter->Forget(item);
  }
  [[nodiscard]] int NumRequeues(const Item& item) const override {
    int most = 0;
    for (const auto& limiter : limiters_) most = std::max(most, limiter->NumRequeues(item));
    return most;
  }

 private:
  const std::vector<std::unique_ptr<RateLimiter<Item>>> limiters_;
};

// Limits another limiter's delays to max_delay. Counterpart: TypedWithMaxWaitRateLimiter.
template <class Item>
class WithMaxWaitRateLimiter final : public RateLimiter<Item> {
 public:
  WithMaxWaitRateLimiter(std::unique_ptr<RateLimiter<Item>> limiter, Duration max_delay)
      : limiter_(std::move(limiter)), max_delay_(max_delay) {}
  [[nodiscard]] Duration When(const Item& item) override {
    return std::min(limiter_->When(item), max_delay_);
  }
  void Forget(const Item& item) override { limiter_->Forget(item); }
  [[nodiscard]] int NumRequeues(const Item& item) const override {
    return limiter_->NumRequeues(item);
  }

 private:
  const std::unique_ptr<RateLimiter<Item>> limiter_;
  const Duration max_delay_;
};

// Makes another limiter's delays random, in [delay, delay * (1 + factor)), so that items that
// failed together, as when a server was down, are not retried together. A factor of 0 or less
// changes nothing. For an upper bound, wrap it in a WithMaxWaitRateLimiter. `env` must outlive it.
// Counterpart: none in workqueue; flowcontrol.NewBackOffWithJitter does the same.
template <class Item>
class WithJitterRateLimiter final : public RateLimiter<Item> {
 public:
  WithJitterRateLimiter(Env& env, std::unique_ptr<RateLimiter<Item>> limiter, double factor)
      : env_(env), limiter_(std::move(limiter)), factor_(factor) {}
  [[nodiscard]] Duration When(const Item& item) override {
    return internal::JitteredDelay(env_, limiter_->When(item), factor_);
  }
  void Forget(const Item& item) override { limiter_->Forget(item); }
  [[nodiscard]] int NumRequeues(const Item& item) const override {
    return limiter_->NumRequeues(item);
  }

 private:
  Env& env_;
  const std::unique_ptr<RateLimiter<Item>> limiter_;
  const double factor_;
};

// Returns the default limiter of controllers: 5 ms to 1000 s for each item, and 10 per
// second with a burst of 100 for all together. Counterpart:
// DefaultTypedControllerRateLimiter.
template <class Item, class Hash = std::hash<Item>>
std::unique_ptr<RateLimiter<Item>> DefaultControllerRateLimiter(Env& env) {
  std::vector<std::unique_ptr<RateLimiter<Item>>> limiters;
  limiters.push_back(std::make_unique<ItemExponentialFailureRateLimiter<Item, Hash>>(
      std::chrono::milliseconds(5), std::chrono::seconds(1000)));
  limiters.push_back(std::make_unique<BucketRateLimiter<Item, Hash>>(env, 10.0, 100));
  return std::make_unique<MaxOfRateLimiter<Item>>(std::move(limiters));
}

// Returns a limiter of 1 ms to 1000 s per item. Counterpart: DefaultTypedItemBasedRateLimiter.
template <class Item, class Hash = std::hash<Item>>
std::unique_ptr<RateLimiter<Item>> DefaultItemBasedRateLimiter() {
  return std::make_unique<ItemExponentialFailureRateLimiter<Item, Hash>>(
      std::chrono::milliseconds(1), std::chrono::seconds(1000));
}

}  // namespace kinformer

#endif  // KINFORMER_WORKQUEUE_RATE_LIMITER_H_
