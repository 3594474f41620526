// kinformer/base/rate_limiter.h
//
// flowcontrol::RateLimiter: lets requests pass at a rate. Several clients may share one, so that
// together they stay below it.
//
//   const auto limiter = flowcontrol::NewTokenBucketRateLimiter(env, 50, 100);
//   Client a = Client::NewForConfig(env, config_a, {.rate_limiter = limiter}).OrExit();
//   Client b = Client::NewForConfig(env, config_b, {.rate_limiter = limiter}).OrExit();
//
// Not to be confused with the RateLimiter of a work queue (workqueue/rate_limiter.h), which delays
// the retries of an item. Counterpart: the limiters of the package flowcontrol.

#ifndef KINFORMER_BASE_RATE_LIMITER_H_
#define KINFORMER_BASE_RATE_LIMITER_H_

#include <memory>
#include <stop_token>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

namespace kinformer::flowcontrol {

// A limiter that never waits. Implementations are thread-safe. Counterpart:
// flowcontrol.PassiveRateLimiter.
class PassiveRateLimiter {
 public:
  virtual ~PassiveRateLimiter() = default;
  // Takes a token if one is there; returns whether it was. Never blocks.
  virtual bool TryAccept() = 0;
  // Ends all waits; nothing passes afterwards.
  virtual void Stop() = 0;
  // Returns the tokens per second.
  [[nodiscard]] virtual double QPS() const = 0;
};

// A limiter that can wait for a token. Implementations are thread-safe.
//
// A program may write its own. A client then calls Wait, and nothing else, on a thread of the
// Env's pool: for one request after the other, so that it holds at most one thread for each
// limiter. An exception of Wait is logged and counted, and ends the request. Counterpart:
// flowcontrol.RateLimiter.
class RateLimiter : public PassiveRateLimiter {
 public:
  // Takes a token, and returns when it is there, or the limiter is stopped. Blocks.
  virtual void Accept() = 0;
  // Takes a token, and returns when it is there. Blocks. kDeadlineExceeded: it will not be there by
  // `deadline`, SteadyTime::max() for none; returned at once, and takes nothing. kCanceled: `stop`
  // was requested, after which it must return soon. kStopped: the limiter is stopped. On a loop
  // those of the library return kWouldDeadlock. What is registered with `stop` may be called on a
  // loop.
  virtual Result<void> Wait(const std::stop_token& stop, SteadyTime deadline) = 0;
};

// Returns a bucket of `burst` tokens that fills with `qps` per second. Starts full. qps <= 0 or
// infinite: no limit. burst below 1 counts as 1. Tokens are given in the order of the calls. `env`
// must outlive its use. Counterpart: flowcontrol.NewTokenBucketRateLimiter, also the one WithClock:
// a Simulation's Env has a clock for tests.
std::shared_ptr<RateLimiter> NewTokenBucketRateLimiter(Env& env, double qps, int burst);
// Returns the same without waits. Counterpart: flowcontrol.NewTokenBucketPassiveRateLimiter.
std::shared_ptr<PassiveRateLimiter> NewTokenBucketPassiveRateLimiter(Env& env, double qps,
                                                                     int burst);

// Returns a limiter, for tests, that lets everything pass at once, even when it is stopped.
// Counterpart: flowcontrol.NewFakeAlwaysRateLimiter.
std::shared_ptr<RateLimiter> NewFakeAlwaysRateLimiter();
// Returns a limiter, for tests, that lets nothing pass: TryAccept returns false, Wait kStopped at
// once, and Accept returns when it is stopped. `env` must outlive its use. Counterpart:
// flowcontrol.NewFakeNeverRateLimiter.
std::shared_ptr<RateLimiter> NewFakeNeverRateLimiter(Env& env);

}  // namespace kinformer::flowcontrol

#endif  // KINFORMER_BASE_RATE_LIMITER_H_
