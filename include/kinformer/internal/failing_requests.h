// kinformer/internal/failing_requests.h
//
// FailingRequests: what a controller knows of the requests whose last reconcile has failed, and of
// those that have a pace or are held up by a fight.

#ifndef KINFORMER_INTERNAL_FAILING_REQUESTS_H_
#define KINFORMER_INTERNAL_FAILING_REQUESTS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/internal/held_requests.h"
#include "kinformer/internal/request_paces.h"

namespace kinformer::internal {

// Failures of one request since its last success.
struct FailedAttempts {
  int count = 0;
  int parked = 0;  // how often it was put aside since then
  std::optional<Error> last{};
  SteadyTime retry_at = SteadyTime::min();    // the end of its own delay
  SteadyTime forward_at = SteadyTime::min();  // an event may bring it forward from then on
};

// Thread-safe. Costs one atomic read while nothing fails.
template <class R, class Hash = std::hash<R>>
class FailingRequests {
 public:
  FailingRequests(Env& env, const ControllerOptions& options)
      : env_(env), paces_(env, options), held_(env) {}

  // The request has failed, and is tried again at `retry_at`, or earlier if an event of it comes.
  void Failed(const R& request, std::optional<Error> error, SteadyTime retry_at) {
    const std::lock_guard lock(mutex_);
    FailedAttempts& failed = failed_[request];
    ++failed.count;
    failed.last = std::move(error);
    failed.retry_at = retry_at;
    any_.store(true, std::memory_order_release);
  }
  // The request was put aside, since its reads lack writes of its own.
  void Parked(const R& request) {
    const std::lock_guard lock(mutex_);
    ++failed_[request].parked;
    any_.store(true, std::memory_order_release);
  }
  // Notes that the request is tried now. If an event has brought that forward, the next event
  // that does so must come `interval` later.
  void Tried(const R& request, Duration interval) {
    if (!any_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    const auto found = failed_.find(request);
    const SteadyTime now = env_.Now();
    if (found == failed_.end() || now >= found->second.retry_at) return;
    found->second.forward_at = now + interval;
  }
  void Forget(const R& request) {
    if (!any_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    failed_.erase(request);
    any_.store(!failed_.empty(), std::memory_order_release);
  }
  // Returns the failures since the last success.
  [[nodiscard]] FailedAttempts Of(const R& request) const {
    if (!any_.load(std::memory_order_acquire)) return {};
    const std::lock_guard lock(mutex_);
    const auto found = failed_.find(request);
    return found == failed_.end() ? FailedAttempts() : found->second;
  }
  // Returns the number of requests that have failed or were put aside since their last success.
  [[nodiscard]] std::size_t Count() const {
    const std::lock_guard lock(mutex_);
    return failed_.size();
  }
  // Returns whether its interval or its settle time is not over.
  [[nodiscard]] bool IsPaced(const R& request) const {
    return paces_.WaitOf(request) > Duration(0);
  }
  // Returns how long the request waits from now on, for its own delay or its pace; zero: not at
  // all.
  [[nodiscard]] Duration WaitOf(const R& request) const {
    const Duration wait = std::max(WaitOfFailed(request), paces_.WaitOf(request));
    return held_.any() ? std::max(wait, held_.WaitOf(request)) : wait;
  }
  // Does the same, after an event of the request.
  [[nodiscard]] Duration WaitOfEvent(const R& request) {
    const Duration wait = std::max(paces_.Event(request), WaitOfFailed(request));
    if (!held_.any()) return wait;
    held_.Event(request);
    return std::max(wait, held_.WaitOf(request));
  }
  // Does the same for a request that would begin now. If it waits no longer, its events are those
  // that the reconcile is for.
  [[nodiscard]] Duration TakeUp(const R& request) {
    Duration wait = WaitOfFailed(request);
    if (held_.any()) wait = std::max(wait, held_.TakeUp(request));
    return wait > Duration(0) ? wait : paces_.TakeUp(request);
  }
  // Holds the request up: see HeldRequests.
  void Hold(const R& request, std::vector<RequestHold> holds) {
    held_.Hold(request, std::move(holds));
  }
  // Notes that the reconcile of the request begins now.
  void Began(const R& request) { paces_.Began(request); }

 private:
  [[nodiscard]] Duration WaitOfFailed(const R& request) const {
    if (!any_.load(std::memory_order_acquire)) return Duration(0);
    const std::lock_guard lock(mutex_);
    const auto found = failed_.find(request);
    if (found == failed_.end()) return Duration(0);
    const SteadyTime until = std::min(found->second.retry_at, found->second.forward_at);
    const SteadyTime now = env_.Now();
    return until <= now ? Duration(0) : Duration(until - now);
  }

  Env& env_;
  RequestPaces<R, Hash> paces_;
  HeldRequests<R, Hash> held_;
  std::atomic<bool> any_{false};
  mutable std::mutex mutex_;
  std::unordered_map<R, FailedAttempts, Hash> failed_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_FAILING_REQUESTS_H_
