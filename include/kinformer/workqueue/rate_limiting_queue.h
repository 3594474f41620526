// kinformer/workqueue/rate_limiting_queue.h
//
// RateLimitingQueue: a DelayingQueue that delays retries of failed items. The queue of a
// controller.
//
//   RateLimitingQueue<ObjectName> queue(env, {.name = "pods"});
//   while (std::optional<ObjectName> key = queue.Get()) {
//     if (Reconcile(*key).ok()) {
//       queue.Forget(*key);           // the next failure is a first one again
//     } else {
//       queue.AddRateLimited(*key);
//     }
//     queue.Done(*key);               // always
//   }

#ifndef KINFORMER_WORKQUEUE_RATE_LIMITING_QUEUE_H_
#define KINFORMER_WORKQUEUE_RATE_LIMITING_QUEUE_H_

#include <concepts>
#include <memory>
#include <string_view>
#include <utility>

#include "kinformer/workqueue/delaying_queue.h"
#include "kinformer/workqueue/rate_limiter.h"

namespace kinformer {

// A DelayingQueue with a RateLimiter, which it owns. Forget and Done are independent: a worker
// calls both. Thread-safety, ownership, cost: as WorkQueue. Counterpart:
// workqueue.TypedRateLimitingInterface.
template <class Item, class Hash = std::hash<Item>>
class RateLimitingQueue : public DelayingQueue<Item, Hash> {
 public:
  // Creates a queue with DefaultControllerRateLimiter.
  explicit RateLimitingQueue(Env& env, const WorkQueueOptions& options = {})
      : RateLimitingQueue(env, DefaultControllerRateLimiter<Item, Hash>(env), options) {}
  // Is a template, so that {} as the second argument means the options above.
  template <std::convertible_to<std::unique_ptr<RateLimiter<Item>>> Limiter>
  RateLimitingQueue(Env& env, Limiter limiter, const WorkQueueOptions& options = {})
      : DelayingQueue<Item, Hash>(env, options), limiter_(std::move(limiter)) {}
  template <class Wrong>
    requires(!std::convertible_to<Wrong, std::unique_ptr<RateLimiter<Item>>> &&
             !std::convertible_to<const Wrong&, const WorkQueueOptions&>)
  RateLimitingQueue(Env& env, const Wrong& /*limiter*/, const WorkQueueOptions& /*options*/ = {})
      : RateLimitingQueue(env) {
    internal::ExplainLimiter<Wrong>();
  }
  // The queue's name by itself, as in Go.
  template <class Limiter, std::convertible_to<std::string_view> Name>
  RateLimitingQueue(Env& env, const Limiter& /*limiter*/, const Name& /*name*/)
      : RateLimitingQueue(env) {
    static_assert(internal::kNeverHolds<Name>,
                  "a queue's name is one of its options: "
                  "RateLimitingQueue<ObjectName>(env, limiter, {.name = \"pods\"})");
  }

  // Adds `item` after the limiter's delay. The limiter counts the failure even when shutting
  // down.
  void AddRateLimited(const Item& item) { this->AddAfter(item, limiter_->When(item)); }

  // Resets the failures of `item`. Does not cancel a delayed retry and does not call Done.
  void Forget(const Item& item) { limiter_->Forget(item); }

  // Returns the number of failures of `item` since the last Forget.
  [[nodiscard]] int NumRequeues(const Item& item) const { return limiter_->NumRequeues(item); }

 protected:
  using State = typename DelayingQueue<Item, Hash>::State;
  RateLimitingQueue(std::shared_ptr<State> state, std::unique_ptr<RateLimiter<Item>> limiter)
      : DelayingQueue<Item, Hash>(std::move(state)), limiter_(std::move(limiter)) {}

  [[nodiscard]] RateLimiter<Item>& limiter() const { return *limiter_; }

 private:
  const std::unique_ptr<RateLimiter<Item>> limiter_;
};

}  // namespace kinformer

#endif  // KINFORMER_WORKQUEUE_RATE_LIMITING_QUEUE_H_
