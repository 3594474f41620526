// Items that a queue cannot hold, and rate limiters passed as in Go.
// case without_hash: an item of a queue needs a hash: specialise std::hash<YourItem>
// case limiter_without_hash: an item of a queue needs a hash: specialise std::hash<YourItem>
// case without_equality: an item of a queue needs an equality: bool operator==
// case without_copy: an item of a queue is copied
// case limiter_by_value: a rate limiter is given away: std::make_unique
// case builder_limiter_by_value: a rate limiter is given away: std::make_unique

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "kinformer/controller/builder.h"
#include "kinformer/workqueue/rate_limiting_queue.h"

using namespace std::chrono_literals;
using kinformer::ItemExponentialFailureRateLimiter;
using kinformer::RateLimitingQueue;
using kinformer::Request;

struct Plain {
  int number = 0;
  bool operator==(const Plain&) const = default;
};
struct Hashed : Plain {
  bool operator==(const Hashed&) const = default;
};
struct Unequal {};
struct Unique {
  std::unique_ptr<int> number;
  bool operator==(const Unique&) const = default;
};
struct HashOfAny {
  std::size_t operator()(const auto&) const { return 7; }
};
template <>
struct std::hash<Hashed> : HashOfAny {};

void Use(kinformer::Env& env, kinformer::ControllerBuilder& builder) {
#if defined(without_hash)
  RateLimitingQueue<Plain> queue(env);
#elif defined(limiter_without_hash)
  ItemExponentialFailureRateLimiter<Plain> limiter(5ms, 1000s);
#elif defined(without_equality)
  RateLimitingQueue<Unequal, HashOfAny> queue(env);
#elif defined(without_copy)
  kinformer::WorkQueue<Unique, HashOfAny> queue(env);
#elif defined(limiter_by_value)
  const ItemExponentialFailureRateLimiter<Hashed> limiter(5ms, 1000s);
  RateLimitingQueue<Hashed> queue(env, limiter);
#elif defined(builder_limiter_by_value)
  builder.WithRateLimiter(ItemExponentialFailureRateLimiter<Request>(5ms, 1000s));
#else
  RateLimitingQueue<Hashed> queue(env);
  RateLimitingQueue<Plain, HashOfAny> other(env, {.name = "other"});
  RateLimitingQueue<Hashed> limited(
      env, std::make_unique<ItemExponentialFailureRateLimiter<Hashed>>(5ms, 1000s));
  builder.WithRateLimiter(std::make_unique<ItemExponentialFailureRateLimiter<Request>>(5ms, 1s));
#endif
}
