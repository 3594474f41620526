// client/limiter_waits.h
//
// LimiterWaits: waits for rate limiters that the program has written, whose Wait blocks.

#ifndef KINFORMER_CLIENT_LIMITER_WAITS_H_
#define KINFORMER_CLIENT_LIMITER_WAITS_H_

#include <functional>
#include <map>
#include <memory>

#include "kinformer/base/env.h"
#include "kinformer/base/rate_limiter.h"
#include "kinformer/base/result.h"

namespace kinformer::internal::client {

class LimiterLine;
struct LimiterPlace;

// A request that waits. Destroying it cancels: the function is not called, and the limiter is asked
// to stop. Loop-confined.
class LimiterWait {
 public:
  LimiterWait() = default;
  LimiterWait(std::shared_ptr<LimiterLine> line, std::shared_ptr<LimiterPlace> place);
  LimiterWait(LimiterWait&&) noexcept = default;
  LimiterWait& operator=(LimiterWait&& other) noexcept;
  ~LimiterWait();

 private:
  void Leave();

  std::shared_ptr<LimiterLine> line_;
  std::shared_ptr<LimiterPlace> place_;
};

// Calls Wait of each limiter on the pool, for one request after the other, so that each limiter
// holds one thread at most, however many requests wait. Loop-confined.
class LimiterWaits {
 public:
  explicit LimiterWaits(std::shared_ptr<Env> env) : env_(std::move(env)) {}

  // Calls `done` on the loop, never before returning. It may destroy the LimiterWait.
  [[nodiscard]] LimiterWait Begin(const std::shared_ptr<flowcontrol::RateLimiter>& limiter,
                                  SteadyTime deadline, std::function<void(Result<void>)> done);

 private:
  const std::shared_ptr<Env> env_;
  std::map<flowcontrol::RateLimiter*, std::weak_ptr<LimiterLine>> lines_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LIMITER_WAITS_H_
